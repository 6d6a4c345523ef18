package node

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Resolver replaces the intrinsic functions Ref, GetAtt, Sub, If and those of conditions with their values.
type Resolver struct {
	Parameters map[string]string
	Lists      map[string]bool // parameters that are lists; Ref gives their elements
	Conditions map[string]yaml.Node
	Resources  map[string]Reference
}

// Reference holds the Ref and GetAtt values of one resource.
type Reference struct {
	Ref        string
	Attributes map[string]string
	Stage      string // what sam makes of Ref <id>.Stage; "" means that it is not an API
}

// Resolve returns a copy of the node without intrinsic functions, or nil for AWS::NoValue.
func (r *Resolver) Resolve(n *yaml.Node) (*yaml.Node, error) {
	if name, short := strings.CutPrefix(n.Tag, "!"); short && !strings.HasPrefix(name, "!") {
		return r.call(name, n)
	}
	if n.Kind == yaml.AliasNode {
		return nil, Wrong(n, "YAML aliases are not served by the local cloud")
	}
	if strings.Contains(n.Value, "{{resolve:") {
		return nil, Wrong(n, "dynamic references ({{resolve:…}}) are not served by the local cloud")
	}

	out := *n
	out.Content = nil
	seen := map[string]bool{}
	for key, value := range Pairs(n) {
		switch {
		case key.Value == "Ref" || strings.HasPrefix(key.Value, "Fn::"):
			return nil, Wrong(key, "%s: the local cloud serves the short form of intrinsic functions only", key.Value)
		case seen[key.Value]:
			return nil, Wrong(key, "%s is given twice", key.Value)
		}
		seen[key.Value] = true
		resolved, err := r.Resolve(value)
		if err != nil {
			return nil, err
		}
		// Omit a property that is AWS::NoValue.
		if resolved != nil {
			out.Content = append(out.Content, key, resolved)
		}
	}

	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			resolved, err := r.Resolve(item)
			if err != nil {
				return nil, err
			}
			if resolved != nil {
				out.Content = append(out.Content, resolved)
			}
		}
	}
	return &out, nil
}

func (r *Resolver) call(name string, n *yaml.Node) (*yaml.Node, error) {
	var value string
	var err error
	switch name {
	case "Ref":
		if n.Value == "AWS::NoValue" {
			return nil, nil
		}
		if r.Lists[n.Value] {
			return r.list(n), nil
		}
		value, err = r.ref(n, n.Value)
	case "GetAtt":
		value, err = r.getAtt(n, n.Value)
	case "Sub":
		value, err = r.sub(n)
	case "If":
		if n.Kind != yaml.SequenceNode || len(n.Content) != 3 {
			return nil, Wrong(n, "If wants a condition and two values")
		}
		truth, err := r.Condition(n.Content[0])
		if err != nil {
			return nil, err
		}
		if truth {
			return r.Resolve(n.Content[1])
		}
		return r.Resolve(n.Content[2])
	default:
		return nil, Wrong(n, "the intrinsic function %s is not served by the local cloud", name)
	}
	out := &yaml.Node{Kind: yaml.ScalarNode, Value: value, Line: n.Line, Column: n.Column}
	// Without a tag, the type of the field decides the decoding: parameters may be numbers. An empty string would
	// become null.
	if value == "" {
		out.Tag = "!!str"
	}
	return out, err
}

// list returns the elements of a list parameter.
func (r *Resolver) list(n *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Column: n.Column}
	for element := range strings.SplitSeq(r.Parameters[n.Value], ",") {
		out.Content = append(out.Content, &yaml.Node{
			Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.TrimSpace(element), Line: n.Line, Column: n.Column,
		})
	}
	return out
}

func (r *Resolver) ref(at *yaml.Node, name string) (string, error) {
	if value, ok := r.Parameters[name]; ok {
		return value, nil
	}
	if resource, ok := r.Resources[name]; ok {
		return resource.Ref, nil
	}
	if id, ok := strings.CutSuffix(name, ".Stage"); ok && r.Resources[id].Stage != "" {
		return r.Resources[id].Stage, nil
	}
	return "", Wrong(at, "%s is neither a parameter nor a resource", name)
}

func (r *Resolver) getAtt(at *yaml.Node, path string) (string, error) {
	name, attribute, _ := strings.Cut(path, ".")
	resource, ok := r.Resources[name]
	if !ok {
		return "", Wrong(at, "GetAtt names %q, which is not a resource", name)
	}
	value, ok := resource.Attributes[attribute]
	if !ok {
		return "", Wrong(at, "the local cloud knows no attribute %q of %s", attribute, name)
	}
	return value, nil
}

var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

func (r *Resolver) sub(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", Wrong(n, "Sub wants a text")
	}
	var failed error
	out := placeholder.ReplaceAllStringFunc(n.Value, func(match string) string {
		name := match[2 : len(match)-1]
		// CloudFormation's escape: ${!Name} produces the text ${Name}.
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			return "${" + literal + "}"
		}
		lookUp := r.ref
		if strings.Contains(name, ".") {
			lookUp = r.getAtt
		}
		value, err := lookUp(n, name)
		if err != nil {
			failed = err
		}
		return value
	})
	return out, failed
}

// References returns the IDs that the intrinsic functions in a value name, parameters and pseudo parameters among them.
func References(n *yaml.Node) (ids []string) {
	if n == nil {
		return nil
	}
	name := func(path string) string {
		id, _, _ := strings.Cut(path, ".")
		return id
	}
	switch n.Tag {
	case "!Ref", "!GetAtt":
		ids = append(ids, name(n.Value))
	case "!Sub":
		for _, match := range placeholder.FindAllStringSubmatch(n.Value, -1) {
			ids = append(ids, name(match[1]))
		}
	}
	for _, inner := range n.Content {
		ids = append(ids, References(inner)...)
	}
	return ids
}

// Condition evaluates the condition with this name.
func (r *Resolver) Condition(name *yaml.Node) (bool, error) {
	c, ok := r.Conditions[name.Value]
	if !ok {
		return false, Wrong(name, "there is no condition %q", name.Value)
	}
	return r.truth(&c)
}

func (r *Resolver) truth(n *yaml.Node) (bool, error) {
	switch {
	case n.Tag == "!Not" && len(n.Content) == 1:
		truth, err := r.truth(n.Content[0])
		return !truth, err
	case n.Tag == "!And" && len(n.Content) > 1:
		for _, part := range n.Content {
			if truth, err := r.truth(part); err != nil || !truth {
				return false, err
			}
		}
		return true, nil
	case n.Tag == "!Condition":
		return r.Condition(n)
	case n.Tag == "!Equals" && len(n.Content) == 2:
		a, errA := r.Resolve(n.Content[0])
		b, errB := r.Resolve(n.Content[1])
		if errA != nil || errB != nil || a == nil || b == nil {
			return false, Wrong(n, "Equals wants two values that are known: %v, %v", errA, errB)
		}
		return a.Value == b.Value, nil
	}
	return false, Wrong(n, "a condition is Equals of two values, Not of a condition, And of several, or another Condition")
}

// Parameter is an entry of Parameters. Its value is a string or a number.
type Parameter struct {
	Type          string   `yaml:"Type"`
	Default       *string  `yaml:"Default"`
	AllowedValues []string `yaml:"AllowedValues"`
	MinValue      *float64 `yaml:"MinValue"`
	MaxValue      *float64 `yaml:"MaxValue"`
	MaxLength     *int     `yaml:"MaxLength"`
	Description   string   `yaml:"Description"`
	NoEcho        bool     `yaml:"NoEcho"`
}

// ListType is the type of parameters whose elements stand between commas.
const ListType = "CommaDelimitedList"

// Check returns an error for an invalid value of the parameter.
func (p Parameter) Check(value string) error {
	if len(p.AllowedValues) > 0 && !slices.Contains(p.AllowedValues, value) {
		return fmt.Errorf("%q is not among its AllowedValues", value)
	}
	if p.MaxLength != nil && len(value) > *p.MaxLength {
		return fmt.Errorf("its %d characters are more than its MaxLength", len(value))
	}
	// MinValue and MaxValue apply only to numbers.
	if p.Type == "String" || p.Type == ListType {
		return nil
	}
	number, err := strconv.ParseFloat(value, 64)
	switch {
	case p.Type != "Number":
		return fmt.Errorf("parameters of type %s are not served by the local cloud", p.Type)
	case err != nil:
		return fmt.Errorf("%q is not a number", value)
	case p.MinValue != nil && number < *p.MinValue, p.MaxValue != nil && number > *p.MaxValue:
		return fmt.Errorf("%s is less than its MinValue or more than its MaxValue", value)
	}
	return nil
}
