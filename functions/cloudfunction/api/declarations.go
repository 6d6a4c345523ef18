package api

import "net/http"

// declarations serves what a function finds around itself as TypeScript, for
// editors to complete from. It says nothing of any application and needs no
// token.
func (g *Group) declarations(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	writeText(w, g.Declarations)
	return nil
}
