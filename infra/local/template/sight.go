package template

import (
	"encoding/json"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/insight"
)

// Budget is a monthly budget of the account with its notifications by mail.
type Budget struct {
	ID       string
	Dollars  float64
	Actual   float64 // percentage of Dollars at which the spending so far is reported; 0 for never
	Forecast float64 // percentage at which the forecast for the month is reported; 0 for never
}

func (b *builder) budget(id, _ string, n *yaml.Node) {
	var p struct {
		Budget struct {
			BudgetType  string `yaml:"BudgetType"`
			TimeUnit    string `yaml:"TimeUnit"`
			BudgetLimit struct {
				Amount float64 `yaml:"Amount"`
				Unit   string  `yaml:"Unit"`
			} `yaml:"BudgetLimit"`
		} `yaml:"Budget"`
		NotificationsWithSubscribers []struct {
			Notification struct {
				NotificationType   string  `yaml:"NotificationType"`
				ComparisonOperator string  `yaml:"ComparisonOperator"`
				Threshold          float64 `yaml:"Threshold"`
			} `yaml:"Notification"`
			Subscribers []struct {
				SubscriptionType string `yaml:"SubscriptionType"`
				Address          string `yaml:"Address"`
			} `yaml:"Subscribers"`
		} `yaml:"NotificationsWithSubscribers"`
	}
	b.decode(id, n, &p)
	b.oneOf(id, "BudgetType", p.Budget.BudgetType, "COST")
	b.oneOf(id, "TimeUnit", p.Budget.TimeUnit, "MONTHLY")
	b.oneOf(id, "Unit", p.Budget.BudgetLimit.Unit, "USD")

	budget := &Budget{ID: id, Dollars: p.Budget.BudgetLimit.Amount}
	for _, entry := range p.NotificationsWithSubscribers {
		b.oneOf(id, "NotificationType", entry.Notification.NotificationType, "ACTUAL", "FORECASTED")
		b.oneOf(id, "ComparisonOperator", entry.Notification.ComparisonOperator, "GREATER_THAN")
		if len(entry.Subscribers) == 0 {
			b.fail(id, "a notification has no Subscribers")
		}
		if entry.Notification.NotificationType == "ACTUAL" {
			budget.Actual = entry.Notification.Threshold
		} else {
			budget.Forecast = entry.Notification.Threshold
		}
	}
	b.out.Budgets = append(b.out.Budgets, budget)
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

func (b *builder) metricFilter(id, _ string, n *yaml.Node) {
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
	b.decode(id, n, &p)
	f := &MetricFilter{ID: id, LogGroup: p.LogGroupName, Dimensions: map[string]string{}}
	if len(p.MetricTransformations) != 1 {
		b.fail(id, "a metric filter has one entry in MetricTransformations")
		return
	}
	made := p.MetricTransformations[0]
	b.oneOf(id, "MetricValue", made.MetricValue, "1")
	f.Namespace, f.Metric = made.MetricNamespace, made.MetricName
	for _, d := range made.Dimensions {
		field, ok := strings.CutPrefix(d.Value, "$.")
		if !ok {
			b.fail(id, "the dimension %s must be a field such as $.name, not %q", d.Key, d.Value)
		}
		f.Dimensions[d.Key] = field
	}
	var err error
	if f.Pattern, err = insight.ParsePattern(p.FilterPattern); err != nil {
		b.fail(id, "FilterPattern: %w", err)
	}
	b.out.MetricFilters = append(b.out.MetricFilters, f)
}

// Dashboard is a CloudWatch dashboard; the local cloud does not draw it.
type Dashboard struct {
	ID      string
	Metrics []Alarm // only Namespace, Metric and Dimensions are set
}

func (b *builder) dashboard(id, _ string, n *yaml.Node) {
	var p struct {
		DashboardBody string `yaml:"DashboardBody"`
	}
	b.decode(id, n, &p)
	var body struct {
		Widgets []struct {
			Properties struct{ Metrics [][]any }
		}
	}
	if err := json.Unmarshal([]byte(p.DashboardBody), &body); err != nil {
		b.fail(id, "DashboardBody: %w", err)
		return
	}
	d := &Dashboard{ID: id}
	for _, widget := range body.Widgets {
		for _, row := range widget.Properties.Metrics {
			d.Metrics = append(d.Metrics, shown(row))
		}
	}
	b.out.Dashboards = append(b.out.Dashboards, d)
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

// accessLog checks the format of an access log. API Gateway writes each line as one JSON object.
func (b *builder) accessLog(id, format string) {
	for _, found := range AccessLogVariable.FindAllStringSubmatch(format, -1) {
		if !accessLogVariables[found[1]] {
			b.fail(id, "AccessLogSettings: the variable %s is not served by the local cloud", found[0])
		}
	}
	if sample := AccessLogVariable.ReplaceAllString(format, "0"); format != "" && !json.Valid([]byte(sample)) {
		b.fail(id, "AccessLogSettings: Format is no JSON")
	}
	b.out.API.AccessLog = format
}
