package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

// read serves endpoint 16.
func (g *Group) read(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("id"))
	if err != nil {
		return err
	}
	profile, err := g.Users.Profile(r.Context(), httpapi.ScopeOf(r), id, r.URL.Query().Get("keys"))
	if err != nil {
		return err
	}
	if err := g.withAccounts(r, profile); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, profile)
	return nil
}
