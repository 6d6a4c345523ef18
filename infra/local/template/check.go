package template

import (
	"maps"
	"slices"
)

// check reports references to missing resources, routes of two functions, and configurations that AWS refuses or that
// have no effect.
func (b *builder) check() {
	queues, tables, routes := map[string]*Queue{}, map[string]*Table{}, map[string]string{}
	for _, q := range b.out.Queues {
		queues[q.Name] = q
	}
	for _, t := range b.out.Tables {
		tables[t.Name] = t
	}
	wantQueue := func(id, name string) {
		if name != "" && queues[name] == nil {
			b.fail(id, "there is no queue %s", name)
		}
	}

	for _, f := range b.out.Functions {
		b.checkRole(f)
		b.checkDeployment(f)
		for _, r := range f.Routes {
			if other, taken := routes[r.Key()]; taken {
				b.fail(f.ID, "the route %s is also %s's", r.Key(), other)
			}
			routes[r.Key()] = f.ID
		}
		if len(f.Routes) > 0 && f.PerTenant {
			b.fail(f.ID, "an HTTP API cannot call a function with TenancyConfig")
		}

		for _, e := range f.Queues {
			wantQueue(f.ID, e.Queue)
			if q := queues[e.Queue]; q != nil && q.Visibility < f.Timeout { // Lambda refuses such a mapping
				b.fail(f.ID, "the queue %s shows messages again after %v, before the function's timeout of %v", q.Name,
					q.Visibility, f.Timeout)
			}
		}
		for _, e := range f.Streams {
			wantQueue(f.ID, e.OnFailureQueue)
			isBucket := func(bucket *Bucket) bool { return bucket.Name == e.OnFailureBucket }
			if e.OnFailureBucket != "" && !slices.ContainsFunc(b.out.Buckets, isBucket) {
				b.fail(f.ID, "there is no bucket %s", e.OnFailureBucket)
			}
			if t := tables[e.Table]; t == nil || t.Stream == "" {
				b.fail(f.ID, "the table %s has no stream", e.Table)
			}
		}
	}

	for _, q := range b.out.Queues {
		wantQueue(q.ID, q.DeadQueue)
	}
	b.checkLoops()
	b.checkRules(wantQueue)
	b.checkDistributions()
	b.checkDestinations()
	b.checkAlarms()
}

// LogActions, QueueActions and StreamActions are the actions that Lambda performs with a function's role.
var (
	LogActions    = []string{"logs:CreateLogStream", "logs:PutLogEvents"}
	QueueActions  = []string{"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}
	StreamActions = []string{
		"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams",
	}
)

// checkRole sets the grants of the role that a function assumes. It reports missing grants that Lambda itself needs:
// AWS refuses the event source mapping, or silently drops the log.
func (b *builder) checkRole(f *Function) {
	grants, ours := b.roles[f.Role]
	if f.Role == "" {
		return
	}
	if !ours {
		b.fail(f.ID, "the role %s is not in this template", f.Role)
	}
	f.Grants = grants

	want := func(resource string, actions ...string) {
		for _, action := range actions {
			if !Allowed(grants, action, resource, "") {
				b.fail(f.ID, "its role does not allow %s on %s, which Lambda does for it", action, resource)
			}
		}
	}
	if f.LogGroup != "" {
		want(b.arn("logs", "log-group:"+f.LogGroup+":log-stream:any"), LogActions...)
	}
	for _, e := range f.Queues {
		want(b.arn("sqs", e.Queue), QueueActions...)
	}
	for _, e := range f.Streams {
		want(b.arn("dynamodb", "table/"+e.Table+"/stream/local"), StreamActions...)
		if e.OnFailureQueue != "" {
			want(b.arn("sqs", e.OnFailureQueue), "sqs:SendMessage")
		}
		if e.OnFailureBucket != "" {
			want(bucketPrefix+e.OnFailureBucket, "s3:ListBucket")
			want(bucketPrefix+e.OnFailureBucket+"/aws/lambda/any", "s3:PutObject")
		}
	}
}

func (b *builder) checkRules(wantQueue func(id, name string)) {
	for _, r := range b.out.Rules {
		if r.Bus != "default" && !slices.ContainsFunc(b.out.Buses, func(bus *Bus) bool { return bus.Name == r.Bus }) {
			b.fail(r.ID, "there is no event bus %s", r.Bus)
		}
		for _, t := range r.Targets {
			for _, queue := range []string{t.Queue, t.DeadQueue} {
				wantQueue(r.ID, queue)
				who := sender{b.arn("events", "rule/"+r.Name), b.arn("sqs", queue)}
				// Without the policy, the deployment succeeds and every event is lost.
				if queue != "" && !slices.Contains(b.senders, who) {
					b.fail(r.ID, "no AWS::SQS::QueuePolicy lets it send to %s", queue)
				}
			}
		}
	}
}

// checkAlarms reports alarms and graphs of resources that do not exist: CloudWatch accepts any name, and such an alarm
// never fires.
func (b *builder) checkAlarms() {
	there := map[string][]string{"QueueName": nil, "FunctionName": nil, "TableName": nil}
	for _, q := range b.out.Queues {
		there["QueueName"] = append(there["QueueName"], q.Name)
	}
	for _, f := range b.out.Functions {
		there["FunctionName"] = append(there["FunctionName"], f.Name)
	}
	for _, t := range b.out.Tables {
		there["TableName"] = append(there["TableName"], t.Name)
	}

	watched := slices.Clone(b.out.Alarms)
	for _, d := range b.out.Dashboards {
		for i := range d.Metrics {
			d.Metrics[i].ID = d.ID
			watched = append(watched, &d.Metrics[i])
		}
	}
	for _, a := range watched {
		for _, dimension := range slices.Sorted(maps.Keys(a.Dimensions)) {
			names, known := there[dimension]
			// The names of other dimensions are unknown here.
			if dimension == "Resource" {
				b.checkQualifier(a)
			}
			if name := a.Dimensions[dimension]; known && !slices.Contains(names, name) {
				b.fail(a.ID, "watches the %s %s, which is not in this template", dimension, name)
			}
		}
	}
}

// checkQualifier reports an alarm on a version or an alias that its function does not publish.
func (b *builder) checkQualifier(a *Alarm) {
	for _, f := range b.out.Functions {
		if want := f.Name + ":" + f.Alias; a.Dimensions["FunctionName"] == f.Name && a.Dimensions["Resource"] != want {
			b.fail(a.ID, "watches the Resource %s; its function's alias is %q", a.Dimensions["Resource"], f.Alias)
		}
	}
}

// checkLoops compares RecursiveLoop with the queues that functions send to. Lambda stops a chain of messages that
// returns to the same function after about 16 rounds, unless the function allows it. A function without such a loop
// must keep the protection.
func (b *builder) checkLoops() {
	for _, f := range b.out.Functions {
		switch loops := b.reaches(f, f, map[*Function]bool{}); {
		case loops && !f.Loops:
			b.fail(f.ID, "messages that it sends come back to it, so Lambda stops it after 16 rounds; "+
				"declare RecursiveLoop: Allow")
		case !loops && f.Loops:
			b.fail(f.ID, "RecursiveLoop: Allow, but no message that it sends comes back to it")
		}
	}
}

// reaches reports whether messages sent by from, directly or through other functions, reach to.
func (b *builder) reaches(from, to *Function, seen map[*Function]bool) bool {
	for _, next := range b.out.Functions {
		sends := slices.ContainsFunc(next.Queues, func(e QueueEvent) bool {
			return Allowed(from.Grants, "sqs:SendMessage", b.arn("sqs", e.Queue), "")
		})
		if !sends || seen[next] {
			continue
		}
		seen[next] = true
		if next == to || b.reaches(next, to, seen) {
			return true
		}
	}
	return false
}
