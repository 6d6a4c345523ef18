package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// withOffset is ISO 8601 to the microsecond: clients' parsers take no more
// digits, and some no Z.
const withOffset = "2006-01-02T15:04:05.000000-07:00"

// serverTime tells the platform's clock to whoever asks (D44). It is here since
// this program serves every path that no other program has.
func (g *Group) serverTime(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	httpapi.Write(w, http.StatusOK, struct {
		Time string `json:"time"`
	}{g.Clock.Now().Format(withOffset)})
	return nil
}
