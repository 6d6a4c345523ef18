// Package bill computes from template.yaml what a stage costs that nobody uses, and how many metrics of our own it can have.
package bill

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"minicloud/infra/local/schedule"
	"minicloud/infra/local/template"
	"minicloud/shared/trace/logging"
)

// Item is a line of a monthly bill, in dollars of us-east-1.
type Item struct {
	What     string
	Quantity float64 // per month
	Price    float64 // of one
	Free     float64 // of each month, for the whole account
	// PerStage reports that Free suffices for the stages of an account: development, staging and production.
	PerStage bool
}

// Dollars returns what the item costs; alone reports that no other stage uses the free part.
func (i Item) Dollars(alone bool) float64 {
	paid := i.Quantity
	if alone || i.PerStage {
		paid = max(0, i.Quantity-i.Free)
	}
	return paid * i.Price
}

const (
	minutesPerMonth = 730 * 60
	// pollsPerMinute is how often Lambda polls an empty queue: five pollers that wait for 20 s.
	pollsPerMinute = 15
	// An idle tick of a scheduled program takes less than 50 ms, reads less than two units and writes one line.
	tickGBSeconds = 0.05 * 0.5
	tickReads     = 2
	tickGB        = 300.0 / (1 << 30)
)

// IdleBill returns the bill of a stage without requests. Decision 0125 has the sources of the prices. Storage and all that
// is paid per request costs nothing then, nor do the buckets and the distribution of files. Each of the first two yearly
// rotations of a key adds a dollar to it.
func IdleBill(t *template.Template) []Item {
	var standard, queried, polled, ticks float64
	for _, f := range t.Functions {
		polled += float64(len(f.Queues))
		for _, s := range f.Schedules {
			ticks += perDay(s) * 730 / 24
		}
	}
	for _, a := range t.Alarms {
		switch {
		case a.Query == nil:
			standard++
		// All other metrics that queries read exist only while programs of streams run, or something fails.
		case a.Metric == "ApproximateAgeOfOldestMessage":
			queried += polled
		}
	}
	return []Item{
		{What: "KMS keys", Quantity: float64(len(t.Keys)), Price: 1},
		{What: "polls of empty queues", Quantity: polled * pollsPerMinute * minutesPerMonth, Price: 0.40e-6, Free: 1e6},
		{What: "standard alarms", Quantity: standard, Price: 0.10, Free: 10},
		{What: "metrics of alarms on queries", Quantity: queried, Price: 0.10},
		{What: "dashboards", Quantity: float64(len(t.Dashboards)), Price: 3, Free: 1, PerStage: true},
		{What: "budgets", Quantity: float64(len(t.Budgets)), Price: 0},
		{What: "ticks", Quantity: ticks, Price: 0.20e-6, Free: 1e6},
		{What: "GB-seconds of ticks", Quantity: ticks * tickGBSeconds, Price: 16.6667e-6, Free: 400_000},
		{What: "read units of ticks", Quantity: ticks * tickReads, Price: 0.125e-6},
		{What: "GB of logs", Quantity: ticks * tickGB, Price: 0.50, Free: 5},
	}
}

// perDay returns how often a schedule is due in a day.
func perDay(s template.ScheduleEvent) (n float64) {
	expression, err := schedule.Parse(s.Expression)
	if err != nil {
		return 0 // the reader of the template refuses it
	}
	midnight := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	for minute := range 24 * 60 {
		if expression.Due(midnight.Add(time.Duration(minute) * time.Minute)) {
			n++
		}
	}
	return n
}

// dimensionValues is the number of values of each dimension of a metric of log lines.
var dimensionValues = map[string]int{"Bucket": logging.Buckets}

// CustomMetrics returns the number of metrics that metric filters and programs can make; each costs 30 cents in a month in which it
// has a value each hour. It reports dimensions without a known number of values, which may be one per tenant.
func CustomMetrics(t *template.Template) (n int, problems []string) {
	for _, f := range t.MetricFilters {
		metrics := 1
		for dimension := range f.Dimensions {
			values, known := dimensionValues[dimension]
			if !known {
				problems = append(problems, fmt.Sprintf("template.yaml: nobody knows how many values %s of %s has", dimension, f.ID))
			}
			metrics *= values
		}
		n += metrics
	}
	// Programs embed in their log lines what no filter makes; its dimensions are those of its alarm, which are constants.
	for _, a := range t.Alarms {
		made := slices.ContainsFunc(t.MetricFilters, func(f *template.MetricFilter) bool { return f.Metric == a.Metric })
		if !made && !strings.HasPrefix(a.Namespace, "AWS/") {
			n++
		}
	}
	return n, problems
}
