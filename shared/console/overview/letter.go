package overview

import (
	"context"
	"fmt"

	"minicloud/shared/clip"
	"minicloud/shared/tenant"
)

// letters adds the dead letters, and an insight about payments among them: their vendors got a success response and
// will not notify again. If the queues cannot be read, it adds neither.
func (s *Service) letters(ctx context.Context, scope tenant.Scope, b *builder) error {
	found, err := s.Letters.List(ctx, scope.App)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // the overview is useful without them
		s.Log.WarnContext(ctx, "the overview has no dead letters", "scope", scope.String(), "error", err.Error())
		return nil
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	b.out.Letters = found.Held
	payments, payment, why := 0, "", ""
	for _, l := range found.Letters { // newest first
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
