// Package account has the login of a user as responses show it: to the user and to administrators.
package account

import (
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

// Change has the members of a request that changes the login of a user.
type Change struct {
	Username    httpapi.Nullable[string] `json:"username" maxLength:"128"`
	Email       httpapi.Nullable[string] `json:"email" maxLength:"254"`
	Phone       httpapi.Nullable[string] `json:"phone"` // The phone number in E.164, or in national format for China.
	NewPassword httpapi.Nullable[string] `json:"new_password" minLength:"6" maxLength:"128"`
}

// Wanted returns the change that a request asks for.
func (c Change) Wanted() user.AccountChange {
	return user.AccountChange{
		Username: user.Edit(c.Username), Email: user.Edit(c.Email), Phone: user.Edit(c.Phone),
		NewPassword: user.Edit(c.NewPassword),
	}
}

// Of returns the login of an account.
func Of(a user.Account) Account {
	return Account{
		Username: httpapi.OrNull(a.Username), Email: httpapi.OrNull(a.Email), EmailVerified: a.EmailVerified,
		Phone: httpapi.OrNull(a.Phone), PhoneVerified: a.PhoneVerified,
	}
}
