package user

import (
	"context"
	"encoding/json"

	"minicloud/shared/table"
	"minicloud/shared/table/show"
)

// NewProfile returns the row of a new user, for callers that write it in their own transaction. It returns errs.Invalid
// for a bad field.
func (s *Service) NewProfile(ctx context.Context, t table.Table, fields map[string]any) (table.Row, error) {
	return s.Tables.NewRow(ctx, t, complete(t, fields), table.Author{})
}

// EmptyProfile returns the fields of a profile without any value.
func EmptyProfile(t table.Table) map[string]any { return complete(t, nil) }

// notShown are the names of a row that the record of a user does not have for end users.
var notShown = []string{"_id", "_read_perm", "_write_perm", "read_perm", "write_perm", UserGroup}

// Own returns a user as they see themselves (client API, 3): the profile without hidden columns, the login names and the
// providers. A value that is not set is null.
func Own(t table.Table, row table.Row, a Account) Profile {
	p := profile(t, row)
	for _, c := range t.Columns {
		if !c.Access().ClientVisible {
			delete(p, c.Name)
		}
	}
	return withAccount(t, p, a)
}

// withAccount adds the account to an own record.
func withAccount(t table.Table, p Profile, a Account) Profile {
	for _, name := range notShown {
		delete(p, name)
	}
	show.Unset(t, p)
	p[userIDField] = p["id"]
	p["_username"], p["_email"], p["_phone"] = orNil(a.Username), orNil(a.Email), orNil(a.Phone)
	p["_email_verified"], p["_phone_verified"], p["_anonymous"] = a.EmailVerified, a.PhoneVerified, a.Temporary
	p["_provider"] = map[string]any{}
	if a.Providers != "" {
		p["_provider"] = json.RawMessage(a.Providers)
	}
	return p
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
