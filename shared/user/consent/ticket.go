package consent

import (
	"context"
	"strings"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Ticket names the subscriptions of a user to the messages of a template: each is good for one message. The vendor
// knows who has subscribed; what is kept here is what the mini program has reported.
type Ticket struct {
	User     user.ID
	Vendor   messaging.Vendor
	Template string // the vendor's id of it
}

// MaxTickets is how many subscriptions of a user to one template are counted.
const MaxTickets = 1000

// keepTickets is how long subscriptions are remembered of which nobody has heard since.
const keepTickets = 365 * 24 * time.Hour

// TicketStore remembers subscriptions.
type TicketStore interface {
	// AddTicket counts one more, up to MaxTickets, and returns how many there are. The same name counts once.
	AddTicket(ctx context.Context, scope tenant.Scope, t Ticket, name string, expires time.Time) (int, error)
	// Tickets returns how many there are for the messages of each vendor, of one template or of all where it is "".
	Tickets(
		ctx context.Context, scope tenant.Scope, u user.ID, template string, now time.Time,
	) (map[messaging.Vendor]int, error)
	// SpendTicket takes one, errs.NotFound where none is left. The same name takes one.
	SpendTicket(ctx context.Context, scope tenant.Scope, t Ticket, name string) error
	// ReturnTicket gives back what that name has taken: nothing was sent.
	ReturnTicket(ctx context.Context, scope tenant.Scope, t Ticket, name string) error
	// VoidTickets forgets them: the vendor says that the user has not subscribed.
	VoidTickets(ctx context.Context, scope tenant.Scope, t Ticket) error
}

// Tickets collects subscriptions.
type Tickets struct {
	Store TicketStore
	Users user.Reader
	Clock clock.Clock
}

// subscribable are the vendors whose users subscribe to messages.
var subscribable = map[messaging.Vendor]bool{messaging.Chat: true, messaging.Tpay: true}

// maxTemplate is the most bytes of a template's id.
const maxTemplate = 128

// Once is the only type of subscription that there is: for one message.
const Once = "once"

// Add counts a subscription that a user has just made, and returns how many there are. errs.Invalid names the field
// that is wrong, errs.NotFound says that there is no such user.
func (s *Tickets) Add(ctx context.Context, scope tenant.Scope, t Ticket, kind string) (int, error) {
	switch {
	case !subscribable[t.Vendor]:
		return 0, errs.Invalid("vendor must be one of chat, tpay")
	case kind != Once:
		return 0, errs.Invalid("subscription_type must be once")
	case t.Template == "":
		return 0, errs.Invalid("template_id must be 1 to %d characters without spaces", maxTemplate)
	}
	if err := checkTemplate(t.Template); err != nil {
		return 0, err
	}
	if _, err := s.Users.Profile(ctx, scope, t.User, "id"); err != nil {
		return 0, err
	}

	name := writetoken.Of(ctx, "ticket")
	if name == "" {
		name = id.Hex(8) // nobody repeats it
	}
	return s.Store.AddTicket(ctx, scope, t, name, s.Clock.Now().Add(keepTickets))
}

// Count returns how many messages users have subscribed to by vendor, of one template or, where it is "", of all.
// errs.NotFound for an unknown user.
func (s *Tickets) Count(
	ctx context.Context, scope tenant.Scope, u user.ID, template string,
) (map[messaging.Vendor]int, error) {
	if err := checkTemplate(template); err != nil {
		return nil, err
	}
	if _, err := s.Users.Profile(ctx, scope, u, "id"); err != nil {
		return nil, err
	}
	counts, err := s.Store.Tickets(ctx, scope, u, template, s.Clock.Now())
	if err != nil {
		return nil, err
	}

	// The response lists every vendor, also with 0.
	all := map[messaging.Vendor]int{}
	for _, v := range messaging.Vendors {
		all[v] = counts[v]
	}
	return all, nil
}

func checkTemplate(template string) error {
	if len(template) > maxTemplate || strings.ContainsFunc(template, notOfFormID) {
		return errs.Invalid("template_id must be 1 to %d characters without spaces", maxTemplate)
	}
	return nil
}
