package overview

import (
	"context"
	"fmt"

	"minicloud/shared/clip"
	"minicloud/shared/tenant"
)

// letters adds what was given up, and tells of payments among it: their vendors were answered with success and do not
// notify again. Where the queues cannot be read there are none of both.
func (s *Service) letters(ctx context.Context, scope tenant.Scope, b *builder) error {
	found, err := s.Letters.List(ctx, scope.App)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // the rest is worth being seen
		s.Log.WarnContext(ctx, "the overview has no dead letters", "scope", scope.String(), "error", err.Error())
		return nil
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	b.out.Letters = &found
	payments, payment, why := 0, "", ""
	for _, l := range found.Letters { // the newest first
		if l.Scope != scope || l.About.Event != "payment" {
			continue
		}
		if payments++; payments > 1 {
			continue
		}
		if payment, why = l.About.Subject, clip.Text(l.Reason, maxError); why == "" {
			why = fmt.Sprintf("failed after %d attempts", l.Tries)
		}
	}
	if payments > 0 {
		b.advise(PaymentsRefused, "dead-letter/event", "payments", fmt.Sprint(payments), "payment", payment, "error", why)
	}
	return nil
}
