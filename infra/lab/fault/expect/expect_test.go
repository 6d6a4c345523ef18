package expect_test

import (
	"slices"
	"testing"
	"time"

	"minicloud/infra/lab/fault/expect"
)

type record = map[string]any

// TestConditions by hand: what the specification says of absent values, ranges, sides and changes.
func TestConditions(t *testing.T) {
	red, blue, bare := record{"n": 5, "s": "red", "b": true}, record{"n": 9, "s": "blue", "b": true}, record{}
	for name, tt := range map[string]struct {
		rule          expect.Rule
		before, after record
		want          bool
	}{
		"equal":                        {expect.Rule{"s", "=", "red"}, nil, red, true},
		"another":                      {expect.Rule{"s", "=", "red"}, nil, blue, false},
		"absent equals nothing":        {expect.Rule{"s", "=", "red"}, nil, bare, false},
		"absent differs":               {expect.Rule{"s", "!=", "red"}, nil, bare, true},
		"absent is empty":              {expect.Rule{"n", "isempty", true}, nil, bare, true},
		"there":                        {expect.Rule{"n", "isempty", true}, nil, red, false},
		"absent is not less":           {expect.Rule{"n", "<", 9}, nil, bare, false},
		"less or equal":                {expect.Rule{"n", "<=", 5}, nil, red, true},
		"greater":                      {expect.Rule{"n", ">", 5}, nil, red, false},
		"the end of a range":           {expect.Rule{"n", "range", [2]int{5, 9}}, nil, blue, false},
		"the start of a range":         {expect.Rule{"n", "range", [2]int{5, 9}}, nil, red, true},
		"before":                       {expect.Rule{"before.s", "=", "red"}, red, blue, true},
		"bare is after":                {expect.Rule{"s", "=", "red"}, red, blue, false},
		"bare of a deletion is before": {expect.Rule{"s", "=", "red"}, red, nil, true},
		"changed":                      {expect.Rule{"n", "changed", nil}, red, blue, true},
		"unchanged":                    {expect.Rule{"b", "changed", nil}, red, blue, false},
		"changed to absent":            {expect.Rule{"b", "changed", nil}, red, bare, true},
	} {
		if got := (expect.Condition{
			Match: "all", Rules: []expect.Rule{tt.rule},
		}).Holds(tt.before, tt.after); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}

	both := []expect.Rule{{"s", "=", "red"}, {"n", "=", 9}}
	all, some := expect.Condition{Match: "all", Rules: both}, expect.Condition{Match: "any", Rules: both}
	if all.Holds(nil, red) || !some.Holds(nil, red) || !(expect.Condition{Match: "any"}).Holds(nil, red) {
		t.Error("all and any")
	}
}

func TestTimers(t *testing.T) {
	at := func(hour, minute int) time.Time { return time.Date(2026, 11, 22, hour, minute, 0, 0, time.UTC) }
	for name, tt := range map[string]struct {
		timer     expect.Timer
		last, now time.Time
		want      []time.Time
	}{
		"a minute":      {expect.Timer{Every: 1, Missed: "once"}, at(8, 0), at(8, 1), []time.Time{at(8, 1)}},
		"not this one":  {expect.Timer{Every: 5, Missed: "once"}, at(8, 0), at(8, 1), nil},
		"once":          {expect.Timer{Every: 2, Missed: "once"}, at(8, 0), at(8, 5), []time.Time{at(8, 4)}},
		"all":           {expect.Timer{Every: 2, Missed: "all"}, at(8, 0), at(8, 5), []time.Time{at(8, 2), at(8, 4)}},
		"skip":          {expect.Timer{Every: 2, Missed: "skip"}, at(8, 0), at(8, 5), []time.Time{at(8, 4)}},
		"skip all":      {expect.Timer{Every: 5, Missed: "skip"}, at(8, 0), at(8, 7), nil},
		"an hour later": {expect.Timer{Every: 30, Missed: "all"}, at(8, 0), at(9, 30), []time.Time{at(9, 0), at(9, 30)}},
		"a day, in a zone": {
			expect.Timer{Hour: 16, Minute: 3, Zone: "Asia/Shanghai", Missed: "once"}, at(8, 2), at(8, 3), []time.Time{at(8, 3)},
		},
	} {
		got, err := tt.timer.Fires(tt.last.Add(20*time.Second), tt.now)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// numbers are those of a verdict that must be zero.
type numbers struct{ lost, doubled int }

// TestWatch plants what a platform might do wrong with two actions of a trigger.
func TestWatch(t *testing.T) {
	run := func(action int64, event, mark string) expect.Run {
		return expect.Run{Action: action, Event: event, Mark: mark}
	}
	right := []expect.Run{run(1, "e1", "sure"), run(2, "e1", "sure")}
	for name, tt := range map[string]struct {
		runs []expect.Run
		want numbers
	}{
		"right":                    {right, numbers{}},
		"the unknown one happened": {append(right, run(1, "e2", "maybe"), run(2, "e2", "maybe")), numbers{}},
		"nothing ran":              {nil, numbers{lost: 2}},
		"one action did not":       {right[:1], numbers{lost: 1}},
		"one action ran twice":     {append(right, run(1, "e1", "sure")), numbers{doubled: 1}},
		"an event came twice":      {append(right, run(1, "e3", "sure"), run(2, "e3", "sure")), numbers{doubled: 2}},
		"one that did not hold":    {append(right, run(1, "e4", "no")), numbers{doubled: 1}},
		"one that nobody sent":     {append(right, run(1, "e5", "strange")), numbers{doubled: 1}},
	} {
		w := &expect.Watch{Actions: 2}
		w.Saw("sure", true, true)
		w.Saw("maybe", true, false)
		w.Saw("no", false, true)
		v := w.Judge(slices.Clone(tt.runs))
		if got := (numbers{v.Lost, v.Doubled}); got != tt.want || v.Expected != 2 {
			t.Errorf("%s: %+v, want %+v", name, v, tt.want)
		}
	}
}

// TestCounted: where marks are not known, numbers say what is wrong.
func TestCounted(t *testing.T) {
	run := func(mark string) expect.Run { return expect.Run{Action: 1, Event: mark, Mark: mark} }
	for name, tt := range map[string]struct {
		runs []expect.Run
		want numbers
	}{
		"right":                    {[]expect.Run{run("a"), run("b")}, numbers{}},
		"the unknown one happened": {[]expect.Run{run("a"), run("b"), run("c")}, numbers{}},
		"one is lost":              {[]expect.Run{run("a")}, numbers{lost: 1}},
		"one too many":             {[]expect.Run{run("a"), run("b"), run("c"), run("d")}, numbers{doubled: 1}},
		"lost and doubled":         {[]expect.Run{run("a"), run("a")}, numbers{lost: 1, doubled: 1}},
	} {
		w := &expect.Watch{Actions: 1, Counted: true}
		w.Saw("", true, true)
		w.Saw("", true, true)
		w.Saw("", true, false)
		v := w.Judge(tt.runs)
		if got := (numbers{v.Lost, v.Doubled}); got != tt.want || v.Expected != 2 {
			t.Errorf("%s: %+v, want %+v", name, v, tt.want)
		}
	}
}

func TestEvaluations(t *testing.T) {
	for name, tt := range map[string]struct {
		seen []expect.Seen
		want numbers
	}{
		"right":       {[]expect.Seen{{"yes", true}, {"no", false}}, numbers{}},
		"one missing": {[]expect.Seen{{"yes", true}}, numbers{lost: 1}},
		"wrong":       {[]expect.Seen{{"yes", true}, {"no", true}}, numbers{doubled: 1}},
		"strange":     {[]expect.Seen{{"yes", true}, {"no", false}, {"what", true}}, numbers{doubled: 1}},
	} {
		w := &expect.Watch{Actions: 1}
		w.Saw("yes", true, true)
		w.Saw("no", false, true)
		if v := w.Evaluations(tt.seen, 50); (numbers{v.Lost, v.Doubled}) != tt.want {
			t.Errorf("%s: %+v, want %+v", name, v, tt.want)
		}
	}
}
