package check

import (
	"maps"
	"slices"
	"time"

	"minicloud/infra/local/schedule"
	"minicloud/infra/local/template"
)

// Metrics of queues: the number of messages, and the age in seconds of the oldest.
const (
	waiting = "ApproximateNumberOfMessagesVisible"
	age     = "ApproximateAgeOfOldestMessage"
)

func tooHigh(a *template.Alarm) bool { return !a.Below }

// DeadLetters reports dead-letter queues without an alarm: nobody would notice their messages.
func DeadLetters(tmpl *template.Template) (problems findings) {
	dead := map[string]bool{}
	for _, q := range tmpl.Queues {
		dead[q.DeadQueue] = true
	}
	for _, f := range tmpl.Functions {
		for _, s := range f.Streams {
			dead[s.OnFailureQueue] = true
		}
	}

	for _, r := range tmpl.Rules {
		for _, target := range r.Targets {
			dead[target.DeadQueue] = true
		}
	}

	delete(dead, "") // of queues, streams and targets without a dead-letter queue
	for name := range dead {
		// A message that lies in a dead-letter queue grows old there.
		if watches(tmpl, waiting, "QueueName", name, tooHigh) || watches(tmpl, age, "QueueName", name, tooHigh) {
			delete(dead, name)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(dead)) {
		problems.add("template.yaml: what is given up goes to %s, but no alarm watches its %s or %s",
			name, waiting, age)
	}

	return problems
}

// watches reports whether an alarm watches the metric of one resource.
func watches(tmpl *template.Template, metric, dimension, name string, alarm func(*template.Alarm) bool) bool {
	return slices.ContainsFunc(tmpl.Alarms, func(a *template.Alarm) bool {
		return a.Watches(metric, dimension, name) && alarm(a)
	})
}

// Alarms reports silent failures without an alarm: programs that fail, find no capacity or are stopped in a loop, queues
// and streams that are not worked off, tables that refuse, a schedule of every minute that never runs. A schedule that
// never runs has no data, so its alarm must treat missing data as breaching.
func Alarms(tmpl *template.Template) (problems findings) {
	noneAtAll := func(a *template.Alarm) bool { return a.Below && a.Missing == "breaching" }
	want := func(metric, dimension, name string, alarm func(*template.Alarm) bool) {
		if !watches(tmpl, metric, dimension, name, alarm) {
			problems.add("template.yaml: no alarm watches the %s of %s", metric, name)
		}
	}
	for _, f := range tmpl.Functions {
		want("Throttles", "FunctionName", f.Name, tooHigh)
		want("Errors", "FunctionName", f.Name, tooHigh)
		want("RecursiveInvocationsDropped", "FunctionName", f.Name, tooHigh)
		if slices.ContainsFunc(f.Schedules, everyMinute) {
			want("Invocations", "FunctionName", f.Name, noneAtAll)
		}
		if len(f.Streams) > 0 {
			want("IteratorAge", "FunctionName", f.Name, tooHigh)
		}
		for _, q := range f.Queues {
			want(age, "QueueName", q.Queue, tooHigh)
		}
	}
	for _, t := range tmpl.Tables {
		want("ThrottledRequests", "TableName", t.Name, tooHigh)
		want("SystemErrors", "TableName", t.Name, tooHigh)
	}

	return problems
}

// Logs reports functions whose lines Lambda filters by another level than the program does, or that log the start and
// end of each invocation: three lines that say nothing and cost as much as the one that does.
func Logs(tmpl *template.Template, level string) (problems findings) {
	for _, f := range tmpl.Functions {
		if f.LogLevel != level || f.SystemLogLevel != "WARN" {
			problems.add("template.yaml: %s keeps lines from %q and those of Lambda from %q, want %q and WARN",
				f.Name, f.LogLevel, f.SystemLogLevel, level)
		}
	}
	return problems
}

func everyMinute(s template.ScheduleEvent) bool {
	expression, err := schedule.Parse(s.Expression)
	// A cron rule on the full minute runs as often as rate(1 minute).
	return err == nil && expression.EveryMinute() || s.Expression == "cron(* * * * ? *)"
}

// Schedules reports programs that run every minute and whose events Lambda or EventBridge retries after a failure or
// a lack of capacity. The next run is the retry; two concurrent runs would do all work twice.
func Schedules(tmpl *template.Template) (problems findings) {
	for _, f := range tmpl.Functions {
		for _, s := range f.Schedules {
			if !everyMinute(s) {
				continue
			}
			if f.Async.Retries > 0 || f.Async.MaxAge != time.Minute {
				problems.add("template.yaml: %s runs every minute, its EventInvokeConfig needs MaximumRetryAttempts: 0 and "+
					"MaximumEventAgeInSeconds: 60", f.Name)
			}
			if s.Retries > 0 || s.MaxAge != time.Minute {
				problems.add("template.yaml: %s runs every minute, the RetryPolicy of %s needs MaximumRetryAttempts: 0 and "+
					"MaximumEventAgeInSeconds: 60", f.Name, s.Name)
			}
		}
	}
	return problems
}

// Concurrency reports functions that execute code of others, or wait for it in the background, and may use all the
// concurrency of the account. limited is the template with SandboxConcurrency set; open is the template without it,
// for new accounts, which cannot reserve concurrency.
func Concurrency(open, limited *template.Template) (problems findings) {
	for i, f := range limited.Functions {
		if f.PerTenant && f.Reserved < 1 {
			problems.add("template.yaml: %s runs strangers' code, and SandboxConcurrency does not limit it", f.Name)
		}

		// AWS keeps 100 executions unreserved, and a new account has fewer in total.
		if open.Functions[i].Reserved >= 0 {
			problems.add("template.yaml: %s reserves concurrency by default, which a new account cannot", f.Name)
		}

		for _, q := range f.Queues {
			if invokes(f) && q.MaxConcurrency == 0 {
				problems.add("template.yaml: %s waits for strangers' code, its %s needs a MaximumConcurrency", f.Name, q.Queue)
			}
		}
	}

	return problems
}

// invokes reports whether a function may invoke others.
func invokes(f *template.Function) bool {
	return slices.ContainsFunc(
		f.Grants, func(g template.Grant) bool { return slices.Contains(g.Actions, "lambda:InvokeFunction") },
	)
}
