package overview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// trigger adds the figures of a trigger's actions.
func (s *Service) trigger(ctx context.Context, scope tenant.Scope, t trigger.Trigger, b *builder) error {
	runs, err := s.Runs.List(ctx, scope, t.ID, run.Filter{From: b.from, Actions: true}, sampledRuns)
	if err != nil {
		return err
	}
	var seen []run.Seen
	if t.Traces(b.from) { // it kept evaluations in this period, but perhaps not until now
		if seen, err = s.Seen.Seen(ctx, scope, t.ID, b.from, sampledSeen); err != nil {
			return err
		}
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	b.out.Sampled = b.out.Sampled || len(runs) == sampledRuns || len(seen) == sampledSeen
	b.watch(t, seen)
	ended, failed, why := 0, 0, ""
	for _, r := range runs {
		b.out.Actions[r.Status]++
		i, ok := b.hour(r.CreatedAt)
		if ok && !b.events[r.Event.ID] {
			b.events[r.Event.ID] = true
			b.out.Hours[i].Events++
		}
		if r.Status.Ended() && r.Status != run.Skipped {
			ended++
		}
		if r.Status != run.Failed {
			continue
		}
		failed++
		if ok {
			b.out.Hours[i].FailedActions++
		}
		if why == "" && r.Error != nil {
			why = clip.Text(r.Error.Type+": "+r.Error.Message, maxError)
		}
	}

	link := "trigger/" + strconv.FormatInt(int64(t.ID), 10)
	if t.Enabled && t.Broken != "" {
		b.advise(TriggerBroken, link, "trigger", t.Name, "error", t.Broken)
	}
	if failed >= fewFailures && failed*100 >= ended*failingPercent {
		b.advise(ActionsFail, link, "trigger", t.Name, "failed", fmt.Sprint(failed), "runs", fmt.Sprint(ended), "error", why)
	}
	if since := failingSince(t); !since.IsZero() {
		b.advise(ReceiverFails, link, "trigger", t.Name, "since", strconv.FormatInt(since.Unix(), 10))
	}
	return nil
}

// watch adds the evaluations of a trigger.
func (b *builder) watch(t trigger.Trigger, seen []run.Seen) {
	if t.Enabled {
		b.out.Evaluated.Of++
		if t.Traces(b.now) {
			b.out.Evaluated.Triggers++
		}
	}
	for _, one := range seen {
		b.out.Evaluated.Events += one.Seen
		b.out.Evaluated.Held += one.Held
		if i, ok := b.hour(one.At); ok {
			b.out.Hours[i].Evaluated += one.Seen
		}
	}
}

// failingSince returns when the longest-failing receiver began to fail, zero if none fails.
func failingSince(t trigger.Trigger) (since time.Time) {
	for _, f := range t.Failing {
		if !f.Since.IsZero() && (since.IsZero() || f.Since.Before(since)) {
			since = f.Since
		}
	}
	return since
}

// settings adds insights about settings that triggers need but that are missing.
func (s *Service) settings(ctx context.Context, scope tenant.Scope, all []trigger.Trigger, b *builder) error {
	needs := map[trigger.Setting]string{}  // name of a trigger that needs it, by setting
	sends := map[messaging.Vendor]string{} // name of a trigger that sends template messages, by vendor
	for _, t := range all {
		for _, a := range t.Actions {
			if t.Enabled {
				needs[a.Type.Definition().Needs] = t.Name
			}
			if m, ok := a.Settings.(*trigger.TemplateMessageSettings); ok && t.Enabled {
				sends[messaging.Vendor(m.Vendor)] = t.Name
			}
		}
	}

	if name, asked := needs[trigger.MailSetting]; asked {
		mail, err := s.Settings.Mail(ctx, scope)
		if err != nil {
			return err
		}
		if mail.Sender == "" {
			b.locked(func() { b.advise(MailNotSet, "setting/mail", "trigger", name) })
		}
	}
	if name, asked := needs[trigger.SMSSetting]; asked {
		sms, err := s.Settings.SMS(ctx, scope)
		if err != nil {
			return err
		}
		if !sms.Enabled {
			b.locked(func() { b.advise(SMSNotSet, "setting/sms", "trigger", name) })
		}
	}
	for vendor, name := range sends {
		switch err := s.Settings.CheckVendor(ctx, scope, vendor); {
		case errs.Is(err, errs.KindInvalid):
			b.locked(func() {
				b.advise(MessagesNotSet, "setting/messages", "trigger", name, "vendor", string(vendor))
			})
		case err != nil:
			return err
		}
	}
	return nil
}

func (b *builder) locked(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// Kind is the kind of an insight; the page has the sentence in the reader's language.
type Kind string

// The kinds with their parameters, most urgent first.
const (
	PaymentsRefused   Kind = "payments_refused"    // payments; payment: number of the newest one; error
	TriggerBroken     Kind = "trigger_broken"      // trigger; error: why it cannot fire, or what was disabled
	MailNotSet        Kind = "mail_not_set"        // trigger: the name of one that sends mails
	SMSNotSet         Kind = "sms_not_set"         // trigger: the name of one that sends SMS
	MessagesNotSet    Kind = "messages_not_set"    // trigger: the name of one that sends template messages; vendor
	ActionsFail       Kind = "actions_fail"        // trigger, failed, runs, error
	ReceiverFails     Kind = "receiver_fails"      // trigger, since: Unix seconds
	FunctionFails     Kind = "function_fails"      // function, failed, runs, error
	FunctionTimesOut  Kind = "function_times_out"  // function, timeouts
	NoSlots           Kind = "no_slots"            // function, runs
	RunsRejected      Kind = "runs_rejected"       // function, runs, error
	FunctionNearLimit Kind = "function_near_limit" // function, p95_ms, limit_ms
)

var order = []Kind{
	PaymentsRefused, TriggerBroken, MailNotSet, SMSNotSet, MessagesNotSet, ActionsFail, ReceiverFails, FunctionFails,
	FunctionTimesOut, NoSlots, RunsRejected, FunctionNearLimit,
}

// Thresholds of insights.
const (
	fewFailures    = 3
	failingPercent = 10
	nearLimit      = 0.8
)

// Insight is a problem that an administrator should look at.
type Insight struct {
	Kind Kind `json:"kind" schema:"InsightKind"`
	// The parameters of the message. A function has `function`, `failed`, `runs`, `error`, `timeouts`, `p95_ms`,
	// `limit_ms`; a trigger `trigger`, `failed`, `runs`, `error`, `since`, `vendor`; dead letters `payments`, and
	// `payment` and `error` of the newest one.
	Parameters map[string]string `json:"parameters"`
	Link       string            `json:"link"` // The page to solve the problem: function/<name>, trigger/<id>, setting/<kind> or dead-letter/<kind>.
}

// advise adds an insight; parameters alternates names and values.
func (b *builder) advise(kind Kind, link string, parameters ...string) {
	insight := Insight{Kind: kind, Parameters: map[string]string{}, Link: link}
	for i := 0; i+1 < len(parameters); i += 2 {
		insight.Parameters[parameters[i]] = parameters[i+1]
	}
	b.out.Insights = append(b.out.Insights, insight)
}

func compare(a, b Insight) int {
	return cmp.Or(slices.Index(order, a.Kind)-slices.Index(order, b.Kind), cmp.Compare(a.Link, b.Link))
}

// maxError is the maximum length of an error in a sentence, in characters.
const maxError = 200
