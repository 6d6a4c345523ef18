// Package send takes the messages that functions send to many: text messages, template messages and messages that
// users have subscribed to. It checks what is asked for and stores a run, which the worker of actions works on as it
// does on those of triggers: page after page, as fast as limits allow, each recipient once.
//
//	Service    checks, stores and asks for a run    send.go
//	To         who gets it                          recipient.go
//	SMS        a text message                       sms.go
//	Template   a template message                   template.go
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

// Settings knows in whose name an application writes; *messaging.Settings does.
type Settings interface {
	// SMS returns the setting of SMS, the zero one where there is none.
	SMS(ctx context.Context, scope tenant.Scope) (messaging.SMS, error)
	// CheckVendor returns errs.Invalid where nothing can be sent by a vendor.
	CheckVendor(ctx context.Context, scope tenant.Scope, v messaging.Vendor) error
}

// Users knows what a condition on users may say; *user.Service does.
type Users interface {
	// CheckWhere returns errs.Invalid for what is no condition on users.
	CheckWhere(ctx context.Context, scope tenant.Scope, where string) error
}

// Groups lists the groups of users; a user.GroupStore does.
type Groups interface {
	ListGroups(ctx context.Context, scope tenant.Scope) ([]user.Group, error)
}

// Quotas counts what the functions of one call have sent.
type Quotas interface {
	// Spend counts one thing more under a root call, unless there are most of them: then it is errs.TooMany.
	Spend(ctx context.Context, scope tenant.Scope, root id.ID, what string, most int) error
}

// Runs stores runs; a run.Store does.
type Runs interface {
	Start(ctx context.Context, r run.Run, limit trigger.Frequency, now time.Time) (run.Started, error)
}

// Service takes messages. One costs a read of the setting, a write each of the count and the run, and a message of the
// queue, however many get it; the names of groups are one query more, conditions on users a read of their columns.
type Service struct {
	Settings Settings
	Users    Users
	Groups   Groups
	// Phones returns a number as E.164, errs.Invalid for what is none: phone.Key.
	Phones func(number string) (string, error)
	Quotas Quotas
	Runs   Runs
	Queue  run.Queue
	Clock  clock.Clock
}

// maxAsked is how many messages of one kind a call may ask for, directly and through the functions it starts, as it
// may start 200 functions. Each may go to many.
const maxAsked = 200

// ask stores the run of an action and sends its message to a worker. A request that is repeated under its
// Idempotency-Key asks for the same run, which is worked on once.
func (s *Service) ask(ctx context.Context, scope tenant.Scope, root id.ID, what string, a trigger.Action) error {
	if err := s.Quotas.Spend(ctx, scope, root, what, maxAsked); err != nil {
		return err
	}

	now, name := s.Clock.Now(), writetoken.Of(ctx, "message")
	if r := writetoken.FromContext(ctx); r != nil {
		now = r.At
	} else {
		name = id.Hex(16) // nobody repeats it
	}
	r := run.NewRequest(scope, root, name, a, trace.FromContext(ctx), now)
	if _, err := s.Runs.Start(ctx, r, trigger.Frequency{}, now); err != nil {
		return fmt.Errorf("ask for a message: %w", err)
	}
	return s.Queue.Send(ctx, run.MessageOf(r.Ref(), scope), fmt.Sprint(int64(scope.App)), 0)
}

// refused makes of what a worker would write into a log an error of the request: nothing was sent.
func refused(err error) error {
	if f, ok := errors.AsType[*action.Failure](err); ok {
		return errs.Invalid("%s", f.Message)
	}
	return err
}
