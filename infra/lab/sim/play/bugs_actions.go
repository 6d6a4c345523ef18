package play

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/sim"
	"minicloud/shared/bulk"
	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/job"
	"minicloud/shared/table"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/trigger/action/webhook"
)

// actionBugs are those of the work on actions.
var actionBugs = []Bug{
	// Nothing is done twice.
	{"a run is begun without a condition", "messages email", Ports{Rewrite: beginAnyway}},
	{"a worker that died counts as one that sent nothing", "messages email", Ports{Leases: leasing(nobodyDied)}},
	{"a mail of which nobody knows counts as not sent", "messages email", Ports{Mails: sureOfMails}},
	{"a text of which nobody knows is given back", "messages sms", Ports{Texts: sureOfTexts}},
	{
		"a text is claimed without a condition", "messages sms",
		Ports{Rewrite: withoutCondition("TriggerLogTable", "#message#")},
	},
	{"a number gets any number of texts", "hooks files sms", Ports{Claims: unlimitedNumbers}},
	{"rows are written without a mark", "messages rows table_operation", Ports{Rewrite: withoutMark}},
	{"a mark is written after its row", "messages rows table_operation", Ports{Marks: marking(rowsFirst, false)}},
	{"the place in a mark stays where it was", "messages rows table_operation", Ports{Marks: marking(sameCursor, true)}},
	{"a job is started without its token", "messages cloud_function", Ports{Jobs: untold}},
	{
		"a template message is claimed without a condition", "messages template_message",
		Ports{Rewrite: withoutCondition("TriggerLogTable", "#message#"), Messages: nobodyHeld},
	},
	{
		"a form id is spent without a condition", "messages template_message",
		Ports{Rewrite: withoutCondition("UsersTable", "form#")},
	},
	{
		"a template message of which nobody knows counts as not sent", "messages template_message",
		Ports{Gateway: sureOfTemplates},
	},
	{"a webhook has a new id with each attempt", "messages webhook", Ports{Receivers: sending(newNames, nil)}},
	{"the rate of a webhook is not kept", "hooks webhook", Ports{Rates: anyRate}},

	// Nothing is lost.
	{"a run ends before its effect", "messages files", Ports{Leases: endedFirst}},
	{"what failed counts as done", "messages files email", Ports{Doer: alwaysWell}},
	{"a mark is written before its row", "messages rows table_operation", Ports{Marks: marking(markFirst, false)}},
	{"a message is acknowledged before its run has ended", "messages files", Ports{Run: inTheBackground}},
	{"a batch of messages is acknowledged whole", "messages files", Ports{Run: workedOn}},
	{"a page of recipients forgets one", "messages template_message", Ports{Recipients: oneForgotten}},
	{"a claim does not say of which run", "files hooks sms", Ports{Claims: anyRun}},
	{"who has to wait is not asked again", "messages webhook", Ports{Again: atOnceOnly}},
	{"who waits for longer than a queue holds is forgotten", "messages webhook flows", Ports{Wakes: noPlans}},

	// Everything is told apart.
	{"runs are asked for again in the name of another", "messages files webhook", Ports{Again: lastTenant}},
	{"the depth of what an action does is not carried", "rows hooks webhook", Ports{Doer: shallow}},
	{"a step of a loop counts twice", "loops", Ports{Doer: deeper}},
	{"an action of a disabled trigger is done", "messages rows flows", Ports{Owned: allEnabled}},

	// Receivers, and flow controls.
	{"Retry-After is ignored", "messages webhook", Ports{Receivers: sending(nil, impatient)}},
	{"a receiver that is gone is tried again", "messages rows webhook", Ports{Receivers: sending(nil, notGone)}},
	{"an ordered run overtakes those before it", "rows messages flows", Ports{Rewrite: lastFirst}},
	{"the last event of a burst is forgotten", "messages rows flows", Ports{Leases: leasing(nil, forgetLast)}},
	{"an event is twice in its batch", "messages flows", Ports{Leases: leasing(countedTwice)}},
	{"an event is left out of its batch", "messages flows", Ports{Leases: leasing(leftOut)}},
	{"each run has a throttle of its own", "messages flows", Ports{Runs: ownKeys}},
}

// leases work on runs with a mistake.
type leases struct {
	trigger.Leases
	changes []func(b *trigger.Beginning)
	ends    bool // right when they begin
}

// leasing changes what comes of asking for a run.
func leasing(changes ...func(b *trigger.Beginning)) func(trigger.Leases) trigger.Leases {
	return func(real trigger.Leases) trigger.Leases { return leases{real, changes, false} }
}

func endedFirst(real trigger.Leases) trigger.Leases { return leases{real, nil, true} }

// Begin implements trigger.Leases.
func (l leases) Begin(
	ctx context.Context, scope scopes.Scope, ref trigger.Ref, lease trigger.Lease, now time.Time,
) (trigger.Beginning, error) {
	b, err := l.Leases.Begin(ctx, scope, ref, lease, now)
	if err != nil || b.Standing != trigger.Begun {
		return b, err
	}
	for _, change := range l.changes {
		if change != nil {
			change(&b)
		}
	}
	if b.Run.Status == trigger.RunSkipped || l.ends {
		r := b.Run
		if l.ends {
			r.Status, r.HasDone = trigger.RunSucceeded, true
		}
		r.FinishedAt = now
		if err := l.Leases.End(ctx, r, lease.Owner); err != nil {
			return b, err
		}
	}
	if b.Run.Status == trigger.RunSkipped {
		b.Standing = trigger.Over
	}
	return b, nil
}

// End implements trigger.Leases.
func (l leases) End(ctx context.Context, r trigger.Run, owner string) error {
	if l.ends {
		return nil
	}
	return l.Leases.End(ctx, r, owner)
}

func nobodyDied(b *trigger.Beginning) { b.Run.Lost = time.Time{} }

func forgetLast(b *trigger.Beginning) {
	if b.Run.Flow != nil && b.Run.Flow.Flow.DebounceSeconds > 0 {
		b.Run.Status, b.Run.Error = trigger.RunSkipped, &trigger.RunError{Type: trigger.SkippedDebounced}
	}
}

func countedTwice(b *trigger.Beginning) {
	if len(b.Events) > 1 {
		b.Events = append(b.Events, b.Events[0])
	}
}

func leftOut(b *trigger.Beginning) {
	if len(b.Events) > 1 {
		b.Events = b.Events[1:]
	}
}

// beginAnyway begins runs whoever has them.
func beginAnyway(_, operation string, request map[string]any) {
	update, _ := request["UpdateExpression"].(string)
	if condition, ok := request["ConditionExpression"].(string); ok && operation == "UpdateItem" &&
		strings.Contains(update, "tries = if_not_exists") {
		delete(request, "ConditionExpression")
		dropUnused(request, condition)
	}
}

// lastFirst takes the last of an order for the first.
func lastFirst(_, operation string, request map[string]any) {
	values := asMap(request["ExpressionAttributeValues"])
	if operation == "Query" && strings.Contains(text(values, ":pk"), "#flow#") {
		request["ScanIndexForward"] = false
	}
}

// withoutMark drops the mark of a transaction.
func withoutMark(_, _ string, request map[string]any) {
	parts, _ := request["TransactItems"].([]any)
	var kept []any
	for _, p := range parts {
		if put := asMap(asMap(p)["Put"]); put == nil || !strings.Contains(keyed(put), "#mark#") {
			kept = append(kept, p)
		}
	}
	if parts != nil {
		request["TransactItems"] = kept
	}
}

// mails and texts turn what nobody knows into what was not sent.
type (
	mails struct{ email.Sender }
	texts struct{ sms.Sender }
)

func sureOfMails(real email.Sender) email.Sender { return mails{real} }
func sureOfTexts(real sms.Sender) sms.Sender     { return texts{real} }

func sure(err error) error {
	if err != nil && errs.Is(err, errs.KindInternal) {
		return errs.Unavailable(1, "it was not sent")
	}
	return err
}

// Send implements email.Sender.
func (s mails) Send(ctx context.Context, m email.Mail) (string, error) {
	id, err := s.Sender.Send(ctx, m)
	return id, sure(err)
}

// Send implements sms.Sender.
func (s texts) Send(ctx context.Context, number, text string) error {
	return sure(s.Sender.Send(ctx, number, text))
}

// claims remember messages with a mistake.
type claims struct {
	sms.Claims
	anyRun, anyNumber bool
}

func anyRun(real sms.Claims) sms.Claims           { return claims{real, true, false} }
func unlimitedNumbers(real sms.Claims) sms.Claims { return claims{real, false, true} }

// ClaimNumber implements sms.Claims.
func (c claims) ClaimNumber(
	ctx context.Context, scope scopes.Scope, of action.Claim, limit func(sent []time.Time) time.Duration,
) (action.ClaimState, time.Duration, error) {
	if c.anyRun {
		of.Run = "any"
	}
	if c.anyNumber {
		limit = func([]time.Time) time.Duration { return 0 }
	}
	return c.Claims.ClaimNumber(ctx, scope, of, limit)
}

// marks are written with a mistake.
type marks struct {
	action.Marks
	advance advance
}

// advance is bulk.Marks.Advance.
type advance func(
	ctx context.Context, scope scopes.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
) (map[int]error, map[int]*bulk.Moved, error)

// Advance implements bulk.Marks.
func (m marks) Advance(
	ctx context.Context, scope scopes.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
) (map[int]error, map[int]*bulk.Moved, error) {
	return m.advance(ctx, scope, t, changes, steps)
}

// marking writes the marks of new rows with a mistake, or, with changed, those of rows that are changed.
func marking(how func(real action.Marks) advance, changed bool) func(action.Marks) action.Marks {
	return func(real action.Marks) action.Marks {
		wrong := how(real)
		return marks{real, func(
			ctx context.Context, scope scopes.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
		) (map[int]error, map[int]*bulk.Moved, error) {
			if len(changes) == 0 || changed != (changes[0].Old != nil) {
				return real.Advance(ctx, scope, t, changes, steps)
			}
			return wrong(ctx, scope, t, changes, steps)
		}}
	}
}

// apart writes rows with a mark of nobody.
func apart(real action.Marks) advance {
	return func(
		ctx context.Context, scope scopes.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
	) (map[int]error, map[int]*bulk.Moved, error) {
		nobody := bulk.RunStep{
			Run: fmt.Sprintf("%s of nobody %d", steps[0].Run, time.Now().UnixNano()), Next: steps[0].Next,
		}
		nobody.Next.Revision = 1
		return real.Advance(ctx, scope, t, changes, []bulk.RunStep{nobody})
	}
}

func rowsFirst(real action.Marks) advance {
	return func(
		ctx context.Context, scope scopes.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
	) (map[int]error, map[int]*bulk.Moved, error) {
		refused, moved, err := apart(real)(ctx, scope, t, changes, steps)
		if err != nil || len(refused) > 0 || len(moved) > 0 {
			return refused, moved, err
		}
		return real.Advance(ctx, scope, t, nil, steps)
	}
}

func markFirst(real action.Marks) advance {
	return func(
		ctx context.Context, scope scopes.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
	) (map[int]error, map[int]*bulk.Moved, error) {
		refused, moved, err := real.Advance(ctx, scope, t, nil, steps)
		if err != nil || len(refused) > 0 || len(moved) > 0 {
			return refused, moved, err
		}
		return apart(real)(ctx, scope, t, changes, steps)
	}
}

func sameCursor(real action.Marks) advance {
	return func(
		ctx context.Context, scope scopes.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
	) (map[int]error, map[int]*bulk.Moved, error) {
		for i := range steps {
			steps[i].Next.Cursor = steps[i].Old.Cursor
		}
		return real.Advance(ctx, scope, t, changes, steps)
	}
}

// jobs are started without a token.
type jobs struct{ action.Jobs }

func untold(real action.Jobs) action.Jobs { return jobs{real} }

// Start implements action.Jobs.
func (j jobs) Start(
	ctx context.Context, scope scopes.Scope, name string, call job.Call, runAt time.Time,
) (job.Record, error) {
	call.Token = ""
	return j.Jobs.Start(ctx, scope, name, call, runAt)
}

// posts are requests, and answers, that were changed.
type posts struct {
	delivery.Sender
	request func(r *delivery.Request)
	answer  func(a *delivery.Answer)
}

func sending(request func(*delivery.Request), answer func(*delivery.Answer)) func(delivery.Sender) delivery.Sender {
	return func(real delivery.Sender) delivery.Sender { return posts{real, request, answer} }
}

// Send implements delivery.Sender.
func (p posts) Send(ctx context.Context, r delivery.Request) (delivery.Answer, error) {
	if p.request != nil {
		r.Headers = maps.Clone(r.Headers)
		p.request(&r)
	}
	a, err := p.Sender.Send(ctx, r)
	if p.answer != nil {
		p.answer(&a)
	}
	return a, err
}

func newNames(r *delivery.Request) {
	r.Headers["X-Service-Webhook-Action-Id"] += fmt.Sprint(" ", time.Now().UnixNano())
}

func impatient(a *delivery.Answer) { a.RetryAfter = 0 }

func notGone(a *delivery.Answer) {
	if a.Status == 410 {
		a.Status = 500
	}
}

// rates let everything through.
type rates struct{}

func anyRate(webhook.Rates) webhook.Rates { return rates{} }

// Take implements webhook.Rates.
func (rates) Take(
	context.Context, scopes.Scope, trigger.ID, trigger.ActionID, int, time.Time,
) (time.Duration, error) {
	return 0, nil
}

// doer changes the work, or what came of it.
type doer struct {
	action.Doer
	well  bool
	depth func(d int) int
}

func alwaysWell(real action.Doer) action.Doer { return doer{real, true, nil} }

func shallow(real action.Doer) action.Doer {
	return doer{real, false, func(int) int { return 0 }}
}

func deeper(real action.Doer) action.Doer {
	return doer{real, false, func(d int) int { return d + 1 }}
}

// Do implements action.Doer.
func (d doer) Do(ctx context.Context, w action.Work) (action.Result, error) {
	if d.depth != nil {
		w.Run.Event.Depth = d.depth(w.Run.Event.Depth)
	}
	r, err := d.Doer.Do(ctx, w)
	if d.well {
		err = nil
	}
	return r, err
}

// owned finds triggers that are all enabled.
type owned struct{ action.Triggers }

func allEnabled(real action.Triggers) action.Triggers { return owned{real} }

// Trigger implements action.Triggers.
func (o owned) Trigger(ctx context.Context, scope scopes.Scope, id trigger.ID) (trigger.Trigger, error) {
	t, err := o.Triggers.Trigger(ctx, scope, id)
	t.Enabled, t.Stopped = true, nil
	return t, err
}

// inTheBackground says of messages that they were worked on, and begins to.
func inTheBackground(real sim.SQSHandler) sim.SQSHandler {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		go func() { _, _ = real(ctx, e) }()
		return events.SQSEventResponse{}, nil
	}
}

// atOnceOnly forgets what is to come later.
func atOnceOnly(real trigger.Queue) trigger.Queue {
	return sender(func(ctx context.Context, m trigger.Message, group string, delay time.Duration) error {
		if delay > 0 {
			return nil
		}
		return real.Send(ctx, m, group, delay)
	})
}

// wakes plan nothing.
type wakes struct{ trigger.Wakes }

func noPlans(real trigger.Wakes) trigger.Wakes { return wakes{real} }

// Plan implements trigger.Wakes.
func (wakes) Plan(context.Context, trigger.Wake) error { return nil }

// ownKeys has runs share their flow controls with nobody.
func ownKeys(real trigger.Runs) trigger.Runs {
	s := runStore{Runs: real}
	s.start = func(ctx context.Context, r trigger.Run, limit trigger.Frequency, now time.Time) (trigger.Started, error) {
		if r.Flow != nil && r.Flow.Flow.Throttle != nil {
			flow := *r.Flow
			flow.Key += r.ID
			r.Flow = &flow
		}
		return real.Start(ctx, r, limit, now)
	}
	return s
}
