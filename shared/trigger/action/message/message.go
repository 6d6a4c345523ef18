// Package message sends template messages (contract, Actions: Template message; G6).
//
//	Doer       settings, account and recipients of a run                message.go
//	sending    one attempt: pages of recipients, within the pace        sending.go
//	progress   the state of a run, and the counts of its messages       progress.go
package message

import (
	"context"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/user/consent"
)

// Held is the state of a claimed message.
type Held struct {
	State  action.ClaimState // WasSent or Unknown
	Round  int64             // of the claim
	SentAt time.Time         // for WasSent: when, to the second
}

// Claims stores the claims of messages.
type Claims interface {
	action.Claims
	// Held returns the claimed messages of a run to recipients from first to last, both inclusive, in the order of
	// their keys.
	Held(ctx context.Context, scope tenant.Scope, run, first, last string) (map[string]Held, error)
}

// Doer is the action.Doer of template messages. Each user gets a message of a run once: the message is claimed before
// its form id is spent and it is sent (D38). A message costs a query of the user's form ids and three writes: the
// claim, the form id, and the sent mark. An attempt also costs a read of the setting and one of the access token.
type Doer struct {
	Users    action.Users
	Accounts *templatemessage.Accounts
	FormIDs  *consent.FormIDs
	Tickets  consent.TicketStore
	Claims   Claims
	Clock    clock.Clock
}

// Do sends to all recipients, or to some and returns an unfinished result.
func (d *Doer) Do(ctx context.Context, w action.Work) (action.Result, error) {
	settings, err := action.Rendered[*trigger.TemplateMessageSettings](ctx, d.Users, w)
	if err != nil {
		return action.Result{}, err
	}
	account, err := d.Accounts.Open(ctx, w.Run.Scope, messaging.Vendor(settings.Vendor))
	if errs.Is(err, errs.KindNotFound) || errs.Is(err, errs.KindInvalid) {
		return action.Result{}, action.Permanent(action.NotConfigured, "%s", errs.Message(err))
	}
	if err != nil {
		return action.Result{}, err
	}

	s := &sending{
		Doer: d, account: account, settings: settings,
		Many: action.Many{Recipients: action.Recipients{Users: d.Users}, Work: w, Clock: d.Clock},
	}
	return s.all(ctx)
}
