package sms

import (
	"context"
	"unicode/utf16"

	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/trigger/action"
)

// Budgeted is a Sender that first counts each message in the budget of its application, by the parts that are paid for.
type Budgeted struct {
	Allowance *allowance.Allowance
	Next      Sender
}

// Send returns errs.TooMany if the budget is used up, and the errors of the next sender.
func (s *Budgeted) Send(ctx context.Context, m Message) error {
	taken, err := s.Allowance.TakeText(ctx, m.Scope.App, Parts(m.Text), m.Budget)
	if err != nil {
		return action.Unsent(err)
	}
	err = s.Next.Send(ctx, m)
	// A message whose result is unknown may have been sent, so it stays counted.
	if err != nil && !errs.Is(err, errs.KindInternal) {
		taken.GiveBack(ctx)
	}
	return err
}

// Sizes of the parts of a message, in characters of GSM 03.38 and in UTF-16 units. Parts of a longer message carry a
// header that joins them.
const (
	gsmPart, gsmJoined   = 160, 153
	ucs2Part, ucs2Joined = 70, 67
)

// Parts returns the number of parts in which a text is sent. It counts ASCII as GSM 03.38 and everything else as UCS-2,
// which is at least the number that the service counts, except for the few ASCII characters that take two places.
func Parts(text string) int {
	units, one, joined := len(utf16.Encode([]rune(text))), gsmPart, gsmJoined
	for _, r := range text {
		if r > 127 {
			one, joined = ucs2Part, ucs2Joined
			break
		}
	}
	if units <= one {
		return 1
	}
	return (units + joined - 1) / joined
}
