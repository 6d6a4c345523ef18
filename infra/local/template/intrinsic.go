package template

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// resolver replaces intrinsic functions by what they stand for.
type resolver struct {
	parameters map[string]*Value
	conditions map[string]*Value
	mappings   map[string]*Value
	resources  map[string]reference
	asked      map[string]bool // conditions being evaluated, against cycles
}

// reference is what Ref and GetAtt of one resource give.
type reference struct {
	ref        string
	attributes map[string]string
}

func wrong(v *Value, format string, a ...any) error {
	return fmt.Errorf("line %d: %s", v.Line, fmt.Sprintf(format, a...))
}

func (r *resolver) resolve(v *Value) (*Value, error) {
	if v.Call != "" {
		return r.call(v)
	}

	switch v.Kind {
	case List:
		return r.list(v)
	case Mapping:
		out := &Value{Line: v.Line, Kind: Mapping, Fields: map[string]*Value{}}
		for _, key := range v.Keys {
			child, err := r.resolve(v.Fields[key])
			if err != nil {
				return nil, err
			}
			if child.Kind == Nothing {
				continue
			}

			out.Keys = append(out.Keys, key)
			out.Fields[key] = child
		}

		return out, nil
	}

	if strings.Contains(v.Text, "{{resolve:") {
		return nil, wrong(v, "dynamic references ({{resolve:…}}) are not served by the local cloud")
	}

	return v, nil
}

func (r *resolver) list(v *Value) (*Value, error) {
	out := &Value{Line: v.Line, Kind: List}
	for _, item := range v.Items {
		child, err := r.resolve(item)
		if err != nil {
			return nil, err
		}
		if child.Kind != Nothing {
			out.Items = append(out.Items, child)
		}
	}
	return out, nil
}

// call runs one intrinsic function. Those whose argument must be seen
// unresolved come first.
func (r *resolver) call(v *Value) (*Value, error) {
	switch v.Call {
	case "Ref":
		return r.ref(v)
	case "GetAtt":
		return r.getAtt(v)
	case "Sub":
		return r.sub(v)
	case "If":
		return r.choose(v)
	case "Equals", "And", "Or", "Not", "Condition":
		truth, err := r.truth(v)
		if err != nil {
			return nil, err
		}
		return text(v, strconv.FormatBool(truth)), nil
	}

	argument := *v
	argument.Call = ""
	resolved, err := r.resolve(&argument)
	if err != nil {
		return nil, err
	}

	switch v.Call {
	case "Join":
		return join(v, resolved)
	case "Select":
		return pick(v, resolved)
	case "Split":
		return split(v, resolved)
	case "FindInMap":
		return r.findInMap(v, resolved)
	}

	return nil, wrong(v, "the intrinsic function %s is not served by the local cloud", v.Call)
}

func text(at *Value, s string) *Value { return &Value{Line: at.Line, Kind: Scalar, Text: s} }

func (r *resolver) ref(v *Value) (*Value, error) {
	if v.Kind != Scalar {
		return nil, wrong(v, "Ref wants a name")
	}
	if v.Text == "AWS::NoValue" {
		return &Value{Line: v.Line, Kind: Nothing}, nil
	}
	if parameter, ok := r.parameters[v.Text]; ok {
		return parameter, nil
	}
	if resource, ok := r.resources[v.Text]; ok {
		return text(v, resource.ref), nil
	}
	return nil, wrong(v, "%s is neither a parameter nor a resource", v.Text)
}

func (r *resolver) getAtt(v *Value) (*Value, error) {
	name, attribute, _ := strings.Cut(v.Text, ".")
	if v.Kind == List && len(v.Items) == 2 {
		name, attribute = v.Items[0].Text, v.Items[1].Text
	}
	resource, ok := r.resources[name]
	if !ok {
		return nil, wrong(v, "GetAtt names %q, which is not a resource", name)
	}
	s, ok := resource.attributes[attribute]
	if !ok {
		return nil, wrong(v, "the local cloud knows no attribute %q of %s", attribute, name)
	}
	return text(v, s), nil
}

var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

func (r *resolver) sub(v *Value) (*Value, error) {
	format, own := v, map[string]*Value{}
	if v.Kind == List {
		if len(v.Items) != 2 || v.Items[1].Kind != Mapping {
			return nil, wrong(v, "Sub wants a text, or a list of a text and a mapping")
		}

		names, err := r.resolve(v.Items[1])
		if err != nil {
			return nil, err
		}

		format, own = v.Items[0], names.Fields
	}

	if format.Kind != Scalar {
		return nil, wrong(v, "Sub wants a text")
	}

	var failed error
	out := placeholder.ReplaceAllStringFunc(format.Text, func(match string) string {
		name := strings.TrimSpace(match[2 : len(match)-1])
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			return "${" + literal + "}"
		}
		if s, ok := own[name]; ok && s.Kind == Scalar {
			return s.Text
		}

		named := &Value{Line: v.Line, Text: name}
		found, err := r.ref(named)
		if strings.Contains(name, ".") && !strings.Contains(name, "::") {
			found, err = r.getAtt(named)
		}
		if err == nil && found.Kind != Scalar {
			err = wrong(v, "Sub cannot put the list %s into a text", name)
		}
		if err != nil {
			failed = err
			return ""
		}

		return found.Text
	})
	return text(v, out), failed
}

func (r *resolver) choose(v *Value) (*Value, error) {
	if v.Kind != List || len(v.Items) != 3 {
		return nil, wrong(v, "If wants a condition and two values")
	}
	truth, err := r.condition(v.Items[0])
	if err != nil {
		return nil, err
	}
	if truth {
		return r.resolve(v.Items[1])
	}
	return r.resolve(v.Items[2])
}

// condition evaluates the condition that name names.
func (r *resolver) condition(name *Value) (bool, error) {
	c, ok := r.conditions[name.Text]
	if !ok {
		return false, wrong(name, "there is no condition %q", name.Text)
	}
	if r.asked[name.Text] {
		return false, wrong(name, "the condition %s depends on itself", name.Text)
	}
	r.asked[name.Text] = true
	defer delete(r.asked, name.Text)
	return r.truth(c)
}

func (r *resolver) truth(v *Value) (bool, error) {
	if v.Call == "" && v.Kind == Mapping && slices.Equal(v.Keys, []string{"Condition"}) {
		return r.condition(v.Fields["Condition"])
	}

	switch v.Call {
	case "Condition":
		return r.condition(v)
	case "Equals":
		return r.equals(v)
	case "Not", "And", "Or":
	default:
		return false, wrong(v, "a condition is Equals, And, Or, Not or Condition")
	}

	if v.Kind != List || len(v.Items) == 0 || (v.Call == "Not" && len(v.Items) != 1) {
		return false, wrong(v, "%s wants a list of conditions", v.Call)
	}

	for _, item := range v.Items {
		truth, err := r.truth(item)
		if err != nil || v.Call == "Not" {
			return !truth, err
		}
		if truth == (v.Call == "Or") {
			return truth, nil
		}
	}

	return v.Call == "And", nil
}

func (r *resolver) equals(v *Value) (bool, error) {
	if v.Kind != List || len(v.Items) != 2 {
		return false, wrong(v, "Equals wants two values")
	}
	a, err := r.resolve(v.Items[0])
	if err != nil {
		return false, err
	}
	b, err := r.resolve(v.Items[1])
	if err != nil {
		return false, err
	}
	return a.Kind == b.Kind && a.Text == b.Text, nil
}

func join(v, argument *Value) (*Value, error) {
	if argument.Kind != List || len(argument.Items) != 2 || argument.Items[1].Kind != List {
		return nil, wrong(v, "Join wants a separator and a list")
	}
	var parts []string
	for _, item := range argument.Items[1].Items {
		parts = append(parts, item.Text)
	}
	return text(v, strings.Join(parts, argument.Items[0].Text)), nil
}

func split(v, argument *Value) (*Value, error) {
	if argument.Kind != List || len(argument.Items) != 2 || argument.Items[0].Text == "" {
		return nil, wrong(v, "Split wants a separator and a text")
	}
	out := &Value{Line: v.Line, Kind: List}
	for part := range strings.SplitSeq(argument.Items[1].Text, argument.Items[0].Text) {
		out.Items = append(out.Items, text(v, part))
	}
	return out, nil
}

func pick(v, argument *Value) (*Value, error) {
	if argument.Kind != List || len(argument.Items) != 2 || argument.Items[1].Kind != List {
		return nil, wrong(v, "Select wants an index and a list")
	}
	i, err := strconv.Atoi(argument.Items[0].Text)
	if err != nil || i < 0 || i >= len(argument.Items[1].Items) {
		return nil, wrong(v, "Select has no item %q", argument.Items[0].Text)
	}
	return argument.Items[1].Items[i], nil
}

func (r *resolver) findInMap(v, argument *Value) (*Value, error) {
	if argument.Kind != List || len(argument.Items) != 3 {
		return nil, wrong(v, "FindInMap wants a mapping and two keys")
	}

	at, ok := r.mappings[argument.Items[0].Text]
	for _, key := range argument.Items[1:] {
		if !ok || at.Kind != Mapping {
			break
		}
		at, ok = at.Fields[key.Text]
	}

	if !ok {
		return nil, wrong(
			v, "FindInMap finds nothing at %s.%s.%s", argument.Items[0].Text, argument.Items[1].Text, argument.Items[2].Text,
		)
	}

	return at, nil
}
