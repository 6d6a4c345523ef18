package template

import (
	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/monitor"
)

// The types of alarms, budgets and dashboards come from package monitor.
type (
	Alarm        = monitor.Alarm
	Budget       = monitor.Budget
	MetricFilter = monitor.MetricFilter
	Dashboard    = monitor.Dashboard
)

func (b *builder) alarm(id, name string, n *yaml.Node) {
	b.out.Alarms = append(b.out.Alarms, monitor.ReadAlarm(id, name, b.reader(id, n)))
}

func (b *builder) budget(id, _ string, n *yaml.Node) {
	b.out.Budgets = append(b.out.Budgets, monitor.ReadBudget(id, b.reader(id, n)))
}

func (b *builder) metricFilter(id, _ string, n *yaml.Node) {
	b.out.MetricFilters = append(b.out.MetricFilters, monitor.ReadMetricFilter(id, b.reader(id, n)))
}

func (b *builder) dashboard(id, _ string, n *yaml.Node) {
	b.out.Dashboards = append(b.out.Dashboards, monitor.ReadDashboard(id, b.reader(id, n)))
}
