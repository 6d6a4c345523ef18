package api

import (
	"cmp"
	"context"
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// clientRoutes returns the endpoints of mini-programs (client API, 7).
func (g *Group) clientRoutes() []httpapi.Route {
	report := func(path string, call httpapi.Endpoint) httpapi.Route {
		return httpapi.Route{
			Method: http.MethodPost, Path: path, Access: httpapi.Client, Needs: httpapi.LoggedIn, Call: call,
			Status: http.StatusCreated,
		}
	}
	return []httpapi.Route{
		report("/hserve/v2.0/template-message-ticket", httpapi.Call(g.reportFormID)),
		report("/hserve/v2.0/template-message/event-report", httpapi.Call(g.reportOpening)),
		report("/hserve/v2.2/subscription-message/relationship-report", httpapi.Call(g.reportSubscriptions)),
	}
}

// caller returns the user of a session.
func caller(ctx context.Context) user.ID { return user.ID(httpapi.From(ctx).Subject().User) }

// onPlatform is the platform of a mini-program.
type onPlatform struct {
	Platform string `json:"platform" enum:"chat_miniapp,alt_miniapp,tpay_miniapp,qq_miniapp,"`
}

// vendor returns the vendor of the platform, chat without one.
func (p onPlatform) vendor() (messaging.Vendor, error) {
	switch p.Platform {
	case "", "chat_miniapp":
		return messaging.Chat, nil
	case "alt_miniapp":
		return messaging.Alt, nil
	case "tpay_miniapp", "qq_miniapp":
		return messaging.Tpay, nil
	}
	return "", errs.Invalid("platform must be one of chat_miniapp, alt_miniapp, tpay_miniapp")
}

type reportedFormID struct {
	onPlatform
	Type  string `json:"submission_type" enum:"form_id" required:"true"`
	Value string `json:"submission_value" minLength:"1" maxLength:"256" pattern:"^[!-~]+$" required:"true"`
}

// reportFormID serves POST /hserve/v2.0/template-message-ticket/. A repeated form id counts once (C34).
func (g *Group) reportFormID(ctx context.Context, in reportedFormID) (ok httpapi.OK, err error) {
	vendor, err := in.vendor()
	if err != nil {
		return ok, err
	}
	if in.Type != "form_id" {
		return ok, errs.Invalid("submission_type must be form_id")
	}
	_, err = g.FormIDs.Add(ctx, httpapi.Scope(ctx), caller(ctx), vendor, consent.Form, in.Value)
	// The other arguments are valid, so only the form id can be refused.
	if errs.Is(err, errs.KindInvalid) {
		err = errs.Invalid("submission_value must be the form id of a real device, 1 to 256 characters without spaces")
	}
	return httpapi.Done, err
}

type reportedOpening struct {
	onPlatform
	Stats string `json:"stats_id" minLength:"1" maxLength:"128" pattern:"^[!-~]+$" required:"true"`
}

// reportOpening serves POST /hserve/v2.0/template-message/event-report/: the user came by a message.
func (g *Group) reportOpening(ctx context.Context, in reportedOpening) (ok httpapi.OK, err error) {
	vendor, err := in.vendor()
	if err != nil {
		return ok, err
	}
	opening := consent.Opening{User: caller(ctx), Vendor: vendor, Stats: in.Stats}
	return httpapi.Done, g.Openings.Add(ctx, httpapi.Scope(ctx), opening)
}

type byStats struct {
	Stats string `path:"stats_id"`
}

type openings struct {
	Stats string `json:"stats_id"`
	perVendor
}

// perVendor has a number per vendor.
type perVendor struct {
	Chat int `json:"chat" minimum:"0"`
	Alt  int `json:"alt" minimum:"0"`
	Tpay int `json:"tpay" minimum:"0"`
}

func showCounts(of map[messaging.Vendor]int) perVendor {
	return perVendor{of[messaging.Chat], of[messaging.Alt], of[messaging.Tpay]}
}

// countOpenings serves GET /oserve/v3/message-opening/:stats_id/.
func (g *Group) countOpenings(ctx context.Context, in byStats) (openings, error) {
	counts, err := g.Openings.Count(ctx, httpapi.Scope(ctx), in.Stats)
	return openings{in.Stats, showCounts(counts)}, err
}

// maxReported is the maximum number of subscriptions of one report. A vendor asks the user for a few at a time.
const maxReported = 20

type reportedSubscriptions struct {
	onPlatform
	Subscriptions []reportedSubscription `json:"subscription" minItems:"1" maxItems:"20" required:"true"`
}

type reportedSubscription struct {
	TemplateID string `json:"template_id" minLength:"1" maxLength:"128" pattern:"^[!-~]+$" required:"true"`
	Type       string `json:"subscription_type" enum:"once,"`
}

// reportSubscriptions serves POST /hserve/v2.2/subscription-message/relationship-report/. All entries are checked before
// the first one counts.
func (g *Group) reportSubscriptions(ctx context.Context, in reportedSubscriptions) (ok httpapi.OK, err error) {
	vendor, err := in.vendor()
	if err != nil {
		return ok, err
	}
	if n := len(in.Subscriptions); n == 0 || n > maxReported {
		return ok, errs.Invalid("subscription must be a list of 1 to %d entries", maxReported)
	}
	tickets := make([]consent.Ticket, len(in.Subscriptions))
	for i, s := range in.Subscriptions {
		tickets[i] = consent.Ticket{User: caller(ctx), Vendor: vendor, Template: s.TemplateID}
		if err := tickets[i].Check(cmp.Or(s.Type, consent.Once)); err != nil {
			return ok, err
		}
	}
	for i, t := range tickets {
		// A repeated request finds the entries that its first try has counted, also two of one template.
		if _, err := g.Tickets.Add(writetoken.StepOf(ctx, i, "subscription"), httpapi.Scope(ctx), t, consent.Once); err != nil {
			return ok, err
		}
	}
	return httpapi.Done, nil
}
