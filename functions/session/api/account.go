package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/account"
	"minicloud/shared/user/login"
)

type accountChange struct {
	account.Change
	Password *string `json:"password" maxLength:"128"` // The current password, if there is one.
}

// changeAccount serves PUT /hserve/v2.2/user/account/.
func (g *Group) changeAccount(ctx context.Context, in accountChange) (account.Account, error) {
	changed, err := g.Logins.ChangeOwn(ctx, httpapi.Scope(ctx), confirmed(ctx, in.Password), in.Wanted())
	return account.Of(changed), err
}

// confirmed returns the caller with the password that confirms a change.
func confirmed(ctx context.Context, password *string) login.Caller {
	caller := httpapi.From(ctx)
	return login.Caller{Identity: *caller.User, Address: caller.IP, Password: password}
}

// Closing confirms that an account is closed.
type Closing struct {
	Password *string `json:"password" maxLength:"128"` // The password, if there is one.
}

type closing struct {
	Body *Closing `body:"Closing"` // Not needed without a password.
}

type ok struct {
	Status string `json:"status" enum:"ok"`
}

// close serves POST /hserve/v3/user/close/ (C41).
func (g *Group) close(ctx context.Context, in closing) (ok, error) {
	var password *string
	if in.Body != nil {
		password = in.Body.Password
	}
	return ok{"ok"}, g.Logins.CloseOwn(ctx, httpapi.Scope(ctx), confirmed(ctx, password))
}
