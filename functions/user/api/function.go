package api

import (
	"encoding/json"
	"maps"
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/user"
	"minicloud/shared/value"
)

// createUser serves POST /dserve/v1/user/profile/ (BaaS.User.create).
func (g *Group) createUser(w http.ResponseWriter, r *http.Request) error {
	var raw json.RawMessage
	if err := httpapi.Decode(r, &raw); err != nil {
		return err
	}
	object, err := objectOf(raw)
	if err != nil {
		return err
	}
	var profile user.Profile
	err = httpapi.SkipBadFields(w, r, object, func(body map[string]any) error {
		draft, err := draftOf(body)
		if err == nil {
			profile, err = g.Users.CreateFrom(r.Context(), httpapi.ScopeOf(r), draft)
		}
		return err
	})
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, profile)
	return nil
}

func objectOf(raw json.RawMessage) (map[string]any, error) {
	decoded, err := value.Decode("the request body", raw)
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, errs.Invalid("the request body must be an object")
	}
	return object, nil
}

// draftOf reads a user: what begins with an underscore is how they log in, the rest their profile.
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

// updateUser serves PUT /dserve/v1/user/profile/:id/: endpoint 17 with fields of the platform.
func (g *Group) updateUser(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("id"))
	if err != nil {
		return err
	}
	origin, err := originOf(r)
	if err != nil {
		return err
	}
	var body json.RawMessage
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	object, err := objectOf(body)
	if err != nil {
		return err
	}

	var profile user.Profile
	err = httpapi.SkipBadFields(w, r, object, func(body map[string]any) error {
		text, err := json.Marshal(body)
		if err == nil {
			profile, err = g.Users.UpdateByFunction(r.Context(), httpapi.ScopeOf(r), id, text, origin)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := g.withAccounts(r, profile); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, profile)
	return nil
}

// updateUsers serves PUT /dserve/v1/user/profile/: endpoint 18 with fields of the platform, and without a limit all
// users that match.
func (g *Group) updateUsers(w http.ResponseWriter, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("limit") == "" {
		if q.Page.Offset != 0 || q.Page.After != "" {
			return errs.Invalid("offset and cursor need a limit: without one all users that match are changed")
		}
		q.Page.Limit = 0
	}
	origin, err := originOf(r)
	if err != nil {
		return err
	}
	var body json.RawMessage
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	object, err := objectOf(body)
	if err != nil {
		return err
	}
	return httpapi.SkipBadFields(w, r, object, func(body map[string]any) error {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		return g.updateMatching(w, r, user.BulkUpdate{Query: q, Body: text, Origin: origin, ByFunction: true})
	})
}

// deleteUser serves DELETE /dserve/v1/user/profile/:id/.
func (g *Group) deleteUser(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("id"))
	if err != nil {
		return err
	}
	origin, err := originOf(r)
	if err != nil {
		return err
	}
	if err := g.Users.Delete(r.Context(), httpapi.ScopeOf(r), id, origin); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}

// withAccounts adds to profiles how their users log in, where a function asks and has not named the fields it wants.
func (g *Group) withAccounts(r *http.Request, profiles ...user.Profile) error {
	if httpapi.CallerOf(r).Run == nil || r.URL.Query().Get("keys") != "" || len(profiles) == 0 {
		return nil
	}
	return g.Users.AddAccounts(r.Context(), httpapi.ScopeOf(r), profiles...)
}
