package template

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/pattern"
	"minicloud/infra/local/schedule"
	"minicloud/infra/local/template/monitor"
	"minicloud/infra/local/template/node"
)

// Route routes requests of the HTTP API to a function.
type Route struct {
	Method  string // upper case, or "ANY"
	Path    string // "/a/{id}/{proxy+}", or "$default"
	Timeout time.Duration
}

// Key returns the route in API Gateway's format: "ANY /a/{proxy+}".
func (r Route) Key() string {
	if r.Path == "$default" {
		return r.Path
	}
	return r.Method + " " + r.Path
}

// Batch holds the batching settings of an event source.
type Batch struct {
	Size          int
	Window        time.Duration
	Filters       []map[string]any // FilterCriteria patterns; any may match; none passes all
	PartialAnswer bool             // ReportBatchItemFailures
}

// QueueEvent is an event source mapping of a queue.
type QueueEvent struct {
	Batch
	Queue          string // queue name
	MaxConcurrency int    // 0 means no limit
}

// StreamEvent is an event source mapping of a table's stream.
type StreamEvent struct {
	Batch
	Name           string // name of the event, part of the checkpoint's key
	Table          string // table name
	FromStart      bool   // TRIM_HORIZON instead of LATEST
	Bisect         bool
	MaxRetries     int           // -1 means until the record expires
	MaxAge         time.Duration // 0 means no limit
	Parallel       int
	Tumbling       time.Duration // length of a tumbling window; 0 means no windows
	OnFailureQueue string        // queue name; "" drops the records, or keeps them in OnFailureBucket
	// OnFailureBucket is the name of the bucket that gets the records; a queue gets only their positions.
	OnFailureBucket string
}

// ScheduleEvent is a schedule that invokes a function.
type ScheduleEvent struct {
	Name       string
	Expression string // rate(…) or cron(…)
	// Retries and MaxAge apply if EventBridge cannot deliver the event. The local cloud always delivers; infra/check
	// reads them.
	Retries int
	MaxAge  time.Duration
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// event is an entry of a function's Events.
type event struct {
	Type       string    `yaml:"Type"`
	Properties yaml.Node `yaml:"Properties"`
}

func (b *builder) events(f *Function, all *yaml.Node) {
	for key, value := range node.Pairs(all) {
		var e event
		at := f.ID + ".Events." + key.Value
		b.decode(at, value, &e)
		switch e.Type {
		case "HttpApi":
			f.Routes = append(f.Routes, b.route(at, &e.Properties))
		case "SQS":
			f.Queues = append(f.Queues, b.queueEvent(at, &e.Properties))
		case "DynamoDB":
			f.Streams = append(f.Streams, b.streamEvent(at, f.ID+key.Value, &e.Properties))
		case "Schedule":
			f.Schedules = append(f.Schedules, b.scheduleEvent(at, f.ID+key.Value, &e.Properties))
		default:
			b.fail(at, "events of type %s are not served by the local cloud", e.Type)
		}
	}
}

// API is the HTTP API.
type API struct {
	ID        string
	AccessLog string // format of a line of its access log, see AccessLogVariable; "" for none
}

func (b *builder) httpAPI(id, _ string, n *yaml.Node) {
	b.out.API.ID = id
	b.api(id, n)
}

// api checks an HTTP API. Its routes come from the functions' events.
func (b *builder) api(id string, n *yaml.Node) {
	p := struct {
		StageName string `yaml:"StageName"`
		Log       string `yaml:"AccessLogSettings.DestinationArn"`
		Format    string `yaml:"AccessLogSettings.Format"`
	}{StageName: "$default"}
	b.decode(id, n, &p, "FailOnWarnings", "DefaultRouteSettings", "DisableExecuteApiEndpoint", "Tags")
	b.oneOf(id, "StageName", p.StageName, "$default")
	if format := p.Format; format != "" {
		monitor.CheckAccessLog(format, b.reader(id, n))
		b.out.API.AccessLog = format
	}
}

// nameIn returns the name in an ARN of a service, and reports any other string.
func (b *builder) nameIn(id, key, arn, service, prefix string) string {
	name := node.NameIn(arn, service, prefix)
	if name == "" {
		b.fail(id, "%s must be the ARN of a resource of %s in this template", key, service)
	}
	return name
}

func (b *builder) route(id string, n *yaml.Node) Route {
	p := struct {
		Method string `yaml:"Method"`
		Path   string `yaml:"Path"`
	}{"ANY", "$default"}
	b.decode(id, n, &p, "ApiId")
	if p.Path != "$default" && !strings.HasPrefix(p.Path, "/") {
		b.fail(id, "Path must begin with a slash")
	}
	if len(p.Path) > 1 && strings.HasSuffix(p.Path, "/") {
		b.fail(id, "Path %s must not end in a slash: HTTP APIs refuse such a route; $default serves it", p.Path)
	}
	return Route{Method: strings.ToUpper(p.Method), Path: p.Path, Timeout: 30 * time.Second}
}

// batchProperties are the properties that all event source mappings share.
type batchProperties struct {
	BatchSize                      int      `yaml:"BatchSize" range:"1 10000"`
	MaximumBatchingWindowInSeconds int      `yaml:"MaximumBatchingWindowInSeconds" range:"0 300"`
	FunctionResponseTypes          []string `yaml:"FunctionResponseTypes"`
	Filters                        []struct {
		Pattern node.Object `yaml:"Pattern"`
	} `yaml:"FilterCriteria.Filters"`
}

func (b *builder) batch(id string, p batchProperties) Batch {
	out := Batch{
		Size: p.BatchSize, Window: seconds(p.MaximumBatchingWindowInSeconds), PartialAnswer: len(p.FunctionResponseTypes) > 0,
	}
	for _, kind := range p.FunctionResponseTypes {
		b.oneOf(id, "FunctionResponseTypes", kind, "ReportBatchItemFailures")
	}
	for _, filter := range p.Filters {
		out.Filters = append(out.Filters, b.pattern(id, filter.Pattern))
	}
	return out
}

// pattern reports a pattern that does not compile.
func (b *builder) pattern(id string, p node.Object) map[string]any {
	if _, err := pattern.Compile(p); err != nil {
		b.fail(id, "Pattern: %w", err)
	}
	return p
}

func (b *builder) queueEvent(id string, n *yaml.Node) QueueEvent {
	p := struct {
		batchProperties `yaml:",inline"`
		Queue           string `yaml:"Queue"`
		MaxConcurrency  *int   `yaml:"ScalingConfig.MaximumConcurrency" range:"2 1000"`
	}{batchProperties: batchProperties{BatchSize: 10}}
	b.decode(id, n, &p)
	e := QueueEvent{Batch: b.batch(id, p.batchProperties), Queue: b.nameIn(id, "Queue", p.Queue, "sqs", "")}
	if most := p.MaxConcurrency; most != nil {
		e.MaxConcurrency = *most
	}
	return e
}

func (b *builder) streamEvent(id, name string, n *yaml.Node) StreamEvent {
	p := struct {
		batchProperties            `yaml:",inline"`
		Stream                     string `yaml:"Stream"`
		StartingPosition           string `yaml:"StartingPosition"`
		BisectBatchOnFunctionError bool   `yaml:"BisectBatchOnFunctionError"`
		MaximumRetryAttempts       int    `yaml:"MaximumRetryAttempts" range:"-1 10000"`
		MaximumRecordAgeInSeconds  int    `yaml:"MaximumRecordAgeInSeconds" range:"-1 604800"`
		ParallelizationFactor      int    `yaml:"ParallelizationFactor" range:"1 10"`
		TumblingWindowInSeconds    int    `yaml:"TumblingWindowInSeconds" range:"0 900"`
		OnFailure                  string `yaml:"DestinationConfig.OnFailure.Destination"`
		OnFailureType              string `yaml:"DestinationConfig.OnFailure.Type"`
	}{batchProperties: batchProperties{BatchSize: 100}, MaximumRetryAttempts: -1, ParallelizationFactor: 1}
	b.decode(id, n, &p)

	b.oneOf(id, "StartingPosition", p.StartingPosition, "TRIM_HORIZON", "LATEST")
	e := StreamEvent{
		Name: name, Batch: b.batch(id, p.batchProperties), Table: b.nameIn(id, "Stream", p.Stream, "dynamodb", "table/"),
		FromStart: p.StartingPosition == "TRIM_HORIZON", Bisect: p.BisectBatchOnFunctionError,
		// -1, Lambda's default, means until the record expires.
		MaxRetries: p.MaximumRetryAttempts, MaxAge: max(0, seconds(p.MaximumRecordAgeInSeconds)),
		Parallel: p.ParallelizationFactor, Tumbling: seconds(p.TumblingWindowInSeconds),
	}
	switch {
	case p.OnFailure == "":
	case p.OnFailureType == "S3":
		if e.OnFailureBucket = bucketIn(p.OnFailure); e.OnFailureBucket == "" {
			b.fail(id, "Destination must be the ARN of a bucket in this template")
		}
	default:
		e.OnFailureQueue = b.nameIn(id, "Destination", p.OnFailure, "sqs", "")
	}
	return e
}

func (b *builder) scheduleEvent(id, name string, n *yaml.Node) ScheduleEvent {
	// EventBridge's defaults are 185 retries within a day.
	p := struct {
		Schedule string `yaml:"Schedule"`
		Retries  int    `yaml:"RetryPolicy.MaximumRetryAttempts" range:"0 185"`
		MaxAge   int    `yaml:"RetryPolicy.MaximumEventAgeInSeconds" range:"60 86400"`
	}{Retries: 185, MaxAge: 86400}
	b.decode(id, n, &p)
	if _, err := schedule.Parse(p.Schedule); err != nil {
		b.fail(id, "%w", err)
	}
	return ScheduleEvent{Name: name, Expression: p.Schedule, Retries: p.Retries, MaxAge: seconds(p.MaxAge)}
}
