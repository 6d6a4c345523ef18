package api

import (
	"net/http"
	"time"

	"minicloud/shared/httpapi"
)

// serverTime tells the platform's clock to whoever asks (D44). It is here since
// this program serves every path that no other program has.
func (g *Group) serverTime(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	httpapi.Write(w, http.StatusOK, struct {
		Time string `json:"time"`
	}{g.Clock.Now().Format(time.RFC3339Nano)})
	return nil
}
