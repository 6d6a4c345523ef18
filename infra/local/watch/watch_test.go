package watch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/insight"
	"minicloud/infra/local/template"
	"minicloud/infra/local/watch"
)

// clocked is a watch on a test clock over one alarm.
type clocked struct {
	now     time.Time
	metrics *watch.Metrics
	watch   *watch.Watch
	log     bytes.Buffer
}

func newClocked(a template.Alarm) *clocked {
	c := &clocked{now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)}
	c.metrics = watch.NewMetrics(func() time.Time { return c.now })
	c.watch = watch.New(&template.Template{Alarms: []*template.Alarm{&a}}, c.metrics, slog.New(slog.NewTextHandler(&c.log, nil)))
	return c
}

// TestEvaluation plays minutes: "-" has no datapoint, "3,5" has two. want has one letter per minute: ! if the alarm rings
// after it.
func TestEvaluation(t *testing.T) {
	sum := template.Alarm{
		ID: "A", Namespace: "n", Metric: "m", Dimensions: map[string]string{"Q": "a"}, Statistic: "Sum", Period: time.Minute,
		Periods: 1, Datapoints: 1, Threshold: 4, Missing: "notBreaching",
	}
	with := func(change func(*template.Alarm)) template.Alarm {
		a := sum
		change(&a)
		return a
	}
	for name, tt := range map[string]struct {
		alarm         template.Alarm
		minutes, want string
	}{
		"sum":     {sum, "4 3,2 - 5", ".!.!"},
		"average": {with(func(a *template.Alarm) { a.Statistic = "Average" }), "5,5 5,1 9,1", "!.!"},
		"maximum": {with(func(a *template.Alarm) { a.Statistic = "Maximum" }), "4,4 1,5", ".!"},
		"minimum, too low": {with(func(a *template.Alarm) {
			a.Statistic, a.Below = "Minimum", true
		}), "9,4 9,3", ".!"},
		"three minutes are one period": {with(func(a *template.Alarm) { a.Period = 3 * time.Minute }), "2 2 2 2 - -", "..!!.."},
		"two of three":                 {with(func(a *template.Alarm) { a.Periods, a.Datapoints = 3, 2 }), "5 - 5 - - 5", "..!.. ."},
		"none at all": {with(func(a *template.Alarm) {
			a.Below, a.Threshold, a.Missing, a.Periods, a.Datapoints = true, 1, "breaching", 2, 2
		}), "1 - - 1 - -", "..!..!"},
		"not before its periods are over": {with(func(a *template.Alarm) {
			a.Below, a.Threshold, a.Missing, a.Periods, a.Datapoints = true, 1, "breaching", 3, 3
		}), "- - - -", "..!!"},
	} {
		c := newClocked(tt.alarm)
		got := ""
		for minute := range strings.FieldsSeq(tt.minutes) {
			for value := range strings.SplitSeq(minute, ",") {
				var n float64
				if _, err := fmt.Sscan(value, &n); err == nil {
					c.metrics.Put("n", "m", n, "Q", "a")
					c.metrics.Put("n", "m", 100, "Q", "b") // another resource
					c.metrics.Put("n", "m", 100)
				}
			}
			c.now = c.now.Add(time.Minute)
			letter := "."
			if len(c.watch.Evaluate()) > 0 {
				letter = "!"
			}
			got += letter
		}
		if want := strings.ReplaceAll(tt.want, " ", ""); got != want {
			t.Errorf("%s: %s after %q, want %s", name, got, tt.minutes, want)
		}
	}
}

// TestGroups: an alarm on a query watches each value of its GroupBy apart, and only metrics with exactly its dimensions.
func TestGroups(t *testing.T) {
	c := newClocked(template.Alarm{
		ID: "A", Namespace: "n", Metric: "m", Statistic: "Sum", Period: time.Minute, Periods: 1, Datapoints: 1, Threshold: 4,
		Missing: "notBreaching", Query: &insight.Query{Schema: []string{"Operation", "Table"}, GroupBy: "Table"},
	})
	for range 2 {
		c.metrics.Put("n", "m", 2, "Operation", "Get", "Table", "a")
		c.metrics.Put("n", "m", 1, "Operation", "Put", "Table", "a")
		c.metrics.Put("n", "m", 2, "Operation", "Get", "Table", "b")
	}
	c.metrics.Put("n", "m", 9, "Table", "c")
	c.now = c.now.Add(time.Minute)
	want := []watch.State{{ID: "A", Ringing: true, Since: c.now, Of: []string{"a"}}}
	if diff := cmp.Diff(want, c.watch.Evaluate()); diff != "" {
		t.Errorf("what rings (-want +got):\n%s", diff)
	}

	out := httptest.NewRecorder()
	c.watch.ServeHTTP(out, httptest.NewRequest("GET", "/_local/alarms", nil))
	var got []watch.State
	if err := json.Unmarshal(out.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is shown (-want +got):\n%s", diff)
	}

	c.now = c.now.Add(time.Minute)
	if ringing := c.watch.Evaluate(); ringing != nil {
		t.Errorf("%v still rings", ringing)
	}
	if said := c.log.String(); strings.Count(said, "\n") != 2 || !strings.Contains(said, "alarm=A of=[a]") ||
		!strings.Contains(said, `"an alarm is over" alarm=A`) {
		t.Errorf("the log has\n%s", said)
	}
}

// TestForgets datapoints that no alarm looks at, so that a long run does not grow.
func TestForgets(t *testing.T) {
	c := newClocked(template.Alarm{Statistic: "Sum", Period: time.Minute})
	for range 300 {
		c.metrics.Put("n", "m", 1)
		c.now = c.now.Add(time.Minute)
	}
	if kept := c.metrics.Value("Sum", "n", "m"); kept < 180 || kept > 182 {
		t.Errorf("%v minutes are kept, want three hours", kept)
	}
}
