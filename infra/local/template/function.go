package template

import (
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/node"
)

// Function is a Lambda function: its program, its configuration and its event sources.
type Function struct {
	ID      string // logical ID
	Name    string
	Program string // folder below functions/ with the main package
	// Environment holds the variables of the template; the host adds AWS_*.
	Environment map[string]string
	Timeout     time.Duration
	MemoryMB    int
	PerTenant   bool    // TenancyConfig is PER_TENANT
	Reserved    int     // reserved concurrency; -1 means none
	Grants      []Grant // grants of its role
	Role        string  // ARN; "" means that sam creates a role with policies of AWS
	LogGroup    string
	Traced      bool // Tracing is Active
	// LogLevel and SystemLogLevel are the lowest levels of lines that Lambda keeps, of the program and of its own.
	LogLevel, SystemLogLevel string
	Loops                    bool // RecursiveLoop is Allow
	Network                  bool // it has a VpcConfig

	Alias      string      // AutoPublishAlias: the HTTP API calls the version it names; "" means no versions
	Deployment *Deployment // how the alias moves; nil means at once, without CodeDeploy

	Async     Async // for Event invocations
	Routes    []Route
	Queues    []QueueEvent
	Streams   []StreamEvent
	Schedules []ScheduleEvent
}

// Async is the retry policy for failed Event invocations.
type Async struct {
	Retries int           // retries after the first attempt: 0–2
	MaxAge  time.Duration // 0 means Lambda's default of 6 hours
}

type functionProperties struct {
	CodeUri                      string `yaml:"CodeUri"`
	Runtime                      string `yaml:"Runtime"`
	Timeout                      int    `yaml:"Timeout" range:"1 900"`
	MemorySize                   int    `yaml:"MemorySize" range:"128 10240"`
	ReservedConcurrentExecutions *int   `yaml:"ReservedConcurrentExecutions" range:"0 1000"`
	Role                         string `yaml:"Role"`
	RecursiveLoop                string `yaml:"RecursiveLoop"`
	Tenancy                      string `yaml:"TenancyConfig.TenantIsolationMode"`
	Retries                      int    `yaml:"EventInvokeConfig.MaximumRetryAttempts" range:"0 2"`
	MaxAge                       *int   `yaml:"EventInvokeConfig.MaximumEventAgeInSeconds" range:"60 21600"`
	LogFormat                    string `yaml:"LoggingConfig.LogFormat"`
	LogGroup                     string `yaml:"LoggingConfig.LogGroup"`
	LogLevel                     string `yaml:"LoggingConfig.ApplicationLogLevel"`
	SystemLogLevel               string `yaml:"LoggingConfig.SystemLogLevel"`

	Variables map[string]string `yaml:"Environment.Variables"`
	// The local cloud has no networks: its programs reach everything as before.
	VpcConfig *struct {
		SubnetIds        node.Texts `yaml:"SubnetIds"`
		SecurityGroupIds node.Texts `yaml:"SecurityGroupIds"`
	} `yaml:"VpcConfig"`
	Tracing              string      `yaml:"Tracing"`
	AutoPublishAlias     string      `yaml:"AutoPublishAlias"`
	DeploymentPreference *Deployment `yaml:"DeploymentPreference"`
	Events               yaml.Node   `yaml:"Events"`
}

// noSubnet is the default of the template's parameter of subnets.
const noSubnet = "subnet-none"

func (b *builder) function(id, name string, n *yaml.Node) {
	p := functionProperties{Timeout: 3, MemorySize: 128, Retries: 2}
	globals, err := b.resolve.Resolve(&b.globals)
	if err != nil {
		b.fail("Globals.Function", "%w", err)
		return
	}
	// The function's properties override the global ones; the two sets of variables are merged.
	for _, properties := range []*yaml.Node{globals, n} {
		b.decode(id, properties, &p, "Handler", "Architectures", "Description", "AutoPublishAliasAllProperties")
	}

	f := &Function{
		ID: id, Name: name, Environment: p.Variables, Timeout: seconds(p.Timeout), MemoryMB: p.MemorySize,
		Reserved: -1, Role: p.Role, LogGroup: p.LogGroup, LogLevel: p.LogLevel, SystemLogLevel: p.SystemLogLevel,
		Loops: p.RecursiveLoop == "Allow", PerTenant: p.Tenancy == "PER_TENANT", Traced: p.Tracing == "Active",
		Alias: p.AutoPublishAlias, Deployment: p.DeploymentPreference, Async: Async{Retries: p.Retries},
	}
	if p.ReservedConcurrentExecutions != nil {
		f.Reserved = *p.ReservedConcurrentExecutions
	}
	if age := p.MaxAge; age != nil {
		f.Async.MaxAge = seconds(*age)
	}
	if vpc := p.VpcConfig; vpc != nil {
		unset := func(ids []string) bool {
			return len(ids) == 0 || slices.Contains(ids, "") || slices.Contains(ids, noSubnet)
		}
		if unset(vpc.SubnetIds) || unset(vpc.SecurityGroupIds) {
			b.fail(id, "VpcConfig needs SubnetIds and SecurityGroupIds")
		}
		f.Network = true
	}
	b.oneOf(id, "Runtime", p.Runtime, "provided.al2023")
	b.oneOf(id, "Tracing", p.Tracing, "", "PassThrough", "Active")
	b.oneOf(id, "RecursiveLoop", p.RecursiveLoop, "", "Allow", "Terminate")
	b.oneOf(id, "TenantIsolationMode", p.Tenancy, "", "PER_TENANT")

	dir, ok := strings.CutPrefix(path.Clean(p.CodeUri), "functions/")
	if f.Program = dir; !ok || strings.Contains(dir, "/") {
		b.fail(id, "CodeUri must be functions/<program>")
	}
	if f.Environment == nil {
		f.Environment = map[string]string{}
	}
	for variable := range f.Environment {
		// Lambda allows AWS_ENDPOINT_URL; the SDK ignores an empty one.
		if strings.HasPrefix(variable, "AWS_") && variable != "AWS_ENDPOINT_URL" {
			b.fail(id, "%s: names that begin with AWS_ are Lambda's own", variable)
		}
	}
	b.checkPreference(f)
	b.events(f, &p.Events)
	b.out.Functions = append(b.out.Functions, f)
}
