package monitor

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"minicloud/infra/local/insight"
	"minicloud/infra/local/template/node"
)

// Alarm is a CloudWatch alarm: on one metric, or on each series of a Metrics Insights query.
type Alarm struct {
	ID         string
	Name       string            // its physical name
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

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

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

// ReadAlarm reads an alarm.
func ReadAlarm(id, name string, r node.Reader) *Alarm {
	p := alarmProperties{TreatMissingData: "missing", Period: 60}
	r.Decode(&p, "AlarmName", "AlarmDescription", "AlarmActions", "OKActions")
	a := &Alarm{
		ID: id, Name: name, Namespace: p.Namespace, Metric: p.MetricName, Dimensions: map[string]string{}, Statistic: p.Statistic,
		Period: seconds(p.Period), Periods: p.EvaluationPeriods, Datapoints: p.DatapointsToAlarm, Threshold: p.Threshold,
		Below: strings.HasPrefix(p.ComparisonOperator, "LessThan"), Missing: p.TreatMissingData,
	}
	a.Datapoints = cmp.Or(a.Datapoints, a.Periods)
	for _, d := range p.Dimensions {
		a.Dimensions[d.Name] = d.Value
	}

	switch {
	case len(p.Metrics) == 1 && p.MetricName == "":
		query, err := insight.ParseQuery(p.Metrics[0].Expression)
		if err != nil {
			r.Fail("Expression: %w", err)
			return a
		}
		a.Query, a.Namespace, a.Metric, a.Statistic = query, query.Namespace, query.Metric, query.Statistic
		a.Period = seconds(p.Metrics[0].Period)
	case len(p.Metrics) > 0:
		r.Fail("the local cloud serves alarms on one metric or on one query, not on several metrics")
	case p.MetricName == "" || p.Namespace == "":
		r.Fail("MetricName or Namespace is missing")
	}
	r.OneOf("ComparisonOperator", p.ComparisonOperator, "GreaterThanThreshold", "LessThanThreshold")
	r.OneOf("TreatMissingData", p.TreatMissingData, "breaching", "notBreaching")
	r.OneOf("Statistic", a.Statistic, "Sum", "Average", "Maximum", "Minimum")
	if a.Period < time.Minute || a.Period%time.Minute != 0 {
		r.Fail("Period: the local cloud serves whole minutes")
	}
	return a
}
