package expect_test

import (
	"testing"
	"time"

	"minicloud/infra/lab/fault/expect"
)

// TestEffects plants what a platform might do wrong with what actions are asked for.
func TestEffects(t *testing.T) {
	type numbers struct{ happened, lost, doubled, interrupted int }
	for name, tt := range map[string]struct {
		times       map[string]int
		interrupted string
		want        numbers
	}{
		"right":                    {map[string]int{"sure": 1}, "", numbers{happened: 1}},
		"the unknown one happened": {map[string]int{"sure": 1, "maybe": 1}, "", numbers{happened: 2}},
		"lost":                     {nil, "", numbers{lost: 1}},
		"three times":              {map[string]int{"sure": 3}, "", numbers{happened: 1, doubled: 2}},
		"the unknown one twice":    {map[string]int{"sure": 1, "maybe": 2}, "", numbers{happened: 2, doubled: 1}},
		"nobody asked":             {map[string]int{"sure": 1, "strange": 1}, "", numbers{happened: 1, doubled: 1}},
		"interrupted before it":    {nil, "sure", numbers{interrupted: 1}},
		"interrupted after it":     {map[string]int{"sure": 1}, "sure", numbers{happened: 1, interrupted: 1}},
		"interrupted, and sent again": {
			map[string]int{"sure": 2}, "sure", numbers{happened: 1, doubled: 1, interrupted: 1},
		},
		"another one was interrupted":   {nil, "maybe", numbers{lost: 1, interrupted: 1}},
		"one interrupted nobody wanted": {map[string]int{"sure": 1}, "strange", numbers{happened: 1}},
	} {
		var e expect.Effects
		e.Ask("sure", true)
		e.Ask("maybe", false)
		got := e.Judge(expect.Done{Times: tt.times, Interrupted: map[string]bool{tt.interrupted: true}})
		if (numbers{got.Happened, got.Lost, got.Doubled, got.Interrupted}) != tt.want || got.Expected != 1 {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
		if (got.Lost+got.Doubled > 0) != (len(got.Troubles) > 0) {
			t.Errorf("%s: troubles %q", name, got.Troubles)
		}
	}
}

func TestDisordered(t *testing.T) {
	no, yes := false, true
	for name, tt := range map[string]struct {
		all  []expect.Arrival
		want int
	}{
		"one after the other":         {[]expect.Arrival{{2, yes}, {3, yes}, {4, yes}}, 0},
		"again until it is taken":     {[]expect.Arrival{{2, no}, {2, no}, {2, yes}, {3, yes}}, 0},
		"again, for its worker died":  {[]expect.Arrival{{2, yes}, {2, yes}, {3, yes}}, 0},
		"the next one is too early":   {[]expect.Arrival{{2, no}, {3, yes}}, 1},
		"an old one comes later":      {[]expect.Arrival{{3, yes}, {2, yes}}, 1},
		"an old one between":          {[]expect.Arrival{{2, yes}, {3, no}, {2, yes}, {3, yes}}, 1},
		"an old one is no excuse":     {[]expect.Arrival{{2, yes}, {3, no}, {2, yes}, {4, yes}}, 2},
		"nothing has come":            {nil, 0},
		"taken once is taken for all": {[]expect.Arrival{{2, yes}, {2, no}, {3, yes}}, 0},
	} {
		if got := expect.Disordered(tt.all); got != tt.want {
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
		if got := expect.Crowded(begun, 2, 2*time.Second); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
