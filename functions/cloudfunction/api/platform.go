package api

import (
	"context"
	"net/http"

	"minicloud/shared/httpapi"
)

// withOffset is ISO 8601 with microseconds and a numeric offset: some clients' parsers accept no more digits, and
// some no Z.
const withOffset = "2006-01-02T15:04:05.000000-07:00"

type serverTime struct {
	Time string `json:"time" format:"date-time" example:"2026-11-22T13:20:35.000000+00:00"`
}

// serverTime returns the platform's time without authentication (D44). It is in this program because this program
// serves every path that no other program serves.
func (g *Group) serverTime(ctx context.Context, _ httpapi.None) (serverTime, error) {
	w, _ := httpapi.Exchange(ctx)
	w.Header().Set("Cache-Control", "no-store")
	return serverTime{g.Clock.Now().Format(withOffset)}, nil
}

// declarations serves the TypeScript declarations of the globals of functions, for completion in editors. They are
// the same for every application, so the request needs no token.
func (g *Group) declarations(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	writeText(w, g.Declarations)
	return nil
}
