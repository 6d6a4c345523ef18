package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

// Account is the login of a user. Fields that are not set are null.
type Account struct {
	Username      *string `json:"username"`
	Email         *string `json:"email"`
	EmailVerified bool    `json:"email_verified"`
	Phone         *string `json:"phone"`
	PhoneVerified bool    `json:"phone_verified"`
}

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
func (g *Group) account(ctx context.Context, in accountChange) (a Account, err error) {
	account, err := g.Users.ChangeAccount(ctx, httpapi.Scope(ctx), in.ID, user.AccountChange{
		Username: user.Edit(in.Username), Email: user.Edit(in.Email), Phone: user.Edit(in.Phone),
		NewPassword: user.Edit(in.NewPassword),
	})
	if err != nil {
		return a, err
	}
	return Account{
		Username: orNull(account.Username), Email: orNull(account.Email), EmailVerified: account.EmailVerified,
		Phone: orNull(account.Phone), PhoneVerified: account.PhoneVerified,
	}, nil
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
