package overview_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/messaging"
	"minicloud/shared/overview"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

var (
	now   = time.Date(2026, 11, 22, 12, 30, 0, 0, time.UTC)
	scope = tenant.Scope{App: 7, Env: tenant.Production}
)

type functions struct{ cloudfunction.Store }

func (functions) List(
	_ context.Context, _ tenant.Scope, f cloudfunction.Filter, _ page.Request,
) (page.Page[cloudfunction.Function], error) {
	return page.Page[cloudfunction.Function]{Objects: []cloudfunction.Function{
		{ID: 1, Name: "good", Plan: sandbox.PlanFree}, {ID: 2, Name: "bad", Plan: sandbox.PlanFree},
		{ID: 3, Name: "idle", Plan: sandbox.PlanFree},
	}}, nil
}

func counted(at time.Time, status job.Status, n int) job.Counted {
	return job.Counted{At: at, Status: status, N: n}
}

// jobs: good ran 98 times, bad 2 times well and 3 times not, once too long.
type jobs struct{}

func (jobs) Ended(_ context.Context, s tenant.Scope, fn id.ID, from, to time.Time) ([]job.Counted, error) {
	if s != scope || !to.Equal(now) {
		return nil, fmt.Errorf("asked for %v to %v", s, to)
	}
	switch fn {
	case 1:
		return []job.Counted{counted(now.Add(-time.Hour), job.StatusFulfilled, 90), counted(now, job.StatusFulfilled, 8)}, nil
	case 2:
		return []job.Counted{
			counted(now, job.StatusFulfilled, 2), counted(now, job.StatusExecutionFailed, 3), counted(now, job.StatusDeadlineExceeded, 1),
			counted(now.Add(-3*time.Hour), job.StatusScheduleFailed, 1), // began before the first hour
		}, nil
	}
	return nil, nil
}

func (jobs) List(
	_ context.Context, _ tenant.Scope, fn id.ID, _ job.Filter, _ time.Time, req page.Request,
) (job.Listing, error) {
	var l job.Listing
	for i := range min(req.Limit, 50) {
		r := job.Record{
			ID: id.First(now.Add(-time.Minute)), Function: fn, Status: job.StatusFulfilled, Service: job.TimeSensitive,
			StartedAt: now, Execution: float64(i),
		}
		if fn == 1 {
			r.Execution = 4500
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
	return []job.Running{{Record: job.Record{Plan: sandbox.PlanFree}}, {Record: job.Record{Plan: sandbox.PlanPersonal}}}, nil
}

type triggers struct{ manage.Store }

func (triggers) Triggers(context.Context, tenant.Scope) ([]trigger.Trigger, error) {
	timer := &trigger.TimerCondition{Cron: "* * * * *"}
	mail := trigger.Action{ID: 1, Type: trigger.Email, Settings: &trigger.EmailSettings{}}
	return []trigger.Trigger{
		{ID: 5, Name: "mails", Enabled: true, Type: trigger.TypeTimer, Condition: timer, Actions: []trigger.Action{mail}},
		{
			ID: 6, Name: "stopped", Enabled: true, Type: trigger.TypeTimer, Condition: timer, Actions: []trigger.Action{mail},
			Stopped: trigger.Stopped{1: "its receiver is gone"}, Failing: map[trigger.ActionID]trigger.Failing{1: {Since: now}},
		},
	}, nil
}

type runs struct{ trigger.RunLog }

func (runs) List(
	_ context.Context, _ tenant.Scope, t trigger.ID, f trigger.RunFilter, limit int,
) (all []trigger.Run, err error) {
	if t == 6 {
		return nil, nil
	}
	for i := range 10 {
		r := trigger.Run{Status: trigger.RunSucceeded, CreatedAt: now, Event: trigger.Event{ID: fmt.Sprint(i / 2)}}
		if i < 4 {
			r.Status, r.Error = trigger.RunFailed, &trigger.RunError{Type: "refused", Message: "no"}
		}
		all = append(all, r)
	}
	return all, nil
}

type noMail struct {
	messaging.Store[messaging.Mail]
}

func (noMail) Setting(context.Context, tenant.Scope) (messaging.Kept[messaging.Mail], error) {
	return messaging.Kept[messaging.Mail]{}, errs.NotFound("there is none")
}

func TestOverview(t *testing.T) {
	s := &overview.Service{
		Functions: &cloudfunction.Service{Store: functions{}}, Jobs: jobs{}, Runs: runs{}, Clock: clock.Fixed(now),
		Triggers: &manage.Service{Store: triggers{}},
		Settings: &messaging.Settings{MailStore: noMail{}, Clock: clock.Fixed(now)},
	}
	o, err := s.Read(t.Context(), scope, 2)
	if err != nil {
		t.Fatal(err)
	}
	if o.Runs != 105 || o.Errors != 5 || o.Outcomes[job.StatusFulfilled] != 100 || o.Pending != 6 || !o.Sampled ||
		o.Slots[sandbox.PlanFree] != 1 || o.Events != 5 || o.Actions[trigger.RunFailed] != 4 || o.Cost <= 0 {
		t.Errorf("%+v", o)
	}
	if len(o.Hours) != 2 || o.Hours[0].Runs != 91 || o.Hours[1].Runs != 14 || o.Hours[1].Errors != 4 ||
		o.Hours[0].Errors != 1 || o.Hours[1].Events != 5 || o.Hours[1].Failed != 4 || !o.Hours[1].At.Equal(now.Truncate(time.Hour)) {
		t.Errorf("hours %+v", o.Hours)
	}
	bad, good, idle := o.Functions[0], o.Functions[1], o.Functions[2]
	if len(o.Functions) != 3 || bad.Name != "bad" || bad.Runs != 7 || bad.Errors() != 5 || bad.P95 != 47 ||
		good.Name != "good" || good.Runs != 98 || good.Errors() != 0 || idle.Runs != 0 || idle.Pending != 3 {
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
		{overview.TriggerBroken, "trigger/6", "error", "action 1 (email) was disabled: its receiver is gone; write enabled: true to enable it again"},
		{overview.ActionsFail, "trigger/5", "error", "refused: no"},
		{overview.ReceiverFails, "trigger/6", "trigger", "stopped"},
		{overview.MailNotSet, "setting/mail", "trigger", "stopped"},
		{overview.FunctionFails, "function/bad", "error", "TypeError: x is undefined"},
		{overview.FunctionTimesOut, "function/bad", "timeouts", "1"},
		{overview.NoSlots, "function/bad", "runs", "1"},
		{overview.FunctionNearLimit, "function/good", "p95_ms", "4500"},
	}
	if len(o.Insights) != len(want) {
		t.Fatalf("insights %+v", o.Insights)
	}
	for i, w := range want {
		if got := o.Insights[i]; got.Kind != w.kind || got.Link != w.link || got.Parameters[w.name] != w.text {
			t.Errorf("insight %d is %+v, want %+v", i, got, w)
		}
	}

	for _, hours := range []int{0, -1, overview.MaxHours + 1} {
		if _, err := s.Read(t.Context(), scope, hours); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%d hours: %v", hours, err)
		}
	}
}
