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
	Username    httpapi.Nullable[string] `json:"username" maxLength:"128"`
	Email       httpapi.Nullable[string] `json:"email" maxLength:"254"`
	Phone       httpapi.Nullable[string] `json:"phone"` // The phone number in E.164, or in national format for China.
	NewPassword httpapi.Nullable[string] `json:"new_password" minLength:"6" maxLength:"128"`
}

// account serves endpoint 19.
func (g *Group) account(ctx context.Context, in accountChange) (a account.Account, err error) {
	changed, err := g.Users.ChangeAccount(ctx, httpapi.Scope(ctx), in.ID, user.AccountChange{
		Username: user.Edit(in.Username), Email: user.Edit(in.Email), Phone: user.Edit(in.Phone),
		NewPassword: user.Edit(in.NewPassword),
	})
	if err != nil {
		return a, err
	}
	return account.Of(changed), nil
}
