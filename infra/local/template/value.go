package template

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Kind is the shape of a Value.
type Kind int

// The shapes.
const (
	Scalar Kind = iota
	List
	Mapping
	Nothing // AWS::NoValue, or null
)

// Value is a piece of the template with the line it stands on. Before
// resolution Call may name an intrinsic function; the values handed out by this
// package are resolved.
type Value struct {
	Line int
	Kind Kind
	Text string // of a Scalar
	Bare bool   // of a Scalar: a number or a truth value written without quotes
	Call string // "Ref", "GetAtt", "Sub" …; its argument is the value itself

	Items  []*Value          // of a List
	Keys   []string          // of a Mapping, in file order
	Fields map[string]*Value // of a Mapping
}

// maxNodes bounds a template whose aliases multiply.
const maxNodes = 100_000

type parser struct{ nodes int }

func (p *parser) value(n *yaml.Node) (*Value, error) {
	if p.nodes++; p.nodes > maxNodes {
		return nil, fmt.Errorf("line %d: the template is too large", n.Line)
	}
	if n.Kind == yaml.AliasNode {
		return p.value(n.Alias)
	}

	v := &Value{Line: n.Line}
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		v.Call = strings.TrimPrefix(n.Tag, "!")
	}

	switch n.Kind {
	case yaml.ScalarNode:
		v.Text = n.Value
		switch n.Tag {
		case "!!null":
			v.Kind = Nothing
		case "!!int", "!!float", "!!bool":
			v.Bare = true
		}

		return v, nil
	case yaml.SequenceNode:
		v.Kind = List
		for _, item := range n.Content {
			child, err := p.value(item)
			if err != nil {
				return nil, err
			}
			v.Items = append(v.Items, child)
		}

		return v, nil
	case yaml.MappingNode:
		return p.mapping(n, v)
	}

	return nil, fmt.Errorf("line %d: not understood", n.Line)
}

func (p *parser) mapping(n *yaml.Node, v *Value) (*Value, error) {
	v.Kind, v.Fields = Mapping, map[string]*Value{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		if n.Content[i].Kind != yaml.ScalarNode || n.Content[i].Tag == "!!merge" {
			return nil, fmt.Errorf("line %d: a key must be a plain word", n.Content[i].Line)
		}
		if _, twice := v.Fields[key]; twice {
			return nil, fmt.Errorf("line %d: %s is given twice", n.Content[i].Line, key)
		}

		child, err := p.value(n.Content[i+1])
		if err != nil {
			return nil, err
		}

		v.Keys = append(v.Keys, key)
		v.Fields[key] = child
	}

	return longForm(v)
}

// longForm turns {Ref: X} and {Fn::Name: …} into the same shape as !Ref and
// !Name.
func longForm(v *Value) (*Value, error) {
	if len(v.Keys) != 1 || v.Call != "" {
		return v, nil
	}
	name, isFn := strings.CutPrefix(v.Keys[0], "Fn::")
	if !isFn && name != "Ref" {
		return v, nil
	}
	argument := v.Fields[v.Keys[0]]
	if argument.Call != "" {
		// {Fn::X: !Y …}: keep the inner call as the only item of a list.
		argument = &Value{Line: v.Line, Kind: List, Items: []*Value{argument}}
	}
	called := *argument
	called.Line, called.Call = v.Line, name
	return &called, nil
}

// parse reads YAML into a Value.
func parse(source []byte) (*Value, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return nil, err
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, fmt.Errorf("line 1: the template is empty")
	}
	v, err := new(parser).value(document.Content[0])
	if err != nil {
		return nil, err
	}
	if v.Kind != Mapping || v.Call != "" {
		return nil, fmt.Errorf("line %d: a template is a mapping", v.Line)
	}
	return v, nil
}
