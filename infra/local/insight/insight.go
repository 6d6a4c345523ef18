// Package insight reads the two languages of CloudWatch that the template uses: Metrics Insights queries of alarms, and
// filter patterns of log lines. It knows the forms that the template needs and refuses all others.
//
//	SELECT MAX(Age) FROM SCHEMA("AWS/SQS", QueueName) GROUP BY QueueName ORDER BY MAX() DESC
//	{ $.msg = "request failed" && $.bucket >= 0 }
package insight

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Query is a Metrics Insights query: one series per value of GroupBy, from all metrics that have exactly the
// dimensions of Schema.
type Query struct {
	Statistic string // in the words of alarms: Sum, Average, Maximum or Minimum
	Metric    string
	Namespace string
	Schema    []string // names of dimensions
	GroupBy   string
}

// queryForm is the form of queries. It has no WHERE: CloudWatch joins the conditions of a WHERE by AND only, so none
// could name a set of resources. An alarm on several series needs ORDER BY.
var queryForm = regexp.MustCompile(`^SELECT (\w+)\((\w+)\) FROM SCHEMA\("([\w./-]+)"((?:, \w+)+)\) ` +
	`GROUP BY (\w+) ORDER BY (\w+)\(\) DESC$`)

var statistics = map[string]string{"SUM": "Sum", "AVG": "Average", "MAX": "Maximum", "MIN": "Minimum"}

// ParseQuery reads a query.
func ParseQuery(text string) (*Query, error) {
	parts := queryForm.FindStringSubmatch(text)
	if parts == nil || statistics[parts[1]] == "" || parts[6] != parts[1] {
		return nil, fmt.Errorf(`the local cloud serves queries of the form SELECT SUM(metric) FROM SCHEMA("namespace", Dimension) `+
			`GROUP BY Dimension ORDER BY SUM() DESC, not %q`, text)
	}
	q := &Query{
		Statistic: statistics[parts[1]], Metric: parts[2], Namespace: parts[3],
		Schema: strings.Split(strings.TrimPrefix(parts[4], ", "), ", "), GroupBy: parts[5],
	}
	if !slices.Contains(q.Schema, q.GroupBy) {
		return nil, fmt.Errorf("the query groups by %s, which is none of its dimensions", q.GroupBy)
	}
	return q, nil
}

// Pattern is a filter pattern of JSON log lines; all conditions must hold.
type Pattern []Condition

// Condition is a condition on a field: it equals Text, or it is a number of at least AtLeast.
type Condition struct {
	Field   string
	Text    *string
	AtLeast *float64
}

var condition = regexp.MustCompile(`^\$\.(\w+) (?:= "([^"]*)"|>= (-?\d+))$`)

// ParsePattern reads a filter pattern.
func ParsePattern(text string) (Pattern, error) {
	var out Pattern
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "{ "), " }")
	for part := range strings.SplitSeq(inner, " && ") {
		found := condition.FindStringSubmatch(part)
		if found == nil || len(inner) != len(text)-len("{ "+" }") {
			return nil, fmt.Errorf(`the local cloud serves { $.field = "text" && $.field >= number }, not %q`, text)
		}
		c := Condition{Field: found[1]}
		if found[3] == "" {
			c.Text = &found[2]
		} else {
			var least float64
			_ = json.Unmarshal([]byte(found[3]), &least) // the expression matches digits only
			c.AtLeast = &least
		}
		out = append(out, c)
	}
	return out, nil
}

// Match returns the fields of a line that matches.
func (p Pattern) Match(line []byte) (fields map[string]any, ok bool) {
	for _, c := range p { // most lines are sorted out without parsing them
		if c.Text != nil && !bytes.Contains(line, []byte(*c.Text)) {
			return nil, false
		}
	}
	if json.Unmarshal(line, &fields) != nil {
		return nil, false
	}
	for _, c := range p {
		number, isNumber := fields[c.Field].(float64)
		if c.Text != nil && fields[c.Field] != *c.Text || c.AtLeast != nil && (!isNumber || number < *c.AtLeast) {
			return nil, false
		}
	}
	return fields, true
}
