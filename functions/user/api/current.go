package api

import (
	"net/http"

	"minicloud/shared/httpapi"
)

// current serves endpoint 15: the administrator who owns the application (D14).
func (g *Group) current(w http.ResponseWriter, r *http.Request) error {
	owner := httpapi.CallerOf(r).Application.Owner
	httpapi.Write(w, http.StatusOK, struct {
		AvatarLink string `json:"avatar_link"`
		Email      string `json:"email"`
		Nickname   string `json:"nickname"`
		UserID     int64  `json:"user_id"`
	}{owner.AvatarLink, owner.Email, owner.Nickname, owner.UserID})
	return nil
}
