package message

import (
	"context"
	"errors"
	"fmt"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// subscribed sends to a user who has subscribed to the template, and spends one of the user's tickets. Without a ticket
// it sends as well: the vendor knows all subscriptions, the platform only the reported ones. An errs.Error means that
// nothing was sent and no ticket was spent.
func (s *sending) subscribed(ctx context.Context, u user.ID, person string) error {
	scope, name := s.Work.Run.Scope, s.Work.Run.ID
	ticket := consent.Ticket{
		User: u, Vendor: messaging.Vendor(s.settings.Vendor), Template: s.settings.TemplateID,
	}
	spent := s.Tickets.SpendTicket(ctx, scope, ticket, name)
	if spent != nil && !errs.Is(spent, errs.KindNotFound) {
		return action.Unsent(spent)
	}

	err := s.account.Send(ctx, s.message(person, ""))
	if spent != nil || err == nil || errs.Is(err, errs.KindInternal) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTime)
	defer cancel()
	back := s.Tickets.ReturnTicket
	if refusal, ok := errors.AsType[*templatemessage.Refusal](err); ok && refusal.Verdict == templatemessage.BadUser {
		back = s.void
	}
	if failed := back(ctx, scope, ticket, name); failed != nil {
		return fmt.Errorf("%w; and its ticket is spent: %w", err, failed)
	}
	return err
}

// void deletes the tickets of a user whose subscription the vendor does not know.
func (s *sending) void(ctx context.Context, scope tenant.Scope, t consent.Ticket, _ string) error {
	return s.Tickets.VoidTickets(ctx, scope, t)
}
