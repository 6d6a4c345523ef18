package email

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/trigger/action"
)

// Allowed is a Sender that first counts each mail, and passes on only what the application may send: from a sender that
// it has confirmed, within its budget, and not to suppressed addresses.
type Allowed struct {
	Allowance *allowance.Allowance
	Next      Sender
}

// Send returns the errors of allowance.TakeMail, and those of the next sender.
func (s *Allowed) Send(ctx context.Context, m Mail) (Receipt, error) {
	taken, err := s.Allowance.TakeMail(ctx, m.Scope.App, m.From, m.Budget, m.To)
	if err != nil {
		return Receipt{}, action.Unsent(err)
	}
	m.To = taken.To
	receipt, err := s.Next.Send(ctx, m)
	// A mail whose result is unknown may have been sent, so it stays counted.
	if err != nil && !errs.Is(err, errs.KindInternal) {
		taken.GiveBack(ctx)
	}
	receipt.Suppressed = taken.Suppressed
	return receipt, err
}
