package template

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Function is a program, how it is run and what starts it.
type Function struct {
	ID      string // logical id
	Name    string
	Program string // folder below functions/ that holds its main package
	// Environment is what the template sets; the host adds AWS_*.
	Environment map[string]string
	Timeout     time.Duration
	MemoryMB    int
	PerTenant   bool // TenancyConfig PER_TENANT
	Reserved    int  // reserved concurrency; -1 = none
	// Policies as resolved; empty when its role may do nothing.
	Policies []*Value
	Grants   []Grant // of the policies, or of the role
	role     string  // ARN, "" = one made for it
	loops    bool    // RecursiveLoop: Allow

	Async     Async // of Event invocations
	Routes    []Route
	Queues    []QueueEvent
	Streams   []StreamEvent
	Schedules []ScheduleEvent
	Patterns  []PatternEvent
}

// Async says what becomes of Event invocations that fail.
type Async struct {
	Retries   int           // after the first try: 0–2
	MaxAge    time.Duration // 0 = Lambda's 6 hours
	DeadQueue string        // name; "" = given up silently
}

// globalMaps are the properties of Globals.Function that a function extends
// instead of replacing.
var globalMaps = []string{"Environment", "Variables", "Tags"}

// merge lays a function's own properties over the global ones.
func merge(global, own *Value) *Value {
	out := &Value{Line: own.Line, Kind: Mapping, Keys: slices.Clone(own.Keys), Fields: map[string]*Value{}}
	for key, v := range own.Fields {
		out.Fields[key] = v
	}
	for _, key := range global.Keys {
		mine := out.Fields[key]
		switch {
		case mine == nil:
			out.Keys = append(out.Keys, key)
			out.Fields[key] = global.Fields[key]
		case slices.Contains(globalMaps, key) && mine.Kind == Mapping && global.Fields[key].Kind == Mapping:
			out.Fields[key] = merge(global.Fields[key], mine)
		}
	}
	return out
}

func (b *builder) function(id, name string, s *section) {
	if b.globals != nil {
		globals, err := b.resolve.resolve(b.globals)
		if err != nil || globals.Kind != Mapping {
			s.fail(b.globals, "Globals.Function: %v", err)
			return
		}
		s = s.mapping(s.name, merge(globals, s.value))
	}

	f := &Function{ID: id, Name: name, Environment: map[string]string{}}
	s.oneOf("Runtime", "provided.al2023", "provided.al2")
	s.oneOf("PackageType", "Zip")
	f.Program = program(id, s)
	f.Timeout = time.Duration(s.number("Timeout", 3, 1, 900)) * time.Second
	f.MemoryMB = s.number("MemorySize", 128, 128, 10240)
	f.Reserved = s.number("ReservedConcurrentExecutions", -1, 0, 1000)
	if s.has("TenancyConfig") {
		tenancy := s.child("TenancyConfig")
		f.PerTenant = tenancy.oneOf("TenantIsolationMode", "PER_TENANT") == "PER_TENANT"
		tenancy.done()
	}

	f.Policies, f.role = policies(s), s.text("Role", "")
	f.Grants = s.grants(f.Policies)
	f.loops = s.oneOf("RecursiveLoop", "Terminate", "Allow") == "Allow"
	f.Async = s.async()
	f.environment(s.child("Environment"))
	b.events(f, s.child("Events"))
	s.done("FunctionName", "Handler", "Architectures", "Description", "Tags", "Tracing", "LoggingConfig",
		"EphemeralStorage", "RuntimeManagementConfig", "PermissionsBoundary", "AssumeRolePolicyDocument",
		"RolePath", "PropagateTags", "SourceKMSKeyArn")
	b.out.Functions = append(b.out.Functions, f)
}

// program finds the folder of the main package: an explicit environment of the
// build (Metadata is not read) is not needed, CodeUri says it.
func program(id string, s *section) string {
	uri := path.Clean(s.text("CodeUri", "."))
	if dir, ok := strings.CutPrefix(uri, "functions/"); ok && !strings.Contains(dir, "/") {
		return dir
	}
	s.fail(s.value, "CodeUri must be functions/<program>")
	return id
}

// async reads EventInvokeConfig and the older DeadLetterQueue.
func (s *section) async() Async {
	config := s.child("EventInvokeConfig")
	a := Async{
		Retries: config.number("MaximumRetryAttempts", 2, 0, 2),
		MaxAge:  time.Duration(config.number("MaximumEventAgeInSeconds", 0, 60, 21600)) * time.Second,
	}
	destination := config.child("DestinationConfig")
	if destination.has("OnFailure") {
		failure := destination.child("OnFailure")
		failure.oneOf("Type", "SQS")
		a.DeadQueue = resourceName(failure, "Destination", "sqs", "")
		failure.done()
	}

	destination.done()
	config.done()
	if s.has("DeadLetterQueue") {
		dead := s.child("DeadLetterQueue")
		dead.oneOf("Type", "SQS")
		a.DeadQueue = resourceName(dead, "TargetArn", "sqs", "")
		dead.done()
	}

	return a
}

func policies(s *section) []*Value {
	v := s.get("Policies")
	if v == nil {
		return nil
	}
	if v.Kind == List {
		return v.Items
	}
	return []*Value{v}
}

func (f *Function) environment(s *section) {
	variables := s.child("Variables")
	for _, name := range variables.value.Keys {
		f.Environment[name] = variables.text(name, "")
		// Lambda lets AWS_ENDPOINT_URL be; an empty one is none to the SDK.
		if strings.HasPrefix(name, "AWS_") && name != "AWS_ENDPOINT_URL" {
			variables.fail(variables.value.Fields[name], "%s: names that begin with AWS_ are Lambda's own", name)
		}
	}
	s.done()
}
