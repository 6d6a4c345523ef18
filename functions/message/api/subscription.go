package api

import (
	"cmp"
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

type newSubscription struct {
	ofUser
	Vendor           messaging.Vendor `json:"vendor" enum:"chat,tpay" required:"true"`
	TemplateID       string           `json:"template_id" minLength:"1" maxLength:"128" pattern:"^[!-~]+$" required:"true"`
	SubscriptionType string           `json:"subscription_type" enum:"once,"`
}

type subscribed struct {
	User       user.ID          `json:"user"`
	Vendor     messaging.Vendor `json:"vendor"`
	TemplateID string           `json:"template_id"`
	Left       int              `json:"left" minimum:"1"` // The number of messages that the user has subscribed to.
}

// addTicket serves POST /oserve/v3/user/:id/subscription/.
func (g *Group) addTicket(ctx context.Context, in newSubscription) (subscribed, error) {
	t := consent.Ticket{User: in.User, Vendor: in.Vendor, Template: in.TemplateID}
	left, err := g.Tickets.Add(ctx, httpapi.Scope(ctx), t, cmp.Or(in.SubscriptionType, consent.Once))
	return subscribed{in.User, in.Vendor, in.TemplateID, left}, err
}

type subscriptions struct {
	ofUser
	TemplateID string `query:"template_id" maxLength:"128"` // Only messages of this template.
}

// countTickets serves GET /oserve/v3/user/:id/subscription/?template_id=: how many messages a user has subscribed to.
func (g *Group) countTickets(ctx context.Context, in subscriptions) (perVendor, error) {
	counts, err := g.Tickets.Count(ctx, httpapi.Scope(ctx), in.User, in.TemplateID)
	return showCounts(counts), err
}
