package api

import (
	"context"

	"minicloud/shared/httpapi"
)

type owner struct {
	AvatarLink string `json:"avatar_link"`
	Email      string `json:"email"`
	Nickname   string `json:"nickname"`
	UserID     int64  `json:"user_id"`
}

// current serves endpoint 15: the administrator who owns the application (D14).
func (g *Group) current(ctx context.Context, _ httpapi.None) (owner, error) {
	o := httpapi.From(ctx).Application.Owner
	return owner{o.AvatarLink, o.Email, o.Nickname, o.UserID}, nil
}
