// Package send accepts the messages that functions send to many recipients: text messages, template messages and
// subscribed messages. It checks the request and stores a run, which the worker of actions executes like the runs of
// triggers: page after page, within the rate limits, each recipient once.
//
//	Service    checks and stores a run, and sends its message    send.go
//	To         the recipients                                    recipient.go
//	SMS        a text message                                    sms.go
//	Template   a template message                                template.go
package send

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
)

// Settings reads the message settings of an application; *messaging.Settings implements it.
type Settings interface {
	// SMS returns the SMS setting, the zero value if it does not exist.
	SMS(ctx context.Context, scope tenant.Scope) (messaging.SMS, error)
	// CheckVendor returns errs.Invalid if nothing can be sent through a vendor.
	CheckVendor(ctx context.Context, scope tenant.Scope, v messaging.Vendor) error
}

// Users checks conditions on users; *user.Service implements it.
type Users interface {
	// CheckWhere returns errs.Invalid for an invalid condition on users.
	CheckWhere(ctx context.Context, scope tenant.Scope, where string) error
}

// Groups lists the groups of users; user.GroupStore implements it.
type Groups interface {
	ListGroups(ctx context.Context, scope tenant.Scope) ([]user.Group, error)
}

// Runs stores runs; run.Store implements it.
type Runs interface {
	Start(ctx context.Context, r run.Run, limit trigger.Frequency, now time.Time) (run.Started, error)
}

// Service accepts messages. A message costs a read of the setting, one write each for the count and the run, and one
// queue message, for any number of recipients. Group names cost one more query, conditions on users a read of the
// columns.
type Service struct {
	Settings Settings
	Users    Users
	Groups   Groups
	// Phones converts a number to E.164; it returns errs.Invalid for an invalid one. Production uses phone.Key.
	Phones func(number string) (string, error)
	Quotas action.Quotas
	Runs   Runs
	Queue  run.Queue
	Clock  clock.Clock
}

// maxAsked is the largest number of messages of one kind per call, including the functions that it starts: a call may
// also start 200 functions. Each message can have many recipients.
const maxAsked = 200

// ask stores the run of an action and sends its message to a worker. A request repeated under its Idempotency-Key
// stores the same run, which is executed once.
func (s *Service) ask(ctx context.Context, scope tenant.Scope, root id.ID, what string, a trigger.Action) error {
	if err := s.Quotas.Spend(ctx, scope, root, what, maxAsked); err != nil {
		return err
	}

	now, name := s.Clock.Now(), writetoken.Of(ctx, "message")
	if r := writetoken.FromContext(ctx); r != nil {
		now = r.At
	} else {
		name = id.Hex(16) // not a repeatable request
	}
	r := run.NewRequest(scope, root, name, a, trace.FromContext(ctx), now)
	if _, err := s.Runs.Start(ctx, r, trigger.Frequency{}, now); err != nil {
		return fmt.Errorf("ask for a message: %w", err)
	}
	return s.Queue.Send(ctx, 0, run.MessageOf(r.Ref(), scope))
}

// refused converts a failure, whose text is for the log of a run, to an error of the request: nothing was sent.
func refused(err error) error {
	if f, ok := errors.AsType[*action.Failure](err); ok {
		return errs.Invalid("%s", f.Message)
	}
	return err
}
