// Package refusal holds the rules by which AWS refuses a template that its linter lets pass, in one table, each with
// the page that says so. A rule sees the template as it is deployed: with a long stack name, and with the lowest and
// the highest value of every parameter.
//
//	template ──► Read with extreme parameters ──► Rules ──► "SomeQueue: its policy has 9000 bytes, … [rule]"
//	template, template of the release before ──► Upgrade ──► what CloudFormation would refuse or replace
package refusal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"minicloud/infra/local/template"
)

// LongestStack is how many characters the name of a stack may have. CloudFormation takes 128, but the names of tables
// and queues begin with it, and the console's environment variables, 4 KB at most, hold most of them.
const LongestStack = 40

// region has as many characters as the longest of the standard partition: regions stand in ARNs and URLs.
const region = "ap-northeast-1"

// Rule is one demand of AWS.
type Rule struct {
	Demand string // what must be so
	Source string // the page of docs.aws.amazon.com that says so, or a report on GitHub
	broken func(s *stack, report report)
}

// report notes that something breaks the rule: its id, and how.
type report func(id, format string, a ...any)

// stack is a template as it is deployed.
type stack struct {
	*template.Template
}

// Check returns what AWS would refuse, sorted: the id, how, and the broken demand.
func Check(source []byte) []string {
	found := map[string]bool{} // most are found with both values
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
			rule.broken(&stack{t}, func(id, format string, a ...any) {
				found[id+": "+fmt.Sprintf(format, a...)+" ["+rule.Demand+"]"] = true
			})
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// extremes returns the lowest or the highest value that each parameter takes. A parameter without a bound has its
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
		case len(p.AllowedValues) > 0: // of listed values the length matters: they become parts of others
			byLength := slices.SortedFunc(slices.Values(p.AllowedValues), func(a, b string) int { return len(a) - len(b) })
			out[name] = byLength[0]
			if highest {
				out[name] = byLength[len(byLength)-1]
			}
		case bound != nil:
			out[name] = strconv.FormatFloat(*bound, 'f', -1, 64)
		case p.Type == "String" && !highest:
			out[name] = ""
		case p.MaxLength != nil:
			out[name] = strings.Repeat("x", *p.MaxLength)
		}
	}
	return out, nil
}

// size is the number of characters of a value as JSON without white space.
func size(value any) int {
	encoded, err := json.Marshal(value)
	if err != nil {
		return 0 // a template holds nothing that JSON cannot
	}
	return len(encoded)
}

// list is the list of a property, nil where there is none.
func list(properties map[string]any, name string) []any {
	all, _ := properties[name].([]any)
	return all
}

// texts are the texts of a property that is one text or a list.
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

// resources gives each resource of a type to a rule.
func resources(kind string, f func(r template.Resource, fail func(format string, a ...any))) func(*stack, report) {
	return func(s *stack, report report) {
		for _, r := range s.Resources {
			if r.Type == kind {
				f(r, func(format string, a ...any) { report(r.ID, format, a...) })
			}
		}
	}
}

// functions gives each function to a rule.
func functions(f func(f *template.Function, fail func(format string, a ...any))) func(*stack, report) {
	return func(s *stack, report report) {
		for _, function := range s.Functions {
			f(function, func(format string, a ...any) { report(function.ID, format, a...) })
		}
	}
}

// atMost is a rule about a number of the whole template.
func atMost(most int, what string, count func(s *stack) int) func(*stack, report) {
	return func(s *stack, report report) {
		if n := count(s); n > most {
			report("template", "%d %s, at most %d", n, what, most)
		}
	}
}
