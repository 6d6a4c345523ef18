// Package account has the login of a user as responses show it: to the user and to administrators.
package account

import "minicloud/shared/user"

// Account is the login of a user. Fields that are not set are null.
type Account struct {
	Username      *string `json:"username"`
	Email         *string `json:"email"`
	EmailVerified bool    `json:"email_verified"`
	Phone         *string `json:"phone"`
	PhoneVerified bool    `json:"phone_verified"`
}

// Of returns the login of an account.
func Of(a user.Account) Account {
	return Account{
		Username: orNull(a.Username), Email: orNull(a.Email), EmailVerified: a.EmailVerified,
		Phone: orNull(a.Phone), PhoneVerified: a.PhoneVerified,
	}
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
