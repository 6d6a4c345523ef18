package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// FormID is a stored form id.
type FormID struct {
	User      user.ID          `json:"user"`
	Vendor    messaging.Vendor `json:"vendor" schema:"MessageVendor"`
	Kind      consent.Kind     `json:"kind" enum:"form,payment"`
	FormID    string           `json:"form_id"`
	Left      int              `json:"left" minimum:"0"` // The number of messages that the form id allows.
	ExpiresAt httpapi.Seconds  `json:"expires_at"`
}

type ofUser struct {
	User user.ID `path:"user"`
}

type newFormID struct {
	ofUser
	Vendor messaging.Vendor `json:"vendor" schema:"MessageVendor" required:"true"`
	Kind   consent.Kind     `json:"kind" enum:"form,payment" required:"true"`
	FormID string           `json:"form_id" minLength:"1" maxLength:"256" pattern:"^[!-~]+$" required:"true"`
}

// addFormID serves POST /oserve/v3/user/:id/form-id/. A repeated request returns the stored form id.
func (g *Group) addFormID(ctx context.Context, in newFormID) (FormID, error) {
	f, err := g.FormIDs.Add(ctx, httpapi.Scope(ctx), in.User, in.Vendor, in.Kind, in.FormID)
	return FormID{
		User: f.User, Vendor: f.Vendor, Kind: f.Kind, FormID: f.ID, Left: f.Left(),
		ExpiresAt: httpapi.Seconds(f.Expires.Unix()),
	}, err
}

// formIDCounts has, per vendor, the number of messages that form ids allow.
type formIDCounts struct {
	Chat byKind `json:"chat"`
	Alt  byKind `json:"alt"`
	Tpay byKind `json:"tpay"`
}

type byKind struct {
	Form    int `json:"form" minimum:"0"`
	Payment int `json:"payment" minimum:"0"`
}

// countFormIDs serves GET /oserve/v3/user/:id/form-id/: the number of messages that the user's form ids allow.
func (g *Group) countFormIDs(ctx context.Context, in ofUser) (formIDCounts, error) {
	counts, err := g.FormIDs.Count(ctx, httpapi.Scope(ctx), in.User)
	of := func(v messaging.Vendor) byKind {
		return byKind{counts[v][consent.Form], counts[v][consent.Payment]}
	}
	return formIDCounts{of(messaging.Chat), of(messaging.Alt), of(messaging.Tpay)}, err
}
