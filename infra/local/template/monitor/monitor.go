// Package monitor reads what watches the resources of a template: alarms, budgets, filters of logs, dashboards, and the
// access log.
package monitor

import (
	"encoding/json"
	"regexp"
	"strings"

	"minicloud/infra/local/insight"
	"minicloud/infra/local/template/node"
)

// Budget is a monthly budget of the account with its notifications by mail.
type Budget struct {
	ID       string
	Dollars  float64
	Actual   float64 // percentage of Dollars at which the spending so far is reported; 0 for never
	Forecast float64 // percentage at which the forecast for the month is reported; 0 for never
}

// ReadBudget reads a budget.
func ReadBudget(id string, r node.Reader) *Budget {
	var p struct {
		Type          string  `yaml:"Budget.BudgetType"`
		TimeUnit      string  `yaml:"Budget.TimeUnit"`
		Amount        float64 `yaml:"Budget.BudgetLimit.Amount"`
		Unit          string  `yaml:"Budget.BudgetLimit.Unit"`
		Notifications []struct {
			Type        string  `yaml:"Notification.NotificationType"`
			Operator    string  `yaml:"Notification.ComparisonOperator"`
			Threshold   float64 `yaml:"Notification.Threshold"`
			Subscribers []struct {
				SubscriptionType string `yaml:"SubscriptionType"`
				Address          string `yaml:"Address"`
			} `yaml:"Subscribers"`
		} `yaml:"NotificationsWithSubscribers"`
	}
	r.Decode(&p)
	r.OneOf("BudgetType", p.Type, "COST")
	r.OneOf("TimeUnit", p.TimeUnit, "MONTHLY")
	r.OneOf("Unit", p.Unit, "USD")
	budget := &Budget{ID: id, Dollars: p.Amount}
	for _, entry := range p.Notifications {
		r.OneOf("NotificationType", entry.Type, "ACTUAL", "FORECASTED")
		r.OneOf("ComparisonOperator", entry.Operator, "GREATER_THAN")
		if len(entry.Subscribers) == 0 {
			r.Fail("a notification has no Subscribers")
		}
		if entry.Type == "ACTUAL" {
			budget.Actual = entry.Threshold
		} else {
			budget.Forecast = entry.Threshold
		}
	}
	return budget
}

// MetricFilter makes a metric of log lines, each of value 1.
type MetricFilter struct {
	ID         string
	LogGroup   string
	Pattern    insight.Pattern
	Namespace  string
	Metric     string
	Dimensions map[string]string // name → field of the log line
}

// ReadMetricFilter reads a metric filter.
func ReadMetricFilter(id string, r node.Reader) *MetricFilter {
	var p struct {
		LogGroupName          string `yaml:"LogGroupName"`
		FilterPattern         string `yaml:"FilterPattern"`
		MetricTransformations []struct {
			MetricNamespace string `yaml:"MetricNamespace"`
			MetricName      string `yaml:"MetricName"`
			MetricValue     string `yaml:"MetricValue"`
			Dimensions      []struct {
				Key   string `yaml:"Key"`
				Value string `yaml:"Value"`
			} `yaml:"Dimensions"`
		} `yaml:"MetricTransformations"`
	}
	r.Decode(&p)
	f := &MetricFilter{ID: id, LogGroup: p.LogGroupName, Dimensions: map[string]string{}}
	if len(p.MetricTransformations) != 1 {
		r.Fail("a metric filter has one entry in MetricTransformations")
		return f
	}
	made := p.MetricTransformations[0]
	r.OneOf("MetricValue", made.MetricValue, "1")
	f.Namespace, f.Metric = made.MetricNamespace, made.MetricName
	for _, d := range made.Dimensions {
		field, ok := strings.CutPrefix(d.Value, "$.")
		if !ok {
			r.Fail("the dimension %s must be a field such as $.name, not %q", d.Key, d.Value)
		}
		f.Dimensions[d.Key] = field
	}
	var err error
	if f.Pattern, err = insight.ParsePattern(p.FilterPattern); err != nil {
		r.Fail("FilterPattern: %w", err)
	}
	return f
}

// Dashboard is a CloudWatch dashboard; the local cloud does not draw it.
type Dashboard struct {
	ID      string
	Metrics []Alarm // only Namespace, Metric and Dimensions are set
}

// ReadDashboard reads a dashboard.
func ReadDashboard(id string, r node.Reader) *Dashboard {
	var p struct {
		DashboardBody string `yaml:"DashboardBody"`
	}
	r.Decode(&p)
	var body struct {
		Widgets []struct {
			Properties struct{ Metrics [][]any }
		}
	}
	d := &Dashboard{ID: id}
	if err := json.Unmarshal([]byte(p.DashboardBody), &body); err != nil {
		r.Fail("DashboardBody: %w", err)
		return d
	}
	for _, widget := range body.Widgets {
		for _, row := range widget.Properties.Metrics {
			d.Metrics = append(d.Metrics, shown(row))
		}
	}
	return d
}

// shown reads a row of a widget: namespace, metric, then names and values of dimensions; options may follow.
func shown(row []any) Alarm {
	var texts []string
	for _, part := range row {
		if text, ok := part.(string); ok {
			texts = append(texts, text)
		}
	}
	a := Alarm{Dimensions: map[string]string{}}
	if len(texts) >= 2 {
		a.Namespace, a.Metric = texts[0], texts[1]
	}
	for i := 2; i+1 < len(texts); i += 2 {
		a.Dimensions[texts[i]] = texts[i+1]
	}
	return a
}

// accessLogVariables are the variables of API Gateway that the local cloud fills in.
var accessLogVariables = map[string]bool{
	"requestId": true, "routeKey": true, "status": true, "responseLatency": true, "integrationLatency": true,
	"integrationStatus": true, "integrationErrorMessage": true, "error.message": true,
}

// AccessLogVariable matches a variable in the format of an access log; its first group is the name.
var AccessLogVariable = regexp.MustCompile(`\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)`)

// CheckAccessLog checks the format of an access log. API Gateway writes each line as one JSON object.
func CheckAccessLog(format string, r node.Reader) {
	for _, found := range AccessLogVariable.FindAllStringSubmatch(format, -1) {
		if !accessLogVariables[found[1]] {
			r.Fail("AccessLogSettings: the variable %s is not served by the local cloud", found[0])
		}
	}
	if sample := AccessLogVariable.ReplaceAllString(format, "0"); format != "" && !json.Valid([]byte(sample)) {
		r.Fail("AccessLogSettings: Format is no JSON")
	}
}
