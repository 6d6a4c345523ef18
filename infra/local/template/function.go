package template

import (
	"path"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
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
	PerTenant   bool    // TenancyConfig PER_TENANT
	Reserved    int     // reserved concurrency; -1 = none
	Grants      []Grant // of its role
	Role        string  // ARN, "" = sam makes one, with policies of AWS
	logGroup    string
	loops       bool // RecursiveLoop: Allow

	Async     Async // of Event invocations
	Routes    []Route
	Queues    []QueueEvent
	Streams   []StreamEvent
	Schedules []ScheduleEvent
}

// Async is the policy for Event invocations that fail.
type Async struct {
	Retries int           // after the first try: 0–2
	MaxAge  time.Duration // 0 = Lambda's 6 hours
}

type functionProperties struct {
	CodeUri                      string `yaml:"CodeUri"`
	Runtime                      string `yaml:"Runtime"`
	Timeout                      int    `yaml:"Timeout" range:"1 900"`
	MemorySize                   int    `yaml:"MemorySize" range:"128 10240"`
	ReservedConcurrentExecutions *int   `yaml:"ReservedConcurrentExecutions" range:"0 1000"`
	Role                         string `yaml:"Role"`
	RecursiveLoop                string `yaml:"RecursiveLoop"`
	TenancyConfig                struct {
		TenantIsolationMode string `yaml:"TenantIsolationMode"`
	} `yaml:"TenancyConfig"`
	Environment struct {
		Variables map[string]string `yaml:"Variables"`
	} `yaml:"Environment"`
	EventInvokeConfig struct {
		MaximumRetryAttempts     int  `yaml:"MaximumRetryAttempts" range:"0 2"`
		MaximumEventAgeInSeconds *int `yaml:"MaximumEventAgeInSeconds" range:"60 21600"`
	} `yaml:"EventInvokeConfig"`
	LoggingConfig struct {
		LogFormat string `yaml:"LogFormat"`
		LogGroup  string `yaml:"LogGroup"`
	} `yaml:"LoggingConfig"`
	Events yaml.Node `yaml:"Events"`
}

func (b *builder) function(id, name string, n *yaml.Node) {
	p := functionProperties{Timeout: 3, MemorySize: 128}
	p.EventInvokeConfig.MaximumRetryAttempts = 2
	globals, err := b.resolve.resolve(&b.globals)
	if err != nil {
		b.fail("Globals.Function", "%w", err)
		return
	}
	// The function's own properties replace the global ones, and its variables are added to theirs.
	for _, properties := range []*yaml.Node{globals, n} {
		b.decode(id, properties, &p, "Handler", "Architectures", "Description")
	}

	f := &Function{
		ID: id, Name: name, Environment: p.Environment.Variables, Timeout: seconds(p.Timeout), MemoryMB: p.MemorySize,
		Reserved: -1, Role: p.Role, logGroup: p.LoggingConfig.LogGroup, loops: p.RecursiveLoop == "Allow",
		PerTenant: p.TenancyConfig.TenantIsolationMode == "PER_TENANT",
		Async:     Async{Retries: p.EventInvokeConfig.MaximumRetryAttempts},
	}
	if p.ReservedConcurrentExecutions != nil {
		f.Reserved = *p.ReservedConcurrentExecutions
	}
	if age := p.EventInvokeConfig.MaximumEventAgeInSeconds; age != nil {
		f.Async.MaxAge = seconds(*age)
	}
	b.oneOf(id, "Runtime", p.Runtime, "provided.al2023")
	b.oneOf(id, "RecursiveLoop", p.RecursiveLoop, "", "Allow", "Terminate")
	b.oneOf(id, "TenantIsolationMode", p.TenancyConfig.TenantIsolationMode, "", "PER_TENANT")

	dir, ok := strings.CutPrefix(path.Clean(p.CodeUri), "functions/")
	if f.Program = dir; !ok || strings.Contains(dir, "/") {
		b.fail(id, "CodeUri must be functions/<program>")
	}
	if f.Environment == nil {
		f.Environment = map[string]string{}
	}
	for variable := range f.Environment {
		// Lambda lets AWS_ENDPOINT_URL be; an empty one is none to the SDK.
		if strings.HasPrefix(variable, "AWS_") && variable != "AWS_ENDPOINT_URL" {
			b.fail(id, "%s: names that begin with AWS_ are Lambda's own", variable)
		}
	}
	b.events(f, &p.Events)
	b.out.Functions = append(b.out.Functions, f)
}
