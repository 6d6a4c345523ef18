package watch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"minicloud/infra/local/server"
	"minicloud/infra/local/template"
)

// Watch evaluates the alarms and budgets of a template.
type Watch struct {
	template *template.Template
	metrics  *Metrics
	log      *slog.Logger
	begun    time.Time

	mu               sync.Mutex
	states           map[string]State
	actual, forecast float64 // dollars of this month
}

// State is the state of one alarm or budget.
type State struct {
	ID      string    `json:"id"`
	Ringing bool      `json:"ringing"`
	Since   time.Time `json:"since,omitzero"`
	// Of lists what breaches: values of the query's GroupBy, "actual" and "forecast" of a budget, "" for one metric.
	Of []string `json:"of,omitempty"`
}

// New returns a watch over metrics; log gets a line for each alarm that begins or ends.
func New(t *template.Template, metrics *Metrics, log *slog.Logger) *Watch {
	return &Watch{template: t, metrics: metrics, log: log, begun: metrics.Now(), states: map[string]State{}}
}

// Evaluate evaluates all alarms and budgets on the minutes that are over, and returns those that ring, by ID.
func (w *Watch) Evaluate() []State {
	now := w.metrics.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	var ringing []State
	for _, a := range w.template.Alarms {
		w.set(a.ID, w.breaching(a, now.Truncate(time.Minute)), now)
	}
	for _, b := range w.template.Budgets {
		w.set(b.ID, w.exceeded(b), now)
	}
	for _, id := range slices.Sorted(maps.Keys(w.states)) {
		if s := w.states[id]; s.Ringing {
			ringing = append(ringing, s)
		}
	}
	return ringing
}

// set stores a state and logs a change.
func (w *Watch) set(id string, of []string, now time.Time) {
	before, rings := w.states[id], len(of) > 0
	after := State{ID: id, Ringing: rings, Since: before.Since, Of: of}
	if before.Ringing != rings {
		after.Since = now
	}
	switch {
	case rings && !slices.Equal(before.Of, of):
		w.log.Warn("an alarm rings, see infra/docs/runbooks.md", "alarm", id, "of", of)
	case before.Ringing && !rings:
		w.log.Info("an alarm is over", "alarm", id)
	}
	w.states[id] = after
}

// breaching returns the series of an alarm that breach in enough of its periods.
func (w *Watch) breaching(a *template.Alarm, end time.Time) (out []string) {
	// A metric that must be there cannot have been there before the start.
	if a.Missing == "breaching" && end.Add(-time.Duration(a.Periods)*a.Period).Before(w.begun) {
		return nil
	}
	w.metrics.mu.Lock()
	defer w.metrics.mu.Unlock()
	groups := w.groups(a)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		breaches := 0
		for i := range a.Periods {
			var p point
			for _, s := range groups[name] {
				p = p.add(s.window(end.Add(-time.Duration(i)*a.Period), a.Period))
			}
			if breaks(a, p) {
				breaches++
			}
		}
		if breaches >= a.Datapoints {
			out = append(out, name)
		}
	}
	return out
}

// groups returns the series of an alarm by the value of the query's GroupBy; one group "" for an alarm on a metric.
func (w *Watch) groups(a *template.Alarm) map[string][]*series {
	if a.Query == nil {
		return map[string][]*series{"": w.metrics.find(a.Namespace, a.Metric, func(dimensions map[string]string) bool {
			return maps.Equal(dimensions, a.Dimensions)
		})}
	}
	groups := map[string][]*series{}
	// SCHEMA matches metrics with exactly these dimensions.
	for _, s := range w.metrics.find(a.Namespace, a.Metric, func(dimensions map[string]string) bool {
		return slices.Equal(slices.Sorted(maps.Keys(dimensions)), slices.Sorted(slices.Values(a.Query.Schema)))
	}) {
		name := s.dimensions[a.Query.GroupBy]
		groups[name] = append(groups[name], s)
	}
	return groups
}

func breaks(a *template.Alarm, p point) bool {
	if p.count == 0 {
		return a.Missing == "breaching"
	}
	value := p.value(a.Statistic)
	return a.Below && value < a.Threshold || !a.Below && value > a.Threshold
}

// exceeded returns the notifications of a budget that are due.
func (w *Watch) exceeded(b *template.Budget) (out []string) {
	if b.Actual > 0 && w.actual > b.Dollars*b.Actual/100 {
		out = append(out, "actual")
	}
	if b.Forecast > 0 && w.forecast > b.Dollars*b.Forecast/100 {
		out = append(out, "forecast")
	}
	return out
}

// Spend sets what the account has cost this month and what the month is expected to cost, in dollars. AWS measures
// both; the local cloud costs nothing.
func (w *Watch) Spend(actual, forecast float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.actual, w.forecast = actual, forecast
}

// Line passes a log line of a program through the metric filters of its log group, and records the metrics embedded in it.
func (w *Watch) Line(group string, line []byte) {
	w.embedded(line)
	for _, f := range w.template.MetricFilters {
		if f.LogGroup == group {
			w.filter(f, line)
		}
	}
}

func (w *Watch) filter(f *template.MetricFilter, line []byte) {
	fields, ok := f.Pattern.Match(line)
	if !ok {
		return
	}
	var dimensions []string
	for _, name := range slices.Sorted(maps.Keys(f.Dimensions)) {
		switch value := fields[f.Dimensions[name]].(type) {
		case string:
			dimensions = append(dimensions, name, value)
		case float64:
			dimensions = append(dimensions, name, strconv.FormatFloat(value, 'f', -1, 64))
		}
	}
	w.metrics.Put(f.Namespace, f.Metric, 1, dimensions...)
}

// embedded records the metrics of a line in CloudWatch's embedded metric format.
func (w *Watch) embedded(line []byte) {
	if !bytes.Contains(line, []byte(`"_aws"`)) {
		return
	}
	var about struct {
		AWS struct {
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name string }
			}
		} `json:"_aws"`
	}
	var fields map[string]any
	if json.Unmarshal(line, &about) != nil || json.Unmarshal(line, &fields) != nil {
		return
	}
	for _, d := range about.AWS.CloudWatchMetrics {
		for _, names := range d.Dimensions {
			var dimensions []string
			for _, name := range names {
				dimensions = append(dimensions, name, fmt.Sprint(fields[name]))
			}
			for _, m := range d.Metrics {
				if value, ok := fields[m.Name].(float64); ok {
					w.metrics.Put(d.Namespace, m.Name, value, dimensions...)
				}
			}
		}
	}
}

// ServeHTTP responds with the states of all alarms and budgets, in the order of their IDs.
func (w *Watch) ServeHTTP(out http.ResponseWriter, _ *http.Request) {
	w.Evaluate()
	w.mu.Lock()
	states := slices.AppendSeq([]State{}, maps.Values(w.states))
	w.mu.Unlock()
	slices.SortFunc(states, func(a, b State) int { return strings.Compare(a.ID, b.ID) })
	server.JSON(out, states)
}
