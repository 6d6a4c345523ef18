package overview_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/console/overview"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
)

var (
	now   = time.Date(2026, 11, 22, 12, 30, 0, 0, time.UTC)
	scope = tenant.Scope{App: 7, Env: tenant.Production}
)

type functions struct{ cloudfunction.Store }

func (functions) List(
	_ context.Context, _ tenant.Scope, f cloudfunction.Filter, _ page.Request,
) (page.Page[cloudfunction.Function], error) {
	if !f.NoCode {
		return page.Page[cloudfunction.Function]{}, errors.New("code is not needed")
	}
	return page.Page[cloudfunction.Function]{Objects: []cloudfunction.Function{
		{ID: 1, Name: "good", Plan: sandbox.PlanFree}, {ID: 2, Name: "bad", Plan: sandbox.PlanFree},
		{ID: 3, Name: "idle", Plan: sandbox.PlanFree},
	}}, nil
}

func counted(at time.Time, status job.Status, n int) job.Counted {
	return job.Counted{At: at, Status: status, N: n}
}

// jobs is a fake Jobs: good ran 98 times; bad succeeded twice and failed three times, and one of its runs timed out.
type jobs struct{}

func (jobs) Ended(_ context.Context, s tenant.Scope, fn id.ID, from, to time.Time) ([]job.Counted, error) {
	if s != scope || !to.Equal(now) {
		return nil, fmt.Errorf("asked for %v to %v", s, to)
	}
	switch fn {
	case 1:
		return []job.Counted{
			counted(now.Add(-time.Hour), job.StatusFulfilled, 90), counted(now, job.StatusFulfilled, 7),
			counted(now, job.StatusExecutionRejected, 1),
		}, nil
	case 2:
		return []job.Counted{
			counted(now, job.StatusFulfilled, 2), counted(now, job.StatusExecutionFailed, 3), counted(now, job.StatusDeadlineExceeded, 1),
			counted(now.Add(-3*time.Hour), job.StatusScheduleFailed, 1), // began before the first hour
			counted(now, job.StatusExecutionRejected, 1),
		}, nil
	}
	return nil, nil
}

func (jobs) List(
	_ context.Context, _ tenant.Scope, fn id.ID, f job.Filter, _ time.Time, req page.Request,
) (job.Listing, error) {
	var l job.Listing
	if f.Status == job.StatusExecutionRejected { // older than the sample
		l.Objects = []job.Record{
			{Status: f.Status, Error: &sandbox.Error{Type: "RejectedError", Message: "the job was cancelled"}},
			{Status: f.Status, Error: &sandbox.Error{Type: "RejectedError", Message: "not approved"}},
		}
		if fn == 1 { // all of them were cancelled
			l.Objects = l.Objects[:1]
		}
		return l, nil
	}
	for i := range min(req.Limit, 50) {
		r := job.Record{
			ID: id.First(now.Add(-time.Minute)), Function: fn, Status: job.StatusFulfilled, Service: job.TimeSensitive,
			StartedAt: now, Execution: float64(i),
		}
		if fn == 1 {
			r.Execution = 4500
		}
		if fn == 2 && i == 1 {
			r.Status, r.Error = job.StatusDeadlineExceeded, &sandbox.Error{Type: "TimeoutError", Message: "it timed out"}
		}
		if fn == 2 && i == 3 {
			r.Status, r.Error = job.StatusExecutionFailed, &sandbox.Error{Type: "TypeError", Message: "x is undefined"}
		}
		l.Objects = append(l.Objects, r)
	}
	return l, nil
}

func (jobs) Pending(_ context.Context, _ tenant.Scope, fn id.ID, _ time.Time) ([]job.PendingJob, error) {
	return make([]job.PendingJob, fn), nil
}

func (jobs) Slots(_ context.Context, app tenant.AppID) ([]job.Running, error) {
	other := tenant.Scope{App: app, Env: "0123456789abcdef0123"}
	return []job.Running{
		{Record: job.Record{Plan: sandbox.PlanFree, Function: 3}, Scope: scope},
		{Record: job.Record{Plan: sandbox.PlanPersonal, Function: 3}, Scope: other},
	}, nil
}

type triggers struct{ manage.Store }

func (triggers) Triggers(context.Context, tenant.Scope) ([]trigger.Trigger, error) {
	timer := &trigger.TimerCondition{Cron: "* * * * *"}
	mail := trigger.Action{ID: 1, Type: trigger.Email, Settings: &trigger.EmailSettings{}}
	message := trigger.Action{ID: 2, Type: trigger.TemplateMessage, Settings: &trigger.TemplateMessageSettings{Vendor: "chat"}}
	hours := func(n int) int64 { return now.Add(time.Duration(n) * time.Hour).Unix() }
	return []trigger.Trigger{
		{
			ID: 5, Name: "mails", Enabled: true, Type: trigger.TypeTimer, Condition: timer,
			Actions: []trigger.Action{mail, message}, TraceUntil: hours(1),
		},
		{ID: 7, Name: "old", Type: trigger.TypeTimer, Condition: timer, Actions: []trigger.Action{mail}, TraceUntil: hours(-3)},
		{
			ID: 6, Name: "stopped", Enabled: true, Type: trigger.TypeTimer, Condition: timer, Actions: []trigger.Action{mail},
			Stopped: trigger.Stopped{1: "its receiver is gone"}, TraceUntil: hours(-1),
			Failing: map[trigger.ActionID]trigger.Failing{1: {Since: now}, 2: {Since: now.Add(-time.Minute)}},
		},
	}, nil
}

type runs struct{ run.Log }

func (runs) List(
	_ context.Context, _ tenant.Scope, t trigger.ID, f run.Filter, limit int,
) (all []run.Run, err error) {
	if t != 5 {
		return nil, nil
	}
	for i := range 10 {
		r := run.Run{Status: run.Succeeded, CreatedAt: now, Event: trigger.Event{ID: fmt.Sprint(i / 2)}}
		if i < 4 {
			r.Status, r.Error = run.Failed, &run.Error{Type: "refused", Message: "no"}
		}
		all = append(all, r)
	}
	return all, nil
}

// looked is a fake Evaluations: trigger 5 evaluated 4 events now and 3 an hour ago, trigger 6 one event.
type looked struct{}

func (looked) Seen(_ context.Context, _ tenant.Scope, t trigger.ID, since time.Time, _ int) ([]run.Seen, error) {
	if !since.Equal(now.Add(-time.Hour).Truncate(time.Hour)) {
		return nil, fmt.Errorf("asked since %v", since)
	}
	switch t {
	case 5:
		return []run.Seen{{At: now, Seen: 4, Held: 1}, {At: now.Add(-time.Hour), Seen: 3, Held: 2}}, nil
	case 6:
		return []run.Seen{{At: now, Seen: 1}}, nil
	}
	return nil, fmt.Errorf("trigger %d has kept nothing since", t)
}

type noVendor struct {
	messaging.Store[messaging.VendorSetting]
}

func (noVendor) Setting(context.Context, tenant.Scope) (messaging.Kept[messaging.VendorSetting], error) {
	return messaging.Kept[messaging.VendorSetting]{}, errs.NotFound("there is none")
}

type noMail struct {
	messaging.Store[messaging.Mail]
}

func (noMail) Setting(context.Context, tenant.Scope) (messaging.Kept[messaging.Mail], error) {
	return messaging.Kept[messaging.Mail]{}, errs.NotFound("there is none")
}

// letters is a fake Letters: two payments were refused, one of them in another environment, and one failed all its
// attempts.
type letters struct{}

func (letters) List(_ context.Context, app tenant.AppID, _ ...deadletter.Kind) (deadletter.Listing, error) {
	payment := deadletter.About{Event: "payment", Subject: "T1"}
	return deadletter.Listing{
		Held: []deadletter.Held{{Kind: deadletter.Events, Letters: 4}},
		Letters: []deadletter.Letter{
			{Scope: tenant.Scope{App: app, Env: "0123456789abcdef0123"}, About: payment, Reason: "another environment"},
			{Scope: scope, About: deadletter.About{Event: "file"}, Reason: "no payment"},
			{Scope: scope, About: payment, Reason: "currency_type is USD"},
			{Scope: scope, About: deadletter.About{Event: "payment", Subject: "T0"}, Tries: 20},
		},
	}, nil
}

// unread is a fake Letters whose queues cannot be read.
type unread struct{}

func (unread) List(context.Context, tenant.AppID, ...deadletter.Kind) (deadletter.Listing, error) {
	return deadletter.Listing{}, errs.Unavailable(0, "the queues do not answer")
}

// TestOverviewWithoutDeadLetters: if the queues cannot be read, only their part of the overview is missing.
func TestOverviewWithoutDeadLetters(t *testing.T) {
	s := service()
	s.Letters = unread{}
	o, err := s.Read(t.Context(), scope, 2)
	if err != nil || o.Letters != nil || o.Runs == 0 {
		t.Errorf("%d runs, letters %v, %v", o.Runs, o.Letters, err)
	}
	if _, all := service().Read(t.Context(), scope, 2); all != nil {
		t.Error(all)
	}

	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := s.Read(gone, scope, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("for a caller who has gone: %v", err)
	}
}

// service returns a service with the fakes of this file.
func service() *overview.Service {
	return &overview.Service{
		Log:       slog.New(slog.DiscardHandler),
		Letters:   letters{},
		Functions: &cloudfunction.Service{Store: functions{}}, Jobs: jobs{}, Runs: runs{}, Seen: looked{},
		Clock:    clock.Fixed(now),
		Triggers: &manage.Service{Store: triggers{}},
		Settings: &messaging.Settings{
			MailStore: noMail{}, Clock: clock.Fixed(now),
			VendorStores: map[messaging.Vendor]messaging.Store[messaging.VendorSetting]{messaging.Chat: noVendor{}},
		},
	}
}

func TestOverview(t *testing.T) {
	o, err := service().Read(t.Context(), scope, 2)
	if err != nil {
		t.Fatal(err)
	}
	if o.Runs != 106 || o.Errors != 7 || o.Outcomes[job.StatusFulfilled] != 99 || o.Pending != 6 || !o.Sampled ||
		o.Slots[0].Plan != sandbox.PlanFree || o.Slots[0].Used != 1 || o.Events != 5 || o.Actions[run.Failed] != 4 || o.Cost <= 0 {
		t.Errorf("%+v", o)
	}
	if seen := o.Evaluated; seen.Events != 8 || seen.Held != 3 || seen.Of != 2 || seen.Triggers != 1 ||
		o.Hours[0].Evaluated != 3 || o.Hours[1].Evaluated != 5 {
		t.Errorf("looked at %+v; %+v", seen, o.Hours)
	}
	if len(o.Hours) != 2 || o.Hours[0].Runs != 91 || o.Hours[1].Runs != 15 || o.Hours[1].Errors != 6 ||
		o.Hours[0].Errors != 1 || o.Hours[1].Events != 5 || o.Hours[1].FailedActions != 4 ||
		o.Hours[1].At != now.Truncate(time.Hour).Unix() {
		t.Errorf("hours %+v", o.Hours)
	}
	bad, good, idle := o.Functions[0], o.Functions[1], o.Functions[2]
	if len(o.Functions) != 3 || bad.Name != "bad" || bad.Runs != 8 || bad.Errors() != 6 || bad.P95 != 47 ||
		good.Name != "good" || good.Runs != 98 || good.Errors() != 1 || idle.Runs != 0 || idle.Pending != 3 || idle.Running != 1 {
		t.Errorf("functions %+v", o.Functions)
	}
	if o.Latency.Runs != 100 || o.Latency.P50 != 49 || o.Latency.P95 != 4500 {
		t.Errorf("latency %+v", o.Latency)
	}

	want := []struct {
		kind overview.Kind
		link string
		name string
		text string
	}{
		{overview.PaymentsRefused, "dead-letter/event", "error", "currency_type is USD"},
		{overview.TriggerBroken, "trigger/6", "error", "action 1 (email) was disabled: its receiver is gone; write enabled: true to enable it again"},
		{overview.MailNotSet, "setting/mail", "trigger", "stopped"},
		{overview.MessagesNotSet, "setting/messages", "vendor", "chat"},
		{overview.ActionsFail, "trigger/5", "error", "refused: no"},
		{overview.ReceiverFails, "trigger/6", "since", fmt.Sprint(now.Add(-time.Minute).Unix())},
		{overview.FunctionFails, "function/bad", "error", "TypeError: x is undefined"},
		{overview.FunctionTimesOut, "function/bad", "timeouts", "1"},
		{overview.NoSlots, "function/bad", "runs", "1"},
		{overview.RunsRejected, "function/bad", "error", "RejectedError: not approved"},
		{overview.FunctionNearLimit, "function/good", "p95_ms", "4500"},
	}
	if len(o.Insights) != len(want) {
		t.Fatalf("insights %+v", o.Insights)
	}
	if got := o.Insights[0].Parameters; got["payments"] != "2" || got["payment"] != "T1" || len(o.Letters) != 1 || o.Letters[0].Letters != 4 {
		t.Errorf("%v, letters %+v", got, o.Letters)
	}
	for i, w := range want {
		if got := o.Insights[i]; got.Kind != w.kind || got.Link != w.link || got.Parameters[w.name] != w.text {
			t.Errorf("insight %d is %+v, want %+v", i, got, w)
		}
	}

	for _, hours := range []int{0, -1, overview.MaxHours + 1} {
		if _, err := service().Read(t.Context(), scope, hours); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%d hours: %v", hours, err)
		}
	}
}
