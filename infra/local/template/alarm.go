package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Elsewhere is a resource that only AWS has: the local cloud takes it, sees
// that what it refers to exists, serves nothing for it and says so at start.
type Elsewhere struct{ ID, Type string }

// Alarm watches one metric. It never rings here; infra/check reads it.
type Alarm struct {
	ID         string
	Namespace  string            // "AWS/SQS"
	Metric     string            // as CloudWatch spells it
	Dimensions map[string]string // "QueueName" → the queue's name
	Below      bool              // it rings when the metric is too low, not too high
	Missing    string            // what no data is: "breaching", "notBreaching", "ignore", "missing"
}

func (b *builder) alarm(id, _ string, s *section) {
	a := &Alarm{
		ID: id, Namespace: s.required("Namespace"), Metric: s.required("MetricName"), Dimensions: map[string]string{},
	}
	for _, d := range s.each("Dimensions") {
		a.Dimensions[d.required("Name")] = d.required("Value")
		d.done()
	}
	a.Below = strings.HasPrefix(s.required("ComparisonOperator"), "LessThan")
	a.Missing = s.oneOf("TreatMissingData", "missing", "breaching", "notBreaching", "ignore")
	s.number("EvaluationPeriods", 0, 1, 1440)
	s.number("Period", 60, 10, 86400)
	s.done("AlarmName", "AlarmDescription", "ActionsEnabled", "AlarmActions", "OKActions", "InsufficientDataActions",
		"DatapointsToAlarm", "Statistic", "ExtendedStatistic", "Threshold", "Unit", "Tags")
	b.out.Alarms = append(b.out.Alarms, a)
}

// watched are the dimensions that name a resource, and those there are.
func (b *builder) watched() map[string][]string {
	out := map[string][]string{"QueueName": nil, "FunctionName": nil, "TableName": nil}
	for _, q := range b.out.Queues {
		out["QueueName"] = append(out["QueueName"], q.Name)
	}
	for _, f := range b.out.Functions {
		out["FunctionName"] = append(out["FunctionName"], f.Name)
	}
	for _, t := range b.out.Tables {
		out["TableName"] = append(out["TableName"], t.Name)
	}
	return out
}

// checkAlarms finds alarms that would never ring because they watch nothing:
// CloudWatch takes any name.
func (b *builder) checkAlarms() {
	there := b.watched()
	for _, a := range b.out.Alarms {
		for _, dimension := range slices.Sorted(maps.Keys(a.Dimensions)) {
			names, known := there[dimension]
			if name := a.Dimensions[dimension]; known && !slices.Contains(names, name) {
				b.fail(fmt.Errorf("%s: watches the %s %s, which is not in this template", a.ID, dimension, name))
			}
		}
	}
}
