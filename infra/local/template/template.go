// Package template reads template.yaml, the single source of functions, routes,
// tables, queues and rules, into what the local cloud serves.
//
//	YAML ──► Value (lines kept) ──► intrinsics resolved ──► Template
//
// What the local cloud does not serve is an error that names the resource and
// the line: a property is either read, or on the short list beside its reader
// of those that mean nothing locally (tags, log retention …). The few kinds of
// resources that only AWS has (alarms, log groups …) are listed as Elsewhere.
package template

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Account is the account id that local ARNs carry.
const Account = "000000000000"

// Options say where the template is to come true.
type Options struct {
	Region     string            // default us-east-1
	Stack      string            // AWS::StackName, default "minicloud"
	Parameters map[string]string // overrides of parameter defaults
	// QueueURL returns the URL of a queue by its name; nil gives AWS's form.
	QueueURL func(name string) string
	// APIBase is the address of the HTTP API; "" gives AWS's form.
	APIBase string
}

// Template is everything the local cloud serves, in file order.
type Template struct {
	Functions []*Function
	Tables    []*Table
	Queues    []*Queue
	Buses     []*Bus
	Rules     []*Rule
	Keys      []*Key
	Alarms    []*Alarm
	Elsewhere []Elsewhere
	Outputs   map[string]string
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

// Read reads a template. The error lists everything that is wrong or not
// served, a line each.
func Read(source []byte, opt Options) (*Template, error) {
	root, err := parse(source)
	if err != nil {
		return nil, err
	}
	if opt.Region == "" {
		opt.Region = "us-east-1"
	}
	if opt.Stack == "" {
		opt.Stack = "minicloud"
	}

	b := &builder{opt: opt, roles: map[string][]Grant{}, out: &Template{Outputs: map[string]string{}}}
	b.template(&section{name: "template", value: root, errs: &b.errs})
	if err := errors.Join(b.errs...); err != nil {
		return nil, err
	}

	return b.out, nil
}

// builder carries one reading.
type builder struct {
	opt     Options
	out     *Template
	errs    []error
	resolve *resolver
	globals *Value             // Globals.Function, unresolved
	roles   map[string][]Grant // by ARN
	senders []sender
}

func (b *builder) fail(err error) { b.errs = append(b.errs, err) }

func (b *builder) template(root *section) {
	root.text("AWSTemplateFormatVersion", "")
	if got := root.text("Transform", ""); got != "AWS::Serverless-2016-10-31" {
		root.fail(root.value, "Transform must be AWS::Serverless-2016-10-31, not %q", got)
	}

	b.resolve = &resolver{
		parameters: b.parameters(root.child("Parameters")),
		conditions: fields(root.get("Conditions")),
		mappings:   fields(root.get("Mappings")),
		resources:  map[string]reference{},
		asked:      map[string]bool{},
	}
	for _, name := range slices.Sorted(maps.Keys(b.resolve.conditions)) {
		if _, err := b.resolve.truth(b.resolve.conditions[name]); err != nil {
			b.fail(fmt.Errorf("condition %s: %w", name, err))
		}
	}

	b.readGlobals(root.child("Globals"))
	b.resources(root.child("Resources"))
	b.outputs(root.child("Outputs"))
	root.done("Description", "Metadata")
}

func fields(v *Value) map[string]*Value {
	if v == nil || v.Kind != Mapping {
		return map[string]*Value{}
	}
	return v.Fields
}

func (b *builder) parameters(all *section) map[string]*Value {
	out := map[string]*Value{}
	scalar := func(name, s string) { out[name] = &Value{Kind: Scalar, Text: s} }
	scalar("AWS::Region", b.opt.Region)
	scalar("AWS::AccountId", Account)
	scalar("AWS::Partition", "aws")
	scalar("AWS::StackName", b.opt.Stack)
	scalar("AWS::StackId", "arn:aws:cloudformation:"+b.opt.Region+":"+Account+":stack/"+b.opt.Stack+"/local")
	scalar("AWS::URLSuffix", "amazonaws.com")
	for _, name := range all.value.Keys {
		p := all.child(name)
		kind := p.required("Type")
		value, given := b.opt.Parameters[name]
		if !given && !p.has("Default") {
			p.fail(p.value, "the parameter has no default and was not given")
		}
		if def := p.text("Default", ""); !given {
			value = def
		}

		allowed := p.list("AllowedValues")
		if len(allowed) > 0 && !slices.ContainsFunc(allowed, func(v *Value) bool { return v.Text == value }) {
			p.fail(p.value, "%q is not among its AllowedValues", value)
		}

		p.done(
			"Description", "NoEcho", "AllowedPattern", "ConstraintDescription", "MinLength", "MaxLength", "MinValue",
			"MaxValue",
		)
		out[name] = parameterValue(p.value.Line, kind, value)
	}

	for name := range b.opt.Parameters {
		if out[name] == nil {
			b.fail(fmt.Errorf("the template has no parameter %s", name))
		}
	}

	return out
}

func parameterValue(line int, kind, value string) *Value {
	if kind != "CommaDelimitedList" && !strings.HasPrefix(kind, "List<") {
		return &Value{Line: line, Kind: Scalar, Text: value}
	}
	list := &Value{Line: line, Kind: List}
	for part := range strings.SplitSeq(value, ",") {
		list.Items = append(list.Items, &Value{Line: line, Kind: Scalar, Text: strings.TrimSpace(part)})
	}
	return list
}

func (b *builder) readGlobals(globals *section) {
	b.globals = globals.get("Function")
	if api := globals.get("HttpApi"); api != nil {
		if resolved, err := b.resolve.resolve(api); err != nil {
			b.fail(fmt.Errorf("Globals.HttpApi: %w", err))
		} else {
			b.api(globals.mapping("Globals.HttpApi", resolved))
		}
	}
	globals.done()
}

func (b *builder) outputs(outputs *section) {
	for _, name := range outputs.value.Keys {
		resolved, err := b.resolve.resolve(outputs.value.Fields[name])
		if err != nil {
			b.fail(fmt.Errorf("output %s: %w", name, err))
			continue
		}
		if value := fields(resolved)["Value"]; value != nil {
			b.out.Outputs[name] = value.Text
		}
	}
}
