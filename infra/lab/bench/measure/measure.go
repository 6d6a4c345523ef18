// Package measure times things for the benchmarks and prints what came out:
// medians and ratios, since single timings on a shared machine say little.
package measure

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// Series are the times of one thing done again and again.
type Series []time.Duration

// P returns the q-quantile, 0 ≤ q ≤ 1; P(0.5) is the median.
func (s Series) P(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// Median returns P(0.5).
func (s Series) Median() time.Duration { return s.P(0.5) }

// MS is a duration in milliseconds, for printing.
func MS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Report prints a benchmark's rows.
type Report struct{ Out io.Writer }

// Row prints one figure, with the bound it should keep ("" for none) and a remark.
func (r Report) Row(name, value, bound, remark string) {
	if bound != "" {
		bound = "(" + bound + ")"
	}
	fmt.Fprintf(r.Out, "  %-46s %14s  %-14s %s\n", name, value, bound, remark)
}

// Series prints the median of s and what lies around it.
func (r Report) Series(name string, s Series, bound string) {
	r.Row(name, fmt.Sprintf("%.2f ms", MS(s.Median())), bound, fmt.Sprintf("p95 %.2f ms, n %d", MS(s.P(0.95)), len(s)))
}
