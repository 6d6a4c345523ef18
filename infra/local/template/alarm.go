package template

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/insight"
)

// Alarm is a CloudWatch alarm: on one metric, or on each series of a Metrics Insights query.
type Alarm struct {
	ID         string
	name       string            // its physical name
	Namespace  string            // such as "AWS/SQS"
	Metric     string            // in CloudWatch's spelling
	Dimensions map[string]string // "QueueName" → the name of the queue; none: the metric of the whole region
	Query      *insight.Query    // instead of Dimensions
	Statistic  string            // Sum, Average, Maximum or Minimum
	Period     time.Duration
	Periods    int // number of periods that are evaluated
	Datapoints int // number of them that must breach
	Threshold  float64
	Below      bool   // the alarm fires if the metric is too low instead of too high
	Missing    string // how missing data counts: "breaching" or "notBreaching"
}

// Watches reports whether the alarm sees the metric of one resource. A metric without dimensions and a query see all
// resources of the region.
func (a *Alarm) Watches(metric, dimension, name string) bool {
	if a.Metric != metric {
		return false
	}
	if a.Query != nil {
		return slices.Contains(a.Query.Schema, dimension)
	}
	return len(a.Dimensions) == 0 || a.Dimensions[dimension] == name
}

// dimensions are the Dimensions of an alarm.
type dimensions []struct {
	Name  string `yaml:"Name"`
	Value string `yaml:"Value"`
}

type alarmProperties struct {
	Namespace  string     `yaml:"Namespace"`
	MetricName string     `yaml:"MetricName"`
	Dimensions dimensions `yaml:"Dimensions"`
	Statistic  string     `yaml:"Statistic"`
	Metrics    []struct {
		Id         string `yaml:"Id"`
		Expression string `yaml:"Expression"`
		Period     int    `yaml:"Period"`
	} `yaml:"Metrics"`
	ComparisonOperator string  `yaml:"ComparisonOperator"`
	TreatMissingData   string  `yaml:"TreatMissingData"`
	EvaluationPeriods  int     `yaml:"EvaluationPeriods" range:"1 1440"`
	DatapointsToAlarm  int     `yaml:"DatapointsToAlarm" range:"0 1440"`
	Period             int     `yaml:"Period" range:"10 86400"`
	Threshold          float64 `yaml:"Threshold"`
}

func (b *builder) alarm(id, name string, n *yaml.Node) {
	p := alarmProperties{TreatMissingData: "missing", Period: 60}
	b.decode(id, n, &p, "AlarmName", "AlarmDescription", "AlarmActions", "OKActions")
	a := &Alarm{
		ID: id, name: name, Namespace: p.Namespace, Metric: p.MetricName, Dimensions: map[string]string{}, Statistic: p.Statistic,
		Period: seconds(p.Period), Periods: p.EvaluationPeriods, Datapoints: p.DatapointsToAlarm, Threshold: p.Threshold,
		Below: strings.HasPrefix(p.ComparisonOperator, "LessThan"), Missing: p.TreatMissingData,
	}
	if a.Datapoints == 0 {
		a.Datapoints = a.Periods
	}
	for _, d := range p.Dimensions {
		a.Dimensions[d.Name] = d.Value
	}

	switch {
	case len(p.Metrics) == 1 && p.MetricName == "":
		query, err := insight.ParseQuery(p.Metrics[0].Expression)
		if err != nil {
			b.fail(id, "Expression: %w", err)
			return
		}
		a.Query, a.Namespace, a.Metric, a.Statistic = query, query.Namespace, query.Metric, query.Statistic
		a.Period = seconds(p.Metrics[0].Period)
	case len(p.Metrics) > 0:
		b.fail(id, "the local cloud serves alarms on one metric or on one query, not on several metrics")
	case p.MetricName == "" || p.Namespace == "":
		b.fail(id, "MetricName or Namespace is missing")
	}
	b.oneOf(id, "ComparisonOperator", p.ComparisonOperator, "GreaterThanThreshold", "LessThanThreshold")
	b.oneOf(id, "TreatMissingData", p.TreatMissingData, "breaching", "notBreaching")
	b.oneOf(id, "Statistic", a.Statistic, "Sum", "Average", "Maximum", "Minimum")
	if a.Period < time.Minute || a.Period%time.Minute != 0 {
		b.fail(id, "Period: the local cloud serves whole minutes")
	}
	b.out.Alarms = append(b.out.Alarms, a)
}
