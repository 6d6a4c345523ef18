package template

import (
	"encoding/json"
	"strings"
	"time"

	"minicloud/infra/local/pattern"
	"minicloud/infra/local/schedule"
)

// Route leads requests of the HTTP API to a function.
type Route struct {
	Method  string // upper case, or "ANY"
	Path    string // "/a/{id}/{proxy+}", or "$default"
	Timeout time.Duration
}

// Key returns the route as API Gateway writes it: "ANY /a/{proxy+}".
func (r Route) Key() string {
	if r.Path == "$default" {
		return r.Path
	}
	return r.Method + " " + r.Path
}

// Batch says how records are gathered for one call.
type Batch struct {
	Size          int
	Window        time.Duration
	Filters       []map[string]any // FilterCriteria patterns; any may match; none = all
	PartialAnswer bool             // ReportBatchItemFailures
	Disabled      bool
}

// QueueEvent feeds a queue to a function.
type QueueEvent struct {
	Batch
	Queue          string // name
	MaxConcurrency int    // 0 = not limited
}

// StreamEvent feeds a table's stream to a function.
type StreamEvent struct {
	Batch
	Name           string // of the event, for its checkpoint
	Table          string // name
	FromStart      bool   // TRIM_HORIZON, else LATEST
	Bisect         bool
	MaxRetries     int           // -1 = until the record expires
	MaxAge         time.Duration // 0 = no limit
	Parallel       int
	Tumbling       time.Duration // of the windows, which make Lambda tell the shard; 0 = none
	OnFailureQueue string        // name; "" = dropped
}

// ScheduleEvent starts a function by the clock.
type ScheduleEvent struct {
	Name       string
	Expression string // rate(…) or cron(…)
	Input      string // JSON; "" = the standard event
	Disabled   bool
	// Retries and MaxAge are EventBridge's when it cannot hand the event over.
	// Here it always can; infra/check reads them.
	Retries int
	MaxAge  time.Duration
}

// PatternEvent starts a function by an event on a bus.
type PatternEvent struct {
	Name      string
	Bus       string // name; "default"
	Pattern   map[string]any
	Input     string
	InputPath string
	DeadQueue string // name of the dead-letter queue; "" = none
	Disabled  bool
}

func (b *builder) events(f *Function, all *section) {
	for _, name := range all.value.Keys {
		event := all.child(name)
		properties := event.child("Properties")
		switch kind := event.required("Type"); kind {
		case "HttpApi":
			f.Routes = append(f.Routes, route(properties))
		case "SQS":
			f.Queues = append(f.Queues, queueEvent(properties))
		case "DynamoDB":
			f.Streams = append(f.Streams, streamEvent(f.ID+name, properties))
		case "Schedule":
			f.Schedules = append(f.Schedules, scheduleEvent(f.ID+name, properties))
		case "EventBridgeRule":
			f.Patterns = append(f.Patterns, patternEvent(f.ID+name, properties))
		default:
			event.fail(event.value, "events of type %s are not served by the local cloud", kind)
		}

		event.done()
	}
}

// api checks an HTTP API: routes come from the functions' events.
func (b *builder) api(s *section) {
	s.oneOf("StageName", "$default")
	s.done("Name", "Description", "Tags", "AccessLogSettings", "DefaultRouteSettings", "RouteSettings",
		"DisableExecuteApiEndpoint", "Domain", "FailOnWarnings", "PropagateTags")
}

func route(s *section) Route {
	r := Route{Method: strings.ToUpper(s.text("Method", "ANY")), Path: s.text("Path", "$default")}
	if r.Method == "X-AMAZON-APIGATEWAY-ANY-METHOD" {
		r.Method = "ANY"
	}
	if r.Path != "$default" && !strings.HasPrefix(r.Path, "/") {
		s.fail(s.value, "Path must begin with a slash")
	}
	if len(r.Path) > 1 && strings.HasSuffix(r.Path, "/") {
		s.fail(s.value, "Path %s must not end in a slash: HTTP APIs refuse such a route; $default serves it", r.Path)
	}
	s.oneOf("PayloadFormatVersion", "2.0")
	r.Timeout = time.Duration(s.number("TimeoutInMillis", 30000, 50, 30000)) * time.Millisecond
	s.done("ApiId", "RouteSettings")
	return r
}

// resourceName takes the name out of an ARN of the service, the part behind
// prefix up to the next slash.
func resourceName(s *section, key, service, prefix string) string {
	given := s.required(key)
	parts := strings.SplitN(given, ":", 6)
	if len(parts) != 6 || parts[2] != service || !strings.HasPrefix(parts[5], prefix) {
		if given != "" {
			s.fail(s.value, "%s must be the ARN of something of %s in this template", key, service)
		}
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(parts[5], prefix), "/")
	return name
}

func batch(s *section, size, most int) Batch {
	out := Batch{
		Size:     s.number("BatchSize", size, 1, most),
		Window:   time.Duration(s.number("MaximumBatchingWindowInSeconds", 0, 0, 300)) * time.Second,
		Disabled: !s.flag("Enabled", true),
	}
	for _, v := range s.list("FunctionResponseTypes") {
		if v.Text != "ReportBatchItemFailures" {
			s.fail(v, "FunctionResponseTypes: %s is not served by the local cloud", v.Text)
		}
		out.PartialAnswer = true
	}

	criteria := s.child("FilterCriteria")
	for _, filter := range criteria.each("Filters") {
		out.Filters = append(out.Filters, filter.pattern("Pattern"))
		filter.done()
	}

	criteria.done()
	return out
}

// pattern returns the JSON object under key, written as text or as YAML.
func (s *section) pattern(key string) map[string]any {
	v := s.get(key)
	if v == nil {
		s.fail(s.value, "%s is missing", key)
		return nil
	}

	var out map[string]any
	if v.Kind == Mapping {
		out, _ = v.JSON().(map[string]any)
	} else if err := json.Unmarshal([]byte(v.Text), &out); err != nil || out == nil {
		s.fail(v, "%s must be a JSON object", key)
		return nil
	}

	if _, err := pattern.Compile(out); err != nil {
		s.fail(v, "%s: %v", key, err)
	}

	return out
}

func (s *section) checkSchedule(expression string) {
	if _, err := schedule.Parse(expression); err != nil {
		s.fail(s.value, "%v", err)
	}
}

func queueEvent(s *section) QueueEvent {
	e := QueueEvent{Batch: batch(s, 10, 10000), Queue: resourceName(s, "Queue", "sqs", "")}
	scaling := s.child("ScalingConfig")
	e.MaxConcurrency = scaling.number("MaximumConcurrency", 0, 2, 1000)
	scaling.done()
	s.done("MetricsConfig", "ProvisionedPollerConfig")
	return e
}

func streamEvent(name string, s *section) StreamEvent {
	e := StreamEvent{
		Name:       name,
		Batch:      batch(s, 100, 10000),
		Table:      resourceName(s, "Stream", "dynamodb", "table/"),
		FromStart:  s.oneOf("StartingPosition", "TRIM_HORIZON", "LATEST") == "TRIM_HORIZON",
		Bisect:     s.flag("BisectBatchOnFunctionError", false),
		MaxRetries: s.number("MaximumRetryAttempts", -1, -1, 10000),
		Parallel:   s.number("ParallelizationFactor", 1, 1, 10),
		Tumbling:   time.Duration(s.number("TumblingWindowInSeconds", 0, 0, 900)) * time.Second,
	}
	if age := s.number("MaximumRecordAgeInSeconds", -1, -1, 604800); age > 0 {
		e.MaxAge = time.Duration(age) * time.Second
	}

	destination := s.child("DestinationConfig")
	if destination.has("OnFailure") {
		failure := destination.child("OnFailure")
		failure.oneOf("Type", "SQS")
		e.OnFailureQueue = resourceName(failure, "Destination", "sqs", "")
		failure.done()
	}

	destination.done()
	s.done("MetricsConfig")
	return e
}

func scheduleEvent(name string, s *section) ScheduleEvent {
	e := ScheduleEvent{Name: s.text("Name", name), Expression: s.required("Schedule"), Input: s.text("Input", "")}
	e.Disabled = !s.flag("Enabled", true) || s.oneOf("State", "ENABLED", "DISABLED") == "DISABLED"
	s.checkSchedule(e.Expression)
	retry := s.child("RetryPolicy")
	e.Retries = retry.number("MaximumRetryAttempts", 185, 0, 185)
	e.MaxAge = time.Duration(retry.number("MaximumEventAgeInSeconds", 86400, 60, 86400)) * time.Second
	retry.done()
	s.done("Description")
	return e
}

func patternEvent(name string, s *section) PatternEvent {
	e := PatternEvent{
		Name: s.text("RuleName", name), Bus: busName(s.text("EventBusName", "default")),
		Pattern: s.pattern("Pattern"), Input: s.text("Input", ""), InputPath: s.text("InputPath", ""),
		Disabled: s.oneOf("State", "ENABLED", "DISABLED") == "DISABLED",
	}
	if s.has("DeadLetterConfig") {
		dead := s.child("DeadLetterConfig")
		e.DeadQueue = resourceName(dead, "Arn", "sqs", "")
		dead.done()
	}
	s.done("Target", "RetryPolicy")
	return e
}

// busName accepts the name or the ARN of a bus.
func busName(given string) string {
	if _, name, ok := strings.Cut(given, ":event-bus/"); ok {
		return name
	}
	return given
}
