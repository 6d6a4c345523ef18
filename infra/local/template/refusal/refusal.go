// Package refusal contains the rules by which AWS refuses a template that its linter accepts, in one table, each with
// its source. The rules check the template as deployed: with a long stack name, and with the lowest and the highest
// value of every parameter.
//
//	template ──► Read with extreme parameters ──► Rules ──► "SomeQueue: its policy has 9000 bytes, … [rule]"
//	template, template of the last release ──► Upgrade ──► changes that CloudFormation refuses, and lost data
package refusal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template"
	"minicloud/infra/local/template/node"
)

// LongestStack is the maximum length of a stack name. CloudFormation allows 128 characters, but the names of tables
// and queues begin with it, and the console's environment variables, at most 4 KB, contain most of them.
const LongestStack = 40

// region is as long as the longest region of the standard partition, because ARNs and URLs contain it.
const region = "ap-northeast-1"

// Rule is one requirement of AWS.
type Rule struct {
	Demand string // the requirement
	Source string // page of docs.aws.amazon.com with the requirement, or a report on GitHub
	broken func(s *stack, report report)
}

// report records a violation of the rule: the resource's ID and the details.
type report func(id, format string, a ...any)

// stack is a template as it is deployed.
type stack struct {
	*template.Template
	source *yaml.Node // as written
}

// Check returns the violations of all rules, sorted, each with the ID, the details and the broken requirement.
func Check(source []byte) []string {
	found := map[string]bool{} // a set, because most violations occur with both values
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return []string{err.Error()}
	}
	for _, highest := range []bool{false, true} {
		parameters, err := extremes(source, highest)
		if err != nil {
			return []string{err.Error()}
		}
		t, err := template.Read(source, template.Options{
			Stack: strings.Repeat("s", LongestStack), Region: region, Parameters: parameters,
		})
		if err != nil {
			return []string{fmt.Sprintf("with the parameters %v: %v", parameters, err)}
		}
		for _, rule := range Rules() {
			rule.broken(&stack{t, document.Content[0]}, func(id, format string, a ...any) {
				found[id+": "+fmt.Sprintf(format, a...)+" ["+rule.Demand+"]"] = true
			})
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// extremes returns the lowest or the highest allowed value of each parameter. A parameter without a bound keeps its
// default; a rule reports it.
func extremes(source []byte, highest bool) (map[string]string, error) {
	t, err := template.Read(source, template.Options{})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, p := range t.Parameters {
		bound := p.MinValue
		if highest {
			bound = p.MaxValue
		}
		switch {
		case len(p.AllowedValues) > 0: // take the shortest or the longest, because values become parts of other values
			byLength := slices.SortedFunc(slices.Values(p.AllowedValues), func(a, b string) int { return len(a) - len(b) })
			out[name] = byLength[0]
			if highest {
				out[name] = byLength[len(byLength)-1]
			}
		case bound != nil:
			out[name] = strconv.FormatFloat(*bound, 'f', -1, 64)
		case p.Type == "String" && !highest:
			out[name] = ""
		case p.Type == node.ListType && highest:
			out[name] = "x,y"
		case p.MaxLength != nil:
			out[name] = strings.Repeat("x", *p.MaxLength)
		}
	}
	return out, nil
}

// size returns the length in bytes of a value as JSON without white space.
func size(value any) int {
	encoded, err := json.Marshal(value)
	if err != nil {
		return 0 // all values of a template encode as JSON
	}
	return len(encoded)
}

// list returns a property that is a list, or nil if it is missing.
func list(properties map[string]any, name string) []any {
	all, _ := properties[name].([]any)
	return all
}

// texts returns the strings of a property that is one string or a list.
func texts(value any) (out []string) {
	all, ok := value.([]any)
	if !ok {
		all = []any{value}
	}
	for _, v := range all {
		if text, ok := v.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// resources returns a check that calls f for each resource of a type.
func resources(kind string, f func(r template.Resource, fail func(format string, a ...any))) func(*stack, report) {
	return func(s *stack, report report) {
		for _, r := range s.Resources {
			if r.Type == kind {
				f(r, func(format string, a ...any) { report(r.ID, format, a...) })
			}
		}
	}
}

// functions returns a check that calls f for each function.
func functions(f func(f *template.Function, fail func(format string, a ...any))) func(*stack, report) {
	return func(s *stack, report report) {
		for _, function := range s.Functions {
			f(function, func(format string, a ...any) { report(function.ID, format, a...) })
		}
	}
}

// atMost returns a check that limits a count over the whole template.
func atMost(most int, what string, count func(s *stack) int) func(*stack, report) {
	return func(s *stack, report report) {
		if n := count(s); n > most {
			report("template", "%d %s, at most %d", n, what, most)
		}
	}
}
