package api

import (
	"encoding/json"
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

// accountView is how a user logs in; what is not set is null.
type accountView struct {
	Username      *string `json:"username"`
	Email         *string `json:"email"`
	EmailVerified bool    `json:"email_verified"`
	Phone         *string `json:"phone"`
	PhoneVerified bool    `json:"phone_verified"`
}

// account serves endpoint 19.
func (g *Group) account(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("id"))
	if err != nil {
		return err
	}

	var body struct {
		Username    json.RawMessage `json:"username"`
		Email       json.RawMessage `json:"email"`
		Phone       json.RawMessage `json:"phone"`
		NewPassword json.RawMessage `json:"new_password"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	var change user.AccountChange
	for _, field := range []struct {
		name string
		raw  json.RawMessage
		edit *user.Edit
	}{
		{"username", body.Username, &change.Username},
		{"email", body.Email, &change.Email},
		{"phone", body.Phone, &change.Phone},
		{"new_password", body.NewPassword, &change.NewPassword},
	} {
		if field.raw == nil {
			continue
		}
		field.edit.Given = true
		if err := json.Unmarshal(field.raw, &field.edit.Value); err != nil {
			return errs.Invalid("%s must be a string", field.name)
		}
	}

	account, err := g.Users.ChangeAccount(r.Context(), httpapi.ScopeOf(r), id, change)
	if err != nil {
		return err
	}

	httpapi.Write(w, http.StatusOK, accountView{
		Username: orNull(account.Username), Email: orNull(account.Email), EmailVerified: account.EmailVerified,
		Phone: orNull(account.Phone), PhoneVerified: account.PhoneVerified,
	})

	return nil
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
