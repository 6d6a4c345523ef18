package template

import (
	"fmt"
	"strings"
)

// Bus is an event bus. "default" always exists.
type Bus struct{ ID, Name string }

// Rule sends events, or ticks of the clock, to targets.
type Rule struct {
	ID       string // logical id
	Name     string
	Bus      string
	Pattern  map[string]any // nil when it is scheduled
	Schedule string         // rate(…) or cron(…), "" when it has a pattern
	Disabled bool
	Targets  []Target
}

// Target is where a rule sends events: a function or a queue.
type Target struct {
	ID        string
	Function  string // name
	Queue     string // name
	Input     string // JSON sent instead of the event
	InputPath string
	DeadQueue string // name; "" = none
}

// Key is a KMS key.
type Key struct {
	ID      string // logical id, which is its key id locally
	Aliases []string
}

func (b *builder) bus(id, name string, s *section) {
	s.done("Name", "Description", "Tags", "LogConfig", "KmsKeyIdentifier")
	b.out.Buses = append(b.out.Buses, &Bus{ID: id, Name: name})
}

func (b *builder) rule(id, name string, s *section) {
	r := &Rule{
		ID: id, Name: name, Bus: busName(s.text("EventBusName", "default")), Schedule: s.text("ScheduleExpression", ""),
	}
	if s.has("EventPattern") {
		r.Pattern = s.pattern("EventPattern")
	}
	if (r.Pattern == nil) == (r.Schedule == "") {
		s.fail(s.value, "one of EventPattern and ScheduleExpression is needed")
	}
	if r.Schedule != "" {
		s.checkSchedule(r.Schedule)
	}

	r.Disabled = s.oneOf("State", "ENABLED", "DISABLED") == "DISABLED"
	for _, t := range s.each("Targets") {
		r.Targets = append(r.Targets, ruleTarget(t))
	}

	s.done("Name", "Description", "RoleArn", "Tags")
	b.out.Rules = append(b.out.Rules, r)
}

func ruleTarget(s *section) Target {
	t := Target{ID: s.required("Id"), Input: s.text("Input", ""), InputPath: s.text("InputPath", "")}
	if strings.HasPrefix(s.text("Arn", ""), "arn:aws:sqs:") {
		t.Queue = resourceName(s, "Arn", "sqs", "")
	} else {
		t.Function = resourceName(s, "Arn", "lambda", "function:")
	}
	if s.has("DeadLetterConfig") {
		dead := s.child("DeadLetterConfig")
		t.DeadQueue = resourceName(dead, "Arn", "sqs", "")
		dead.done()
	}
	s.done("RetryPolicy", "RoleArn")
	return t
}

func (b *builder) key(id, _ string, s *section) {
	s.oneOf("KeySpec", "SYMMETRIC_DEFAULT")
	s.oneOf("KeyUsage", "ENCRYPT_DECRYPT")
	s.done(
		"Description", "KeyPolicy", "EnableKeyRotation", "RotationPeriodInDays", "Enabled", "PendingWindowInDays", "Tags",
		"MultiRegion",
	)
	b.out.Keys = append(b.out.Keys, &Key{ID: id})
}

func (b *builder) alias(_, name string, s *section) {
	target := s.required("TargetKeyId")
	if _, id, ok := strings.Cut(target, ":key/"); ok {
		target = id
	}
	s.done("AliasName")
	for _, k := range b.out.Keys {
		if k.ID == target {
			k.Aliases = append(k.Aliases, name)
			return
		}
	}
	s.fail(s.value, "TargetKeyId %q is no key above it in this template", target)
}

// check sees that what refers to something refers to something that is there,
// and that no two routes are the same.
func (b *builder) check() {
	tables, queues, buses := map[string]*Table{}, map[string]*Queue{}, map[string]bool{"default": true}
	for _, t := range b.out.Tables {
		tables[t.Name] = t
	}

	for _, q := range b.out.Queues {
		queues[q.Name] = q
	}

	for _, bus := range b.out.Buses {
		buses[bus.Name] = true
	}

	b.checkReferences(queues)
	routes := map[string]string{}
	for _, f := range b.out.Functions {
		if grants, ours := b.roles[f.role]; ours {
			f.Grants = append(f.Grants, grants...)
		} else if f.role != "" {
			b.fail(fmt.Errorf("%s: the role %s is not in this template", f.ID, f.role))
		}

		for _, r := range f.Routes {
			if other, taken := routes[r.Key()]; taken {
				b.fail(fmt.Errorf("%s: the route %s is also %s's", f.ID, r.Key(), other))
			}
			routes[r.Key()] = f.ID
		}

		if len(f.Routes) > 0 && f.PerTenant {
			b.fail(fmt.Errorf("%s: an HTTP API cannot call a function with TenancyConfig", f.ID))
		}

		for _, e := range f.Queues {
			if q := queues[e.Queue]; q == nil {
				b.fail(fmt.Errorf("%s: there is no queue %s", f.ID, e.Queue))
			} else if q.Visibility < f.Timeout { // Lambda refuses such a mapping
				b.fail(fmt.Errorf(
					"%s: the queue %s shows messages again after %v, before the function's timeout of %v", f.ID, q.Name, q.Visibility,
					f.Timeout,
				))
			}
		}

		for _, e := range f.Streams {
			if t := tables[e.Table]; t == nil || t.Stream == "" {
				b.fail(fmt.Errorf("%s: the table %s has no stream", f.ID, e.Table))
			}
		}

		for _, p := range f.Patterns {
			if !buses[p.Bus] {
				b.fail(fmt.Errorf("%s: there is no event bus %s", f.ID, p.Bus))
			}
		}
	}

	b.checkLoops()
	for _, r := range b.out.Rules {
		if !buses[r.Bus] {
			b.fail(fmt.Errorf("%s: there is no event bus %s", r.ID, r.Bus))
		}
	}

	for _, q := range b.out.Queues {
		if q.DeadQueue != "" && queues[q.DeadQueue] == nil {
			b.fail(fmt.Errorf("%s: there is no queue %s", q.ID, q.DeadQueue))
		}
	}
}

// checkReferences sees that every queue and function that rules and failures
// lead to is there.
func (b *builder) checkReferences(queues map[string]*Queue) {
	functions := map[string]bool{"": true}
	for _, f := range b.out.Functions {
		functions[f.Name] = true
	}

	want := func(id, queue string) {
		if queue != "" && queues[queue] == nil {
			b.fail(fmt.Errorf("%s: there is no queue %s", id, queue))
		}
	}
	for _, f := range b.out.Functions {
		want(f.ID, f.Async.DeadQueue)
		for _, e := range f.Streams {
			want(f.ID, e.OnFailureQueue)
		}
		for _, e := range f.Patterns {
			want(f.ID, e.DeadQueue)
		}
	}

	for _, r := range b.out.Rules {
		b.checkSenders(r)
		for _, t := range r.Targets {
			want(r.ID, t.Queue)
			want(r.ID, t.DeadQueue)
			if !functions[t.Function] {
				b.fail(fmt.Errorf("%s: there is no function %s", r.ID, t.Function))
			}
		}
	}
}
