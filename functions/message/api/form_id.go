package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/messaging"
	"minicloud/shared/templatemessage"
	"minicloud/shared/user"
)

// formIDView is a form id as it is kept.
type formIDView struct {
	User      user.ID `json:"user"`
	Vendor    string  `json:"vendor"`
	Kind      string  `json:"kind"`
	FormID    string  `json:"form_id"`
	Left      int     `json:"left"` // messages that it is good for
	ExpiresAt int64   `json:"expires_at"`
}

// addFormID serves POST /oserve/v3/user/:id/form-id/: a repetition is answered with what is kept.
func (g *Group) addFormID(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("user"))
	if err != nil {
		return err
	}
	var body struct {
		Vendor string `json:"vendor"`
		Kind   string `json:"kind"`
		FormID string `json:"form_id"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	f, err := g.FormIDs.Add(r.Context(), httpapi.ScopeOf(r), id, messaging.Vendor(body.Vendor),
		templatemessage.Kind(body.Kind), body.FormID)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusCreated, formIDView{
		User: f.User, Vendor: string(f.Vendor), Kind: string(f.Kind), FormID: f.ID, Left: f.Left(),
		ExpiresAt: f.Expires.Unix(),
	})
	return nil
}

// countFormIDs serves GET /oserve/v3/user/:id/form-id/: how many messages the user's form ids are good for.
func (g *Group) countFormIDs(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("user"))
	if err != nil {
		return err
	}
	counts, err := g.FormIDs.Count(r.Context(), httpapi.ScopeOf(r), id)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, counts)
	return nil
}
