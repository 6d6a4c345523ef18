// Package watch is the CloudWatch of the local cloud: it records the metrics that its services report, makes metrics of
// log lines, and evaluates the template's alarms and budgets each minute.
//
//	services ──Put──► Metrics, a point per minute ──┐
//	programs' log lines ──► metric filters ─────────┴──► Watch.Evaluate ──► alarms that ring
//
// Names, namespaces and dimensions are those of AWS.
package watch

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/shared/clock"
)

// retention is how long datapoints are kept. No alarm looks back further.
const retention = 3 * time.Hour

// Metrics holds datapoints by minute. A nil *Metrics records nothing. Methods may be called concurrently.
type Metrics struct {
	clock clock.Clock

	mu     sync.Mutex
	series map[string]*series
}

// NewMetrics returns metrics whose datapoints have the time of now.
func NewMetrics(now clock.Clock) *Metrics { return &Metrics{clock: now, series: map[string]*series{}} }

// series is one metric with its dimensions.
type series struct {
	namespace, metric string
	dimensions        map[string]string
	minutes           map[int64]point // by the minute's Unix time / 60
}

// point aggregates the values of a minute or of a longer window.
type point struct{ sum, least, most, count float64 }

func (p point) add(q point) point {
	switch {
	case p.count == 0:
		return q
	case q.count == 0:
		return p
	}
	return point{p.sum + q.sum, min(p.least, q.least), max(p.most, q.most), p.count + q.count}
}

// value returns a statistic of CloudWatch: Sum, Average, Minimum or Maximum.
func (p point) value(statistic string) float64 {
	switch statistic {
	case "Sum":
		return p.sum
	case "Average":
		return p.sum / p.count
	case "Minimum":
		return p.least
	default:
		return p.most
	}
}

// Now returns the time of the metrics' clock; a service that reports an age measures it with that clock.
func (m *Metrics) Now() time.Time {
	if m == nil {
		return clock.System()
	}
	return m.clock()
}

// Put records a value. dimensions are names and values in turn; none is the metric of the whole region.
func (m *Metrics) Put(namespace, metric string, value float64, dimensions ...string) {
	if m == nil {
		return
	}
	minute := m.clock().Unix() / 60
	m.mu.Lock()
	defer m.mu.Unlock()
	at := key(namespace, metric, dimensions)
	s := m.series[at]
	if s == nil {
		s = &series{namespace: namespace, metric: metric, dimensions: map[string]string{}, minutes: map[int64]point{}}
		for i := 0; i+1 < len(dimensions); i += 2 {
			s.dimensions[dimensions[i]] = dimensions[i+1]
		}
		m.series[at] = s
	}
	if _, known := s.minutes[minute]; !known {
		s.forget(minute - int64(retention/time.Minute))
	}
	s.minutes[minute] = s.minutes[minute].add(point{value, value, value, 1})
}

func (s *series) forget(before int64) {
	maps.DeleteFunc(s.minutes, func(minute int64, _ point) bool { return minute < before })
}

// window aggregates the minutes of a period that ends at end.
func (s *series) window(end time.Time, period time.Duration) (p point) {
	last := end.Unix() / 60
	for minute := last - int64(period/time.Minute); minute < last; minute++ {
		p = p.add(s.minutes[minute])
	}
	return p
}

// Value returns a statistic over all datapoints of a metric that are kept, 0 if there are none.
func (m *Metrics) Value(statistic, namespace, metric string, dimensions ...string) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.series[key(namespace, metric, dimensions)]
	if s == nil {
		return 0
	}
	var p point
	for _, q := range s.minutes {
		p = p.add(q)
	}
	return p.value(statistic)
}

func key(namespace, metric string, dimensions []string) string {
	return namespace + " " + metric + " " + strings.Join(dimensions, " ")
}

// find returns the series of a metric whose dimensions match, in a constant order.
func (m *Metrics) find(namespace, metric string, match func(dimensions map[string]string) bool) []*series {
	var found []*series
	for _, s := range m.series {
		if s.namespace == namespace && s.metric == metric && match(s.dimensions) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *series) int { return cmp.Compare(describe(a), describe(b)) })
	return found
}

// describe returns the values of the dimensions in the order of their names.
func describe(s *series) string {
	var values []string
	for _, name := range slices.Sorted(maps.Keys(s.dimensions)) {
		values = append(values, s.dimensions[name])
	}
	return strings.Join(values, " ")
}
