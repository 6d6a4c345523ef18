package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/sandbox"
)

// check compiles {"function_code"} and answers what is wrong with it, which may
// be nothing; it stores nothing.
func (g *Group) check(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Code string `json:"function_code"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	found, err := g.Functions.CheckOnly(r.Context(), httpapi.ScopeOf(r), body.Code)
	if err != nil {
		return err
	}
	if found == nil {
		found = []sandbox.Diagnostic{}
	}

	httpapi.Write(w, http.StatusOK, struct {
		Diagnostics []sandbox.Diagnostic `json:"diagnostics"`
	}{found})
	return nil
}
