// Package template reads template.yaml, the single source of functions, routes, tables, queues and rules, into the
// configuration of the local cloud.
//
//	YAML nodes ──► intrinsic functions resolved ──► one struct per resource ──► Template
//
// A property that the local cloud does not support is an error that names the resource and the line. Supported
// properties are the fields of the resource's struct; the short list beside its decoding names properties without
// local effect (tags, log retention …). The few resource types that only AWS has (alarms, log groups …) are listed as
// Elsewhere.
package template

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/node"
)

// Account is the account ID in local ARNs.
const Account = "000000000000"

// Options describe the deployment of the template.
type Options struct {
	Region     string            // default us-east-1
	Parameters map[string]string // overrides of parameter defaults
	// QueueURL returns the URL of a queue by name; nil means AWS's format.
	QueueURL func(name string) string
	// Stack is the stack name. With it, resources have the names that CloudFormation generates, such as
	// minicloud-dev-JobsTable-1EXAMPLE2NAME. Without it, their names are their logical IDs.
	Stack string
	// APIBase is the URL of the HTTP API; "" means AWS's format.
	APIBase string
}

// Template is the parsed template, with resources in file order.
type Template struct {
	Functions []*Function
	Tables    []*Table
	Queues    []*Queue
	Buckets   []*Bucket
	Buses     []*Bus
	Rules     []*Rule
	Keys      []*Key

	Distributions     []*Distribution
	ConfigurationSets []*ConfigurationSet

	Alarms []*Alarm
	// Budgets, MetricFilters and Dashboards complete the alarms.
	Budgets       []*Budget
	MetricFilters []*MetricFilter
	Dashboards    []*Dashboard
	API           API
	Elsewhere     []Elsewhere
	// Parameters and Resources are for the rules of package refusal; the local cloud does not use them.
	Parameters map[string]node.Parameter
	Resources  []Resource
}

// Parameter is an entry of Parameters.
type Parameter = node.Parameter

// Resource is one resource with its references resolved.
type Resource struct {
	ID, Type, Name string
	Metadata       map[string]any // as written, with its intrinsics
	Properties     map[string]any
}

// Programs returns the programs of the functions.
func (t *Template) Programs() (names []string) {
	for _, f := range t.Functions {
		names = append(names, f.Program)
	}
	return names
}

// ReadFile reads the template at path.
func ReadFile(path string, opt Options) (*Template, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := Read(source, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read parses a template. Its error lists all mistakes and unsupported parts, one per line.
func Read(source []byte, opt Options) (*Template, error) {
	opt.Region = cmp.Or(opt.Region, "us-east-1")
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 {
		return nil, errors.New("line 1: the template is empty")
	}

	b := &builder{opt: opt, roles: map[string][]Grant{}, managed: map[string][]Grant{}, bucketGrants: map[string][]Grant{},
		headerPolicies: map[string]*HeadersPolicy{}, out: &Template{}}
	b.template(document.Content[0])
	if err := errors.Join(b.errs...); err != nil {
		return nil, err
	}
	return b.out, nil
}

// builder is the state of one Read.
type builder struct {
	opt     Options
	out     *Template
	errs    []error
	resolve *node.Resolver
	globals yaml.Node          // Globals.Function
	roles   map[string][]Grant // by role ARN
	managed map[string][]Grant // by ARN of the managed policy

	headerPolicies map[string]*HeadersPolicy // by name
	bucketGrants   map[string][]Grant        // of bucket policies, by the ARN of the distribution
	destinations   []destination
	senders        []sender
}

func (b *builder) fail(id, format string, a ...any) {
	b.errs = append(b.errs, fmt.Errorf("%s: %w", id, fmt.Errorf(format, a...)))
}

func (b *builder) template(root *yaml.Node) {
	var all struct {
		Transform  string                    `yaml:"Transform"`
		Parameters map[string]node.Parameter `yaml:"Parameters"`
		Conditions map[string]yaml.Node      `yaml:"Conditions"`
		Function   yaml.Node                 `yaml:"Globals.Function"`
		HTTPAPI    yaml.Node                 `yaml:"Globals.HttpApi"`
		Resources  yaml.Node                 `yaml:"Resources"`
		Outputs    yaml.Node                 `yaml:"Outputs"`
	}
	if err := node.Decode(root, &all, "AWSTemplateFormatVersion", "Description"); err != nil {
		b.fail("template", "%w", err)
		return
	}
	if all.Transform != "AWS::Serverless-2016-10-31" {
		b.fail("template", "Transform must be AWS::Serverless-2016-10-31, not %q", all.Transform)
	}

	b.out.Parameters = all.Parameters
	b.resolve = &node.Resolver{
		Parameters: b.parameters(all.Parameters), Lists: map[string]bool{}, Conditions: all.Conditions, Resources: map[string]node.Reference{},
	}
	for name, p := range all.Parameters {
		b.resolve.Lists[name] = p.Type == node.ListType
	}
	for _, name := range slices.Sorted(maps.Keys(all.Conditions)) {
		if _, err := b.resolve.Condition(&yaml.Node{Value: name}); err != nil {
			b.fail("condition "+name, "%w", err)
		}
	}

	b.globals = all.Function
	b.api("Globals.HttpApi", &all.HTTPAPI)
	b.resources(&all.Resources)
	b.outputs(&all.Outputs)
}

// outputs checks the references of outputs, which the local cloud ignores otherwise.
func (b *builder) outputs(all *yaml.Node) {
	for name, value := range node.Pairs(all) {
		id := "Outputs." + name.Value
		if condition := node.Get(value, "Condition"); condition != nil {
			truth, err := b.resolve.Condition(condition)
			if err != nil {
				b.fail(id, "%w", err)
			}
			if !truth {
				continue
			}
		}
		if _, err := b.resolve.Resolve(value); err != nil {
			b.fail(id, "%w", err)
		}
	}
}

// parameters returns the values of all parameters and AWS's pseudo parameters.
func (b *builder) parameters(all map[string]node.Parameter) map[string]string {
	out := map[string]string{
		"AWS::Region": b.opt.Region, "AWS::AccountId": Account, "AWS::Partition": "aws",
		"AWS::StackName": cmp.Or(b.opt.Stack, "minicloud"), "AWS::URLSuffix": "amazonaws.com",
	}
	for name, p := range all {
		value, given := b.opt.Parameters[name]
		switch {
		case !given && p.Default == nil:
			b.fail(name, "the parameter has no default and was not given")
		case !given:
			value = *p.Default
		}
		if err := p.Check(value); err != nil {
			b.fail(name, "%w", err)
		}
		out[name] = value
	}

	// Without this check, a misspelled parameter would silently leave the default in force.
	for name := range b.opt.Parameters {
		if _, known := out[name]; !known {
			b.fail("template", "there is no parameter %s", name)
		}
	}
	return out
}
