package user

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// editable are the built-in columns that functions may write, besides custom fields.
var editable = []string{"nickname", "gender", "country", "province", "city", "language", "avatar"}

// Draft is a user to be created by a function (BaaS.User).
type Draft struct {
	Username, Phone, Email       string
	PhoneVerified, EmailVerified bool
	Password                     string // "" = none
	// Providers are the user's ids at the vendors, by vendor: {openid, unionid, user_id}.
	Providers map[string]map[string]string
	// Authorized reports that the user lets the application read their profile.
	Authorized bool
	Profile    map[string]any // editable columns and custom fields
}

// CreateFrom adds the user of a draft and returns the profile with the account. It returns errs.Invalid, which names
// the invalid or missing value, and errs.Duplicate, which names the value that another user has.
func (s *Service) CreateFrom(ctx context.Context, scope tenant.Scope, d Draft) (Profile, error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return nil, err
	}
	n, err := d.user(t)
	if err != nil {
		return nil, err
	}
	made, err := s.Create(ctx, scope, n)
	if err != nil {
		return nil, err
	}

	// ChangeAccount stores a new phone or email as unverified, so the flags of the draft need a second write.
	if d.Phone != "" && d.PhoneVerified || d.Email != "" && d.EmailVerified || len(d.Providers) > 0 {
		providers, err := json.Marshal(d.providers())
		if err != nil {
			return nil, fmt.Errorf("providers of user %d: %w", made, err)
		}
		_, err = s.EditAccount(writetoken.Step(ctx, "made"), scope, made, func(a *Account) {
			a.PhoneVerified = d.PhoneVerified && a.Phone != ""
			a.EmailVerified = d.EmailVerified && a.Email != ""
			if len(d.Providers) > 0 {
				a.Providers = string(providers)
			}
		})
		if err != nil {
			return nil, err
		}
	}

	profile, err := s.Profile(ctx, scope, made, "")
	if err != nil {
		return nil, err
	}
	return profile, s.AddAccounts(ctx, scope, profile)
}

// providers returns Account.Providers: the ids at the vendors, and the union ids by which logins find the user.
func (d Draft) providers() map[string]any {
	all := map[string]any{}
	for vendor, ids := range d.Providers {
		all[vendor] = ids
		if ids["unionid"] != "" {
			all[vendor+unionSuffix] = ids["unionid"]
		}
	}
	return all
}

// user validates a draft and returns the user to create.
func (d Draft) user(t table.Table) (n New, err error) {
	switch {
	case d.Username == "" && d.Phone == "" && d.Email == "" && len(d.Providers) == 0:
		return n, errs.Invalid("one of _username, _phone, _email and _provider is required")
	case d.Password != "" && d.Username == "" && d.Email == "":
		return n, errs.Invalid("_password needs _username or _email")
	}
	if err := checkProfile(t, d.Profile); err != nil {
		return n, err
	}

	n.Profile = maps.Clone(d.Profile)
	if n.Profile == nil {
		n.Profile = map[string]any{}
	}
	n.Profile["is_authorized"] = d.Authorized
	// With several vendors, the profile shows the ids of the first by name.
	for _, vendor := range slices.Sorted(maps.Keys(d.Providers)) {
		ids := d.Providers[vendor]
		if ids["openid"] == "" {
			return n, errs.Invalid("_provider.%s.openid is required", clip.Text(vendor, clip.Name))
		}
		if n.Profile["openid"] == nil {
			n.Profile["openid"] = ids["openid"]
			if ids["unionid"] != "" {
				n.Profile["unionid"] = ids["unionid"]
			}
		}
	}

	for _, field := range []struct {
		given string
		edit  *Edit
	}{
		{d.Username, &n.Account.Username}, {d.Phone, &n.Account.Phone}, {d.Email, &n.Account.Email},
		{d.Password, &n.Account.NewPassword},
	} {
		if field.given != "" {
			*field.edit = To(field.given)
		}
	}
	return n, nil
}

// checkProfile returns an error for all read-only or unknown fields and all values of the wrong type together (F16).
func checkProfile(t table.Table, profile map[string]any) error {
	var refused value.Refused
	for _, name := range slices.Sorted(maps.Keys(profile)) {
		c, known := t.Column(name)
		if !known || c.BuiltIn && !slices.Contains(editable, name) {
			refused.Add(name, "cannot be written", errs.Invalid("field %q is none that a user can be given", clip.Text(name, clip.Name)))
			continue
		}
		_, err := c.Convert(profile[name])
		refused.Add(name, c.Needs(), err)
	}
	return refused.Err()
}

// written returns which columns may be written: custom fields, and for functions also the editable built-in columns.
func written(t table.Table, byFunction bool) update.Writable {
	return func(name string) error {
		c, own := t.Column(name)
		if own && (!c.BuiltIn || byFunction && slices.Contains(editable, name)) {
			return nil
		}
		return errs.Invalid("field %q is built in and cannot be updated", name)
	}
}

// Delete deletes a user: from their groups, then the account with its unique names, the form ids and subscriptions, and
// the profile. A repeated call completes the rest. It returns errs.NotFound for an unknown user.
func (s *Service) Delete(ctx context.Context, scope tenant.Scope, id ID, origin table.Origin) error {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return err
	}
	row, err := s.Tables.Read(ctx, scope, t, id.Row())
	if err != nil {
		return err
	}

	if err := s.leaveGroups(ctx, scope, t, row); err != nil {
		return err
	}
	_, err = s.EditAccount(ctx, scope, id, func(a *Account) {
		*a = a.Emptied()
	})
	if err != nil {
		return err
	}
	if err := s.Accounts.DeleteConsents(ctx, scope, id); err != nil {
		return err
	}
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		row, err := s.Tables.Read(ctx, scope, t, id.Row())
		if err != nil {
			return err
		}
		if InGroups(row) { // joined meanwhile: the row changes, so the write conflicts
			if err := s.leaveGroups(ctx, scope, t, row); err != nil {
				return err
			}
		}
		return s.Tables.Rows.Write(ctx, scope, t, []table.Change{{Old: &row, Origin: origin}})[0]
	})
}

// InGroups reports whether the user of a profile is in a group. The groups count their members, so the profile of such a
// user may not be deleted or emptied.
func InGroups(row table.Row) bool {
	groups, _ := row.Fields[UserGroup].([]any)
	return len(groups) > 0
}

// LeaveGroups removes a user from all their groups.
func (s *Service) LeaveGroups(ctx context.Context, scope tenant.Scope, id ID) error {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return err
	}
	row, err := s.Tables.Read(ctx, scope, t, id.Row())
	if err != nil {
		return err
	}
	return s.leaveGroups(ctx, scope, t, row)
}

func (s *Service) leaveGroups(ctx context.Context, scope tenant.Scope, t table.Table, row table.Row) error {
	id := ID(row.ID.Number())
	groups, _ := row.Fields[UserGroup].([]any)
	for _, g := range groups {
		n, _ := g.(int64)
		err := s.moveAlone(ctx, scope, t, row.ID, Membership{Remove: true, Users: []ID{id}, Groups: []GroupID{GroupID(n)}})
		if errs.Is(err, errs.KindNotFound) { // a deleted group counts no members
			_, err = s.Tables.Update(ctx, scope, t, row.ID, leaving(t, GroupID(n)), table.Author{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AddAccounts adds login information to profiles, for functions: _username, _email, _phone, whether they are verified,
// and _provider.
func (s *Service) AddAccounts(ctx context.Context, scope tenant.Scope, profiles ...Profile) error {
	ids := make([]ID, len(profiles))
	for i, p := range profiles {
		n, _ := p["id"].(int64)
		ids[i] = ID(n)
	}
	accounts, err := s.Accounts.ManyAccounts(ctx, scope, ids)
	if err != nil {
		return err
	}
	for i, p := range profiles {
		a := accounts[ids[i]]
		p["_username"], p["_email"], p["_phone"] = a.Username, a.Email, a.Phone
		p["_email_verified"], p["_phone_verified"] = a.EmailVerified, a.PhoneVerified
		// A user without providers has an empty object, so that a function can read it without a null check.
		p["_provider"] = map[string]any{}
		if a.Providers != "" {
			p["_provider"] = json.RawMessage(a.Providers)
		}
	}
	return nil
}
