// Package consumer handles the messages of the action queue. Each message names a run of a trigger's action.
package consumer

import (
	"context"
	"encoding/json"
	"log/slog"

	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/run"
)

// Executor executes runs; *action.Executor implements it.
type Executor interface {
	Handle(ctx context.Context, m run.Message) error
}

// Group adapts action.Executor to the action queue.
type Group struct {
	Actions Executor
	Dead    deadletter.Refuser
	Log     *slog.Logger
}

// Work executes the run that a message names. A message that is malformed, or names a run that does not exist, goes
// to the dead-letter queue with the reason.
func (g *Group) Work(ctx context.Context, body []byte) error {
	var m run.Message
	if err := json.Unmarshal(body, &m); err != nil {
		return g.refuse(ctx, "it is no message about a run: "+err.Error(), body)
	}
	if scope, err := tenant.Parse(m.Scope); err == nil {
		ctx = tenant.NewContext(ctx, scope)
	}

	err := g.Actions.Handle(ctx, m)
	if errs.Is(err, errs.KindInvalid) || errs.Is(err, errs.KindNotFound) {
		return g.refuse(ctx, errs.Message(err), body)
	}
	return err
}

func (g *Group) refuse(ctx context.Context, reason string, body []byte) error {
	g.Log.ErrorContext(ctx, "message refused", "reason", reason)
	return g.Dead.Refuse(ctx, lambdabatch.Application(body), reason, body)
}
