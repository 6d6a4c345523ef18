package template

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// resolver replaces the intrinsic functions Ref, GetAtt, Sub, If and those of conditions with their values.
type resolver struct {
	parameters map[string]string
	conditions map[string]yaml.Node
	resources  map[string]reference
}

// reference holds the Ref and GetAtt values of one resource.
type reference struct {
	ref        string
	attributes map[string]string
	stage      string // what sam makes of Ref <id>.Stage; "" means that it is not an API
}

// resolve returns a copy of the node without intrinsic functions, or nil for AWS::NoValue.
func (r *resolver) resolve(n *yaml.Node) (*yaml.Node, error) {
	if name, short := strings.CutPrefix(n.Tag, "!"); short && !strings.HasPrefix(name, "!") {
		return r.call(name, n)
	}
	if n.Kind == yaml.AliasNode {
		return nil, wrong(n, "YAML aliases are not served by the local cloud")
	}
	if strings.Contains(n.Value, "{{resolve:") {
		return nil, wrong(n, "dynamic references ({{resolve:…}}) are not served by the local cloud")
	}

	out := *n
	out.Content = nil
	seen := map[string]bool{}
	for key, value := range pairs(n) {
		switch {
		case key.Value == "Ref" || strings.HasPrefix(key.Value, "Fn::"):
			return nil, wrong(key, "%s: the local cloud serves the short form of intrinsic functions only", key.Value)
		case seen[key.Value]:
			return nil, wrong(key, "%s is given twice", key.Value)
		}
		seen[key.Value] = true
		resolved, err := r.resolve(value)
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
			resolved, err := r.resolve(item)
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

func (r *resolver) call(name string, n *yaml.Node) (*yaml.Node, error) {
	var value string
	var err error
	switch name {
	case "Ref":
		if n.Value == "AWS::NoValue" {
			return nil, nil
		}
		value, err = r.ref(n, n.Value)
	case "GetAtt":
		value, err = r.getAtt(n, n.Value)
	case "Sub":
		value, err = r.sub(n)
	case "If":
		if n.Kind != yaml.SequenceNode || len(n.Content) != 3 {
			return nil, wrong(n, "If wants a condition and two values")
		}
		truth, err := r.condition(n.Content[0])
		if err != nil {
			return nil, err
		}
		if truth {
			return r.resolve(n.Content[1])
		}
		return r.resolve(n.Content[2])
	default:
		return nil, wrong(n, "the intrinsic function %s is not served by the local cloud", name)
	}
	out := &yaml.Node{Kind: yaml.ScalarNode, Value: value, Line: n.Line, Column: n.Column}
	// Without a tag, the type of the field decides the decoding: parameters may be numbers. An empty string would
	// become null.
	if value == "" {
		out.Tag = "!!str"
	}
	return out, err
}

func (r *resolver) ref(at *yaml.Node, name string) (string, error) {
	if value, ok := r.parameters[name]; ok {
		return value, nil
	}
	if resource, ok := r.resources[name]; ok {
		return resource.ref, nil
	}
	if id, ok := strings.CutSuffix(name, ".Stage"); ok && r.resources[id].stage != "" {
		return r.resources[id].stage, nil
	}
	return "", wrong(at, "%s is neither a parameter nor a resource", name)
}

func (r *resolver) getAtt(at *yaml.Node, path string) (string, error) {
	name, attribute, _ := strings.Cut(path, ".")
	resource, ok := r.resources[name]
	if !ok {
		return "", wrong(at, "GetAtt names %q, which is not a resource", name)
	}
	value, ok := resource.attributes[attribute]
	if !ok {
		return "", wrong(at, "the local cloud knows no attribute %q of %s", attribute, name)
	}
	return value, nil
}

var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

func (r *resolver) sub(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", wrong(n, "Sub wants a text")
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

// condition evaluates the condition with this name.
func (r *resolver) condition(name *yaml.Node) (bool, error) {
	c, ok := r.conditions[name.Value]
	if !ok {
		return false, wrong(name, "there is no condition %q", name.Value)
	}
	return r.truth(&c)
}

func (r *resolver) truth(n *yaml.Node) (bool, error) {
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
		return r.condition(n)
	case n.Tag == "!Equals" && len(n.Content) == 2:
		a, errA := r.resolve(n.Content[0])
		b, errB := r.resolve(n.Content[1])
		if errA != nil || errB != nil || a == nil || b == nil {
			return false, wrong(n, "Equals wants two values that are known: %v, %v", errA, errB)
		}
		return a.Value == b.Value, nil
	}
	return false, wrong(n, "a condition is Equals of two values, Not of a condition, And of several, or another Condition")
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

// check returns an error for an invalid value of the parameter.
func (p Parameter) check(value string) error {
	if len(p.AllowedValues) > 0 && !slices.Contains(p.AllowedValues, value) {
		return fmt.Errorf("%q is not among its AllowedValues", value)
	}
	if p.MaxLength != nil && len(value) > *p.MaxLength {
		return fmt.Errorf("its %d characters are more than its MaxLength", len(value))
	}
	// MinValue and MaxValue apply only to numbers.
	if p.Type == "String" {
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
