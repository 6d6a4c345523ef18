package bill

import (
	"path/filepath"
	"strings"
	"testing"

	"minicloud/infra/local/template"
)

func stage(t *testing.T, parameters map[string]string) *template.Template {
	t.Helper()
	tmpl, err := template.ReadFile(filepath.Join("..", "..", "..", "template.yaml"), template.Options{Parameters: parameters})
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

// TestIdleBill prints what a stage costs that nobody uses, and fails over 3 dollars a month: for a stage with alarms in an
// account of its own, and for one without alarms that shares its account.
func TestIdleBill(t *testing.T) {
	for _, tt := range []struct {
		name       string
		parameters map[string]string
		alone      bool
		most       float64
	}{
		{"with alarms, alone in its account", map[string]string{"AlarmEmail": "a@example.com"}, true, 3},
		{"without alarms, alone in its account", nil, true, 3},
		{"without alarms, beside another stage", nil, false, 3},
		{"with alarms and messages, beside another stage", map[string]string{"AlarmEmail": "a@example.com", "SendsMessages": "yes"}, false, 5},
	} {
		items := IdleBill(stage(t, tt.parameters))
		total := 0.0
		t.Logf("%s:", tt.name)
		for _, i := range items {
			total += i.Dollars(tt.alone)
			t.Logf("  %-30s %12.2f  $%5.2f", i.What, i.Quantity, i.Dollars(tt.alone))
		}
		t.Logf("  %-44s $%5.2f", "in all", total)
		if total > tt.most {
			t.Errorf("%s: an idle stage costs %.2f dollars a month, at most %.2f", tt.name, total, tt.most)
		}
	}
}

// TestCustomMetrics: metrics of our own cost at most 5 dollars a month, however many tenants there are.
func TestCustomMetrics(t *testing.T) {
	n, problems := CustomMetrics(stage(t, map[string]string{"AlarmEmail": "a@example.com"}))
	if problems != nil {
		t.Errorf("%v", problems)
	}
	t.Logf("%d custom metrics, at most %.2f dollars a month", n, float64(n)*0.30)
	if n == 0 || float64(n)*0.30 > 5 {
		t.Errorf("%d custom metrics cost %.2f dollars a month", n, float64(n)*0.30)
	}

	_, problems = CustomMetrics(&template.Template{MetricFilters: []*template.MetricFilter{
		{ID: "M", Dimensions: map[string]string{"Application": "miniapp"}},
	}})
	if len(problems) != 1 || !strings.Contains(problems[0], "how many values Application of M has") {
		t.Errorf("of an unbounded dimension: %v", problems)
	}
}

// TestDashboard: a dashboard of more than 50 metrics is not free.
func TestDashboard(t *testing.T) {
	for _, d := range stage(t, nil).Dashboards {
		if t.Logf("%s: %d metrics", d.ID, len(d.Metrics)); len(d.Metrics) == 0 || len(d.Metrics) > 50 {
			t.Errorf("%s shows %d metrics", d.ID, len(d.Metrics))
		}
	}
}
