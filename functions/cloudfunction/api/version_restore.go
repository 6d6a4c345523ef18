package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// restoreVersion makes a new version out of an earlier one; it takes no body.
func (g *Group) restoreVersion(w http.ResponseWriter, r *http.Request) error {
	n, err := number(r, "version")
	if err != nil {
		return err
	}
	guard, err := unchanged(r)
	if err != nil {
		return err
	}
	f, err := g.Functions.RestoreIf(
		r.Context(), httpapi.ScopeOf(r), author(r), r.PathValue("name"), int(n), guard,
	)
	if err != nil {
		return err
	}
	return writeFunction(w, http.StatusAccepted, f)
}
