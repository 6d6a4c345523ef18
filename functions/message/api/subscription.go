package api

import (
	"cmp"
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/messaging"
	"minicloud/shared/templatemessage"
	"minicloud/shared/user"
)

// addTicket serves POST /oserve/v3/user/:id/subscription/.
func (g *Group) addTicket(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("user"))
	if err != nil {
		return err
	}
	var body struct {
		Vendor           string `json:"vendor"`
		TemplateID       string `json:"template_id"`
		SubscriptionType string `json:"subscription_type"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	t := templatemessage.Ticket{User: id, Vendor: messaging.Vendor(body.Vendor), Template: body.TemplateID}
	left, err := g.Tickets.Add(r.Context(), httpapi.ScopeOf(r), t, cmp.Or(body.SubscriptionType, templatemessage.Once))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusCreated, struct {
		User       user.ID `json:"user"`
		Vendor     string  `json:"vendor"`
		TemplateID string  `json:"template_id"`
		Left       int     `json:"left"` // messages that the user has subscribed to
	}{id, body.Vendor, body.TemplateID, left})
	return nil
}

// countTickets serves GET /oserve/v3/user/:id/subscription/?template_id=: how many messages a user has subscribed to.
func (g *Group) countTickets(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("user"))
	if err != nil {
		return err
	}
	counts, err := g.Tickets.Count(r.Context(), httpapi.ScopeOf(r), id, r.URL.Query().Get("template_id"))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, counts)
	return nil
}
