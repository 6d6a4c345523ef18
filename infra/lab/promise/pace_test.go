package promise_test

import (
	"testing"
	"time"

	"minicloud/infra/lab/promise"
)

func TestDisordered(t *testing.T) {
	no, yes := false, true
	for name, tt := range map[string]struct {
		all  []promise.Arrival
		want int
	}{
		"one after the other":         {[]promise.Arrival{{2, yes}, {3, yes}, {4, yes}}, 0},
		"again until it is taken":     {[]promise.Arrival{{2, no}, {2, no}, {2, yes}, {3, yes}}, 0},
		"again, for its worker died":  {[]promise.Arrival{{2, yes}, {2, yes}, {3, yes}}, 0},
		"the next one is too early":   {[]promise.Arrival{{2, no}, {3, yes}}, 1},
		"an old one comes later":      {[]promise.Arrival{{3, yes}, {2, yes}}, 1},
		"an old one between":          {[]promise.Arrival{{2, yes}, {3, no}, {2, yes}, {3, yes}}, 1},
		"an old one is no excuse":     {[]promise.Arrival{{2, yes}, {3, no}, {2, yes}, {4, yes}}, 2},
		"nothing has come":            {nil, 0},
		"taken once is taken for all": {[]promise.Arrival{{2, yes}, {2, no}, {3, yes}}, 0},
	} {
		if got := promise.Disordered(tt.all...); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestCrowded(t *testing.T) {
	for name, tt := range map[string]struct {
		at   []int // ms
		want int
	}{
		"few":                             {[]int{0, 1, 2, 3}, 0},
		"a window's end and next's begin": {[]int{1999, 1998, 2000, 2001, 4000}, 0},
		"five within a period":            {[]int{0, 1, 2, 3, 1999}, 1},
		"five in a bit more":              {[]int{0, 1, 2, 3, 2000}, 0},
		"six at once":                     {[]int{5, 5, 5, 5, 5, 5}, 2},
	} {
		var begun []time.Time
		for _, ms := range tt.at {
			begun = append(begun, time.UnixMilli(int64(ms)))
		}
		if got := promise.Crowded(begun, 4, 2*time.Second); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
