package promise_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/lab/promise"
)

// TestLedger plants what a platform might do wrong with what it is asked for.
func TestLedger(t *testing.T) {
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
		"refused, and there":       {map[string]int{"sure": 1, "refused": 1}, "", numbers{happened: 1, doubled: 1}},
		"nobody asked":             {map[string]int{"sure": 1, "strange": 1}, "", numbers{happened: 1, doubled: 1}},
		"interrupted before it":    {nil, "sure", numbers{interrupted: 1}},
		"interrupted after it":     {map[string]int{"sure": 1}, "sure", numbers{happened: 1, interrupted: 1}},
		"interrupted, and sent again": {
			map[string]int{"sure": 2}, "sure", numbers{happened: 1, doubled: 1, interrupted: 1},
		},
		"another one was interrupted":   {nil, "maybe", numbers{lost: 1, interrupted: 1}},
		"one interrupted nobody wanted": {map[string]int{"sure": 1}, "strange", numbers{happened: 1}},
	} {
		var l promise.Ledger
		l.Expect("sure", promise.Must)
		l.Expect("maybe", promise.May)
		l.Expect("refused", promise.Must)
		l.Expect("refused", promise.Never) // the last word counts
		got := l.Judge(promise.Found{Times: tt.times, Interrupted: map[string]bool{tt.interrupted: true}})
		if (numbers{got.Happened, got.Lost, got.Doubled, got.Interrupted}) != tt.want || got.Expected != 1 {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
		if (got.Lost+got.Doubled > 0) != (len(got.Troubles) > 0) {
			t.Errorf("%s: troubles %q", name, got.Troubles)
		}
	}
}

// TestSharedMarksAddUp: marks that several events share are there as often as all of them together.
func TestSharedMarksAddUp(t *testing.T) {
	for times, want := range map[int]struct{ lost, doubled int }{1: {lost: 1}, 2: {}, 3: {}, 4: {doubled: 1}} {
		var l promise.Ledger
		l.Add("m", promise.Must, 2)
		l.Add("m", promise.May, 1)
		l.Add("m", promise.Never, 7)
		got := l.Judge(promise.Found{Times: map[string]int{"m": times}})
		if got.Lost != want.lost || got.Doubled != want.doubled || got.Expected != 2 {
			t.Errorf("%d times: %+v", times, got)
		}
	}
}

func TestTally(t *testing.T) {
	var sum promise.Tally
	for _, known := range []promise.Need{promise.Must, promise.May, promise.Never} {
		sum.Count(known)
	}
	sum.Trouble(&sum.Lost, 0, "nothing")
	sum.Trouble(&sum.Lost, 2, "two are lost")
	one := promise.Tally{Doubled: 1, Disordered: 1, Late: 1, Expected: 3, Happened: 4, Again: 5, Interrupted: 6, Latest: 7}
	one.Troubles = []string{"three more"}
	sum.Add(one)
	sum.Add(promise.Tally{Latest: 2})
	want := promise.Tally{
		Attempted: 3, Acknowledged: 1, Unknown: 1, Lost: 2, Doubled: 1, Disordered: 1, Late: 1, Expected: 3, Happened: 4,
		Again: 5, Interrupted: 6, Latest: 7, Troubles: []string{"two are lost", "three more"},
	}
	if diff := cmp.Diff(want, sum); diff != "" || sum.Bad() != 5 {
		t.Errorf("bad %d, %s", sum.Bad(), diff)
	}
}
