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

// subscribed sends to a user who has subscribed to the template, and spends a ticket of theirs. Where there is none it
// is sent all the same: the vendor knows who has subscribed, and we know what was reported to us. An errs.Error says
// that nothing was sent, and that no ticket was spent on it.
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

// void forgets what the vendor does not know of.
func (s *sending) void(ctx context.Context, scope tenant.Scope, t consent.Ticket, _ string) error {
	return s.Tickets.VoidTickets(ctx, scope, t)
}
