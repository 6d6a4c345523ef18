package template

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// Alarm is a CloudWatch alarm on one metric. It never fires here; infra/check reads it.
type Alarm struct {
	ID         string
	name       string            // its physical name
	Namespace  string            // such as "AWS/SQS"
	Metric     string            // in CloudWatch's spelling
	Dimensions map[string]string // "QueueName" → the name of the queue
	Below      bool              // the alarm fires if the metric is too low instead of too high
	Missing    string            // how missing data counts: "breaching", "notBreaching", "ignore", "missing"
}

func (b *builder) alarm(id, name string, n *yaml.Node) {
	p := struct {
		Namespace  string `yaml:"Namespace"`
		MetricName string `yaml:"MetricName"`
		Dimensions []struct {
			Name  string `yaml:"Name"`
			Value string `yaml:"Value"`
		} `yaml:"Dimensions"`
		ComparisonOperator string `yaml:"ComparisonOperator"`
		TreatMissingData   string `yaml:"TreatMissingData"`
		EvaluationPeriods  int    `yaml:"EvaluationPeriods" range:"1 1440"`
		Period             int    `yaml:"Period" range:"10 86400"`
	}{TreatMissingData: "missing", Period: 60}
	b.decode(id, n, &p, "AlarmName", "AlarmDescription", "AlarmActions", "OKActions", "DatapointsToAlarm", "Statistic", "Threshold")

	if p.MetricName == "" || p.Namespace == "" || p.ComparisonOperator == "" {
		b.fail(id, "MetricName, Namespace or ComparisonOperator is missing")
	}
	b.oneOf(id, "TreatMissingData", p.TreatMissingData, "missing", "breaching", "notBreaching", "ignore")
	a := &Alarm{
		ID: id, name: name, Namespace: p.Namespace, Metric: p.MetricName, Missing: p.TreatMissingData, Dimensions: map[string]string{},
		Below: strings.HasPrefix(p.ComparisonOperator, "LessThan"),
	}
	for _, d := range p.Dimensions {
		a.Dimensions[d.Name] = d.Value
	}
	b.out.Alarms = append(b.out.Alarms, a)
}
