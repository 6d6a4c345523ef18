package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/account"
	"minicloud/shared/user"
)

// byID holds the path parameter of one user.
type byID struct {
	ID user.ID `path:"id"` // The id of the user in _userprofile.
}

type accountChange struct {
	byID
	account.Change
}

// account serves endpoint 19.
func (g *Group) account(ctx context.Context, in accountChange) (account.Account, error) {
	changed, err := g.Users.ChangeAccount(ctx, httpapi.Scope(ctx), in.ID, in.Wanted())
	return account.Of(changed), err
}
