package api

import (
	"context"
	"encoding/json"
	"maps"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/legacywrite"
	"minicloud/shared/user"
)

type createUser struct {
	Body httpapi.Object `body:"NewUser"`
}

// createUser serves POST /dserve/v1/user/profile/ (BaaS.User.create).
func (g *Group) createUser(ctx context.Context, in createUser) (profile user.Profile, err error) {
	w, r := httpapi.Exchange(ctx)
	err = legacywrite.Skip(w, r, in.Body, func(body map[string]any) error {
		draft, err := draftOf(body)
		if err == nil {
			profile, err = g.Users.CreateFrom(ctx, httpapi.Scope(ctx), draft)
		}
		return err
	})
	return profile, err
}

// draftOf decodes a user: members that begin with an underscore are login fields, the others belong to the profile.
func draftOf(object map[string]any) (d user.Draft, err error) {
	d.Profile = maps.Clone(object)
	for _, field := range []struct {
		name string
		to   any
		want string
	}{
		{"_username", &d.Username, "a string"}, {"_phone", &d.Phone, "a string"}, {"_email", &d.Email, "a string"},
		{"_password", &d.Password, "a string"}, {"_phone_verified", &d.PhoneVerified, "a boolean"},
		{"_email_verified", &d.EmailVerified, "a boolean"}, {"is_authorized", &d.Authorized, "a boolean"},
		{"_provider", &d.Providers, "an object of {openid, unionid, user_id} by vendor, all strings"},
	} {
		given, there := object[field.name]
		delete(d.Profile, field.name)
		if !there || given == nil {
			continue
		}
		text, err := json.Marshal(given)
		if err != nil || json.Unmarshal(text, field.to) != nil {
			return d, errs.Invalid("%s must be %s", field.name, field.want)
		}
	}
	return d, nil
}

type updateByFunction struct {
	byID
	source
	Body httpapi.Object `body:"Update"`
}

// updateUser serves PUT /dserve/v1/user/profile/:id/: endpoint 17, but it may also set built-in fields.
func (g *Group) updateUser(ctx context.Context, in updateByFunction) (profile user.Profile, err error) {
	w, r := httpapi.Exchange(ctx)
	err = legacywrite.Skip(w, r, in.Body, func(body map[string]any) error {
		text, err := json.Marshal(body)
		if err == nil {
			profile, err = g.Users.Update(ctx, httpapi.Scope(ctx), in.ID, text, in.origin(ctx), true)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return profile, g.withAccounts(ctx, "", profile)
}

type updateUsers struct {
	selection
	source
	Body httpapi.Object `body:"Update"`
}

// updateUsers serves PUT /dserve/v1/user/profile/: endpoint 18, but it may also set built-in fields, and without a
// limit it updates all matching users.
func (g *Group) updateUsers(ctx context.Context, in updateUsers) (answer bulkAnswer, err error) {
	q := in.query(ctx)
	if in.Filters.Get("limit") == "" {
		if q.Page.Offset != 0 || q.Page.After != "" {
			return answer, errs.Invalid("offset and cursor need a limit: without one all users that match are changed")
		}
		// A limit of 0 updates all users that match.
		q.Page.Limit = 0
	}
	w, r := httpapi.Exchange(ctx)
	err = legacywrite.Skip(w, r, in.Body, func(body map[string]any) error {
		text, err := json.Marshal(body)
		if err == nil {
			answer, err = g.updateMatching(ctx, user.BulkUpdate{Query: q, Body: text, Origin: in.origin(ctx), ByFunction: true})
		}
		return err
	})
	return answer, err
}

type deleteUser struct {
	byID
	source
}

// deleteUser serves DELETE /dserve/v1/user/profile/:id/.
func (g *Group) deleteUser(ctx context.Context, in deleteUser) (none httpapi.None, err error) {
	return none, g.Users.Delete(ctx, httpapi.Scope(ctx), in.ID, in.origin(ctx))
}

// withAccounts adds the login fields to profiles if a function sent the request without keys.
func (g *Group) withAccounts(ctx context.Context, keys string, profiles ...user.Profile) error {
	if httpapi.From(ctx).Run == nil || keys != "" || len(profiles) == 0 {
		return nil
	}
	return g.Users.AddAccounts(ctx, httpapi.Scope(ctx), profiles...)
}
