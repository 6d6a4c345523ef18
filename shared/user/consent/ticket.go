package consent

import (
	"context"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Ticket identifies the subscriptions of a user to the messages of a template: each allows one message. The vendor has
// the actual subscriptions; the platform stores those that the mini program has reported.
type Ticket struct {
	User     user.ID
	Vendor   messaging.Vendor
	Template string // the vendor's template id
}

// MaxTickets is the maximum count of a user's subscriptions to one template.
const MaxTickets = 1000

// keepTickets is how long unchanged subscriptions are stored.
const keepTickets = 365 * 24 * time.Hour

// TicketStore stores subscriptions.
type TicketStore interface {
	// AddTicket increments the count, up to MaxTickets, and returns it. A repeated name counts once.
	AddTicket(ctx context.Context, scope tenant.Scope, t Ticket, name string, expires time.Time) (int, error)
	// Tickets returns the counts by vendor, of one template, or of all if template is "".
	Tickets(
		ctx context.Context, scope tenant.Scope, u user.ID, template string, now time.Time,
	) (map[messaging.Vendor]int, error)
	// SpendTicket uses one subscription. It returns errs.NotFound if none is left. A repeated name uses one.
	SpendTicket(ctx context.Context, scope tenant.Scope, t Ticket, name string) error
	// ReturnTicket undoes SpendTicket of a message that was not sent.
	ReturnTicket(ctx context.Context, scope tenant.Scope, t Ticket, name string) error
	// VoidTickets deletes the subscriptions, because the vendor reports that the user has none.
	VoidTickets(ctx context.Context, scope tenant.Scope, t Ticket) error
}

// Tickets adds and counts subscriptions.
type Tickets struct {
	Store TicketStore
	Users user.Reader
	Clock clock.Clock
}

// subscribable are the vendors with message subscriptions.
var subscribable = map[messaging.Vendor]bool{messaging.Chat: true, messaging.Tpay: true}

// maxTemplate is the maximum length of a template's id, in bytes.
const maxTemplate = 128

// Once is the only type of subscription: for one message.
const Once = "once"

// Add counts a subscription that a user has just made and returns the count. It returns errs.Invalid, which names the
// invalid field, and errs.NotFound for an unknown user.
func (s *Tickets) Add(ctx context.Context, scope tenant.Scope, t Ticket, kind string) (int, error) {
	if err := t.Check(kind); err != nil {
		return 0, err
	}
	if _, err := s.Users.Profile(ctx, scope, t.User, "id"); err != nil {
		return 0, err
	}

	name := writetoken.Of(ctx, "ticket")
	if name == "" {
		name = id.Hex(8) // the request is not retried with the same name
	}
	return s.Store.AddTicket(ctx, scope, t, name, s.Clock.Now().Add(keepTickets))
}

// Check returns errs.Invalid, which names the invalid field, for a subscription that cannot be counted; kind is its type.
func (t Ticket) Check(kind string) error {
	switch {
	case !subscribable[t.Vendor]:
		return errs.Invalid("vendor must be one of chat, tpay")
	case kind != Once:
		return errs.Invalid("subscription_type must be once")
	}
	return checkText("template_id", t.Template, maxTemplate)
}

// Count returns the subscribed messages of a user by vendor, of one template, or of all if template is "". It returns
// errs.NotFound for an unknown user.
func (s *Tickets) Count(
	ctx context.Context, scope tenant.Scope, u user.ID, template string,
) (map[messaging.Vendor]int, error) {
	if template != "" {
		if err := checkText("template_id", template, maxTemplate); err != nil {
			return nil, err
		}
	}
	if _, err := s.Users.Profile(ctx, scope, u, "id"); err != nil {
		return nil, err
	}
	counts, err := s.Store.Tickets(ctx, scope, u, template, s.Clock.Now())
	if err != nil {
		return nil, err
	}

	// The response lists every vendor, including those with 0.
	all := map[messaging.Vendor]int{}
	for _, v := range messaging.Vendors {
		all[v] = counts[v]
	}
	return all, nil
}
