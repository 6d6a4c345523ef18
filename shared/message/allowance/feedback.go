package allowance

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
)

// Complaint and Bounce are the kinds of feedback.
const (
	Bounce    = "bounce"
	Complaint = "complaint"
)

// Feedback says that a mail to one address bounced for good, or that its reader complained.
type Feedback struct {
	ID      string // the same for repeated deliveries
	Kind    string // Bounce or Complaint
	Sender  string // Key
	Address string // of the recipient, a Mailbox
	Reason  string // of the receiving server, "" if unknown
	At      time.Time
	// Counts means that it counts for the rate of the sender. A mail that the mail service itself held back does not.
	Counts bool
}

// Suppression is an address to which an application sends no mails.
type Suppression struct {
	Address string
	Kind    string // Bounce or Complaint
	Reason  string
	At      time.Time
}

// Limits of a sender. SES reviews an account at these rates; one sender must be closed before the account is. The least
// numbers keep a single bounce of a new shop from closing it.
const (
	maxBouncePercent      = 5
	leastBounces          = 10
	maxComplaintsPerMille = 1
	leastComplaints       = 3
)

// Record records feedback, and closes the sender whose rate reaches a limit. It may be called again for the same
// feedback. It returns errs.Invalid for an address that is none.
func (a *Allowance) Record(ctx context.Context, app tenant.AppID, f Feedback) error {
	mailbox, err := messaging.Mailbox(f.Address)
	if err != nil {
		return errs.Invalid("recipient %s", errs.Message(err))
	}
	f.Address = mailbox
	c, err := a.Store.Record(ctx, app, f)
	if err != nil {
		return err
	}

	reason := c.Sender.tooBad()
	if reason == "" || c.Sender.Status != Confirmed {
		return nil
	}
	err = a.Store.CloseSender(ctx, app, f.Sender, reason, a.Clock.Now())
	if errs.Is(err, errs.KindConflict) { // another feedback closed it
		return nil
	}
	return err
}

// tooBad returns why a sender must be closed, "" if it need not be.
func (r Reputation) tooBad() string {
	switch {
	case r.Bounced >= leastBounces && r.Bounced*100 >= r.Sent*maxBouncePercent:
		return fmt.Sprintf("%d of %d mails bounced; a sender is closed at %d %%", r.Bounced, r.Sent, maxBouncePercent)
	case r.Complained >= leastComplaints && r.Complained*1000 >= r.Sent*maxComplaintsPerMille:
		return fmt.Sprintf("readers of %d of %d mails complained; a sender is closed at 0.%d %%",
			r.Complained, r.Sent, maxComplaintsPerMille)
	}
	return ""
}
