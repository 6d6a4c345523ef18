package promise_test

import (
	"slices"
	"testing"
	"time"

	"minicloud/infra/lab/promise"
)

type record = map[string]any

// TestConditions by hand: what the specification says of absent values, ranges, sides and changes.
func TestConditions(t *testing.T) {
	red, blue, bare := record{"n": 5, "s": "red", "b": true}, record{"n": 9, "s": "blue", "b": true}, record{}
	for name, tt := range map[string]struct {
		rule          promise.Rule
		before, after record
		want          bool
	}{
		"equal":                        {promise.Rule{"s", "=", "red"}, nil, red, true},
		"another":                      {promise.Rule{"s", "=", "red"}, nil, blue, false},
		"not another":                  {promise.Rule{"s", "!=", "red"}, nil, red, false},
		"empty":                        {promise.Rule{"s", "isempty", true}, nil, record{"s": ""}, true},
		"greater by one":               {promise.Rule{"n", ">", 4}, nil, red, true},
		"not as little":                {promise.Rule{"n", "<=", 4}, nil, red, false},
		"below a range":                {promise.Rule{"n", "range", [2]int{6, 9}}, nil, red, false},
		"after":                        {promise.Rule{"after.s", "=", "blue"}, red, blue, true},
		"absent equals nothing":        {promise.Rule{"s", "=", "red"}, nil, bare, false},
		"absent differs":               {promise.Rule{"s", "!=", "red"}, nil, bare, true},
		"absent is empty":              {promise.Rule{"n", "isempty", true}, nil, bare, true},
		"there":                        {promise.Rule{"n", "isempty", true}, nil, red, false},
		"absent is not less":           {promise.Rule{"n", "<", 9}, nil, bare, false},
		"less or equal":                {promise.Rule{"n", "<=", 5}, nil, red, true},
		"greater":                      {promise.Rule{"n", ">", 5}, nil, red, false},
		"the end of a range":           {promise.Rule{"n", "range", [2]int{5, 9}}, nil, blue, false},
		"the start of a range":         {promise.Rule{"n", "range", [2]int{5, 9}}, nil, red, true},
		"before":                       {promise.Rule{"before.s", "=", "red"}, red, blue, true},
		"bare is after":                {promise.Rule{"s", "=", "red"}, red, blue, false},
		"bare of a deletion is before": {promise.Rule{"s", "=", "red"}, red, nil, true},
		"changed":                      {promise.Rule{"n", "changed", nil}, red, blue, true},
		"unchanged":                    {promise.Rule{"b", "changed", nil}, red, blue, false},
		"changed to absent":            {promise.Rule{"b", "changed", nil}, red, bare, true},
	} {
		if got := (promise.Condition{
			Match: "all", Rules: []promise.Rule{tt.rule},
		}).Holds(tt.before, tt.after); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}

	both := []promise.Rule{{"s", "=", "red"}, {"n", "=", 9}}
	all, some := promise.Condition{Match: "all", Rules: both}, promise.Condition{Match: "any", Rules: both}
	if all.Holds(nil, red) || !some.Holds(nil, red) || !(promise.Condition{Match: "any"}).Holds(nil, red) {
		t.Error("all and any")
	}
}

func TestTimers(t *testing.T) {
	at := func(hour, minute int) time.Time { return time.Date(2026, 11, 22, hour, minute, 0, 0, time.UTC) }
	for name, tt := range map[string]struct {
		timer     promise.Timer
		last, now time.Time
		want      []time.Time
	}{
		"a minute":                 {promise.Timer{Every: 1, Missed: "once"}, at(8, 0), at(8, 1), []time.Time{at(8, 1)}},
		"not this one":             {promise.Timer{Every: 5, Missed: "once"}, at(8, 0), at(8, 1), nil},
		"once":                     {promise.Timer{Every: 2, Missed: "once"}, at(8, 0), at(8, 5), []time.Time{at(8, 4)}},
		"all":                      {promise.Timer{Every: 2, Missed: "all"}, at(8, 0), at(8, 5), []time.Time{at(8, 2), at(8, 4)}},
		"skip":                     {promise.Timer{Every: 2, Missed: "skip"}, at(8, 0), at(8, 5), []time.Time{at(8, 4)}},
		"skip, each minute":        {promise.Timer{Every: 1, Missed: "skip"}, at(8, 0), at(8, 5), []time.Time{at(8, 5)}},
		"skip all":                 {promise.Timer{Every: 5, Missed: "skip"}, at(8, 0), at(8, 7), nil},
		"an hour later":            {promise.Timer{Every: 30, Missed: "all"}, at(8, 0), at(9, 30), []time.Time{at(9, 0), at(9, 30)}},
		"too late to be fired":     {promise.Timer{Every: 2, Missed: "skip"}, at(8, 0), at(8, 3).Add(30 * time.Second), nil},
		"a day, at another minute": {promise.Timer{Hour: 8, Minute: 3, Zone: "UTC", Missed: "once"}, at(8, 0), at(8, 2), nil},
		"a day, at another hour":   {promise.Timer{Hour: 9, Minute: 3, Zone: "UTC", Missed: "once"}, at(8, 0), at(8, 5), nil},
		"a day, in a zone": {
			promise.Timer{Hour: 16, Minute: 3, Zone: "Asia/Shanghai", Missed: "once"}, at(8, 2), at(8, 3), []time.Time{at(8, 3)},
		},
	} {
		got, err := tt.timer.Fires(tt.last.Add(20*time.Second), tt.now)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestUnknownZone(t *testing.T) {
	if _, err := (promise.Timer{Every: 1, Zone: "Nowhere/Else"}).Fires(time.Now(), time.Now()); err == nil {
		t.Error("a zone that there is not was accepted")
	}
}

// TestNeeds: which minutes must fire where ticks are lost or fail.
func TestNeeds(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 22, 8, minute, 0, 0, time.UTC) }
	well := func(minutes ...int) (ticks []promise.Tick) {
		for _, m := range minutes {
			ticks = append(ticks, promise.Tick{Minute: at(m), Well: true})
		}
		return ticks
	}
	failed := func(ticks []promise.Tick, minute int) []promise.Tick {
		return append(ticks, promise.Tick{Minute: at(minute)})
	}
	for name, tt := range map[string]struct {
		missed string
		every  int
		ticks  []promise.Tick
		want   promise.Need
	}{
		"all, no tick":                         {"all", 5, nil, promise.Never},
		"all, two ticks":                       {"all", 5, well(40, 41), promise.Must},
		"all, one tick":                        {"all", 5, well(40), promise.May},
		"all, a tick that failed":              {"all", 5, failed(nil, 40), promise.May},
		"all, at the end of the hour":          {"all", 5, well(68, 69), promise.May},
		"all, after the hour":                  {"all", 5, well(70, 71), promise.Never},
		"once, two ticks":                      {"once", 5, well(10, 11), promise.Must},
		"once, one tick":                       {"once", 5, well(13), promise.May},
		"once, a tick that failed":             {"once", 5, failed(well(10), 11), promise.May},
		"once, a newer one was due":            {"once", 5, well(9, 15), promise.Never},
		"once, each minute, a tick late":       {"once", 1, well(9, 11), promise.Never},
		"once, each minute":                    {"once", 1, well(9, 10), promise.May},
		"all, each minute, nobody looked":      {"all", 1, well(9), promise.Never},
		"once, each minute, two ticks":         {"once", 1, well(9, 10, 11), promise.May},
		"once, two ticks told and one well":    {"once", 5, failed(failed(well(12), 10), 11), promise.May},
		"once, a tick that is repeated":        {"once", 5, failed(well(10, 11), 10), promise.Must},
		"once, a late tick":                    {"once", 5, well(11), promise.May},
		"once, two of each minute":             {"once", 1, well(10, 11), promise.May},
		"once, the next was due at the second": {"once", 2, well(11, 12), promise.May},
		"skip, told late only":                 {"skip", 5, well(11), promise.May},
		"skip, told late, and failed":          {"skip", 5, failed(well(10), 11), promise.May},
		"skip, told, and failed":               {"skip", 5, failed(well(11), 10), promise.May},
		"skip, a tick that is repeated":        {"skip", 5, failed(well(10, 11), 11), promise.Must},
		"skip, each minute, told late":         {"skip", 1, well(9, 11), promise.May},
		"skip, on time":                        {"skip", 5, well(10, 11), promise.Must},
		"skip, too late":                       {"skip", 5, well(9, 12), promise.Never},
		"skip, the second tick is lost":        {"skip", 5, well(10), promise.May},
		"skip, each minute":                    {"skip", 1, well(9, 10, 11), promise.Must},
		"skip, each minute, one lost before":   {"skip", 1, well(10, 11), promise.May},
	} {
		timer := promise.Timer{Every: tt.every, Missed: tt.missed}
		if got := timer.Need(at(10), tt.ticks); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
	if got := (promise.Timer{Every: 7}).Next(at(8).Add(59 * time.Second)); got != at(14) {
		t.Errorf("next: %v", got)
	}
}

// numbers are those of a verdict that must be zero.
type numbers struct{ lost, doubled int }

// TestWatch plants what a platform might do wrong with two actions of a trigger.
func TestWatch(t *testing.T) {
	run := func(action int64, event, mark string) promise.Run {
		return promise.Run{Action: action, Event: event, Mark: mark}
	}
	right := []promise.Run{run(1, "e1", "sure"), run(2, "e1", "sure")}
	for name, tt := range map[string]struct {
		runs []promise.Run
		want numbers
	}{
		"right":                    {right, numbers{}},
		"the unknown one happened": {append(right, run(1, "e2", "maybe"), run(2, "e2", "maybe")), numbers{}},
		"nothing ran":              {nil, numbers{lost: 2}},
		"one action did not":       {right[:1], numbers{lost: 1}},
		"one action ran twice":     {append(right, run(1, "e1", "sure")), numbers{doubled: 1}},
		"one twice, the other not": {[]promise.Run{right[0], right[0]}, numbers{lost: 1, doubled: 1}},
		"an event came twice":      {append(right, run(1, "e3", "sure"), run(2, "e3", "sure")), numbers{doubled: 2}},
		"one that did not hold":    {append(right, run(1, "e4", "no")), numbers{doubled: 1}},
		"one that must not run":    {append(right, run(1, "e6", "late")), numbers{doubled: 1}},
		"one that nobody sent":     {append(right, run(1, "e5", "strange")), numbers{doubled: 1}},
	} {
		w := &promise.Watch{Actions: 2}
		w.Saw("sure", true, promise.Must)
		w.Saw("maybe", true, promise.May)
		w.Saw("no", false, promise.Must)
		w.Saw("late", true, promise.Never)
		v := w.Judge(slices.Clone(tt.runs))
		if got := (numbers{v.Lost, v.Doubled}); got != tt.want || v.Expected != 2 || v.Happened != len(tt.runs) {
			t.Errorf("%s: %+v, want %+v", name, v, tt.want)
		}
	}
}

// TestCounted: where marks are not known, numbers say what is wrong.
func TestCounted(t *testing.T) {
	run := func(mark string) promise.Run { return promise.Run{Action: 1, Event: mark, Mark: mark} }
	for name, tt := range map[string]struct {
		runs []promise.Run
		want numbers
	}{
		"right":                    {[]promise.Run{run("a"), run("b")}, numbers{}},
		"the unknown one happened": {[]promise.Run{run("a"), run("b"), run("c")}, numbers{}},
		"one is lost":              {[]promise.Run{run("a")}, numbers{lost: 1}},
		"one too many":             {[]promise.Run{run("a"), run("b"), run("c"), run("d")}, numbers{doubled: 1}},
		"lost and doubled":         {[]promise.Run{run("a"), run("a")}, numbers{lost: 1, doubled: 1}},
	} {
		w := &promise.Watch{Actions: 1, Counted: true}
		w.Saw("", true, promise.Must)
		w.Saw("", true, promise.Must)
		w.Saw("", true, promise.May)
		v := w.Judge(tt.runs)
		if got := (numbers{v.Lost, v.Doubled}); got != tt.want || v.Expected != 2 {
			t.Errorf("%s: %+v, want %+v", name, v, tt.want)
		}
	}
}

// TestCountedActions: each mark of a counted trigger has a run for each action.
func TestCountedActions(t *testing.T) {
	w := &promise.Watch{Actions: 2, Counted: true}
	w.Saw("", true, promise.Must)
	w.Saw("", true, promise.Must)
	w.Saw("", false, promise.Must)
	var runs []promise.Run
	for _, action := range []int64{1, 2, 3} {
		runs = append(runs, promise.Run{Action: action, Event: "a", Mark: "a"})
	}
	if v := w.Judge(append(runs, promise.Run{Action: 1, Event: "b", Mark: "b"})); v.Lost != 1 || v.Doubled != 1 {
		t.Errorf("%+v", v)
	}
	if v := w.Evaluations([]promise.Seen{{"a", true}, {"b", false}}, 2, 0); v.Bad() > 0 {
		t.Errorf("evaluations: %+v", v)
	}
}

func TestEvaluations(t *testing.T) {
	for name, tt := range map[string]struct {
		seen []promise.Seen
		lost int
		want numbers
	}{
		"right":          {[]promise.Seen{{"yes", true}, {"no", false}}, 0, numbers{}},
		"one missing":    {[]promise.Seen{{"yes", true}}, 0, numbers{lost: 1}},
		"one in the log": {[]promise.Seen{{"yes", true}}, 1, numbers{}},
		"wrong":          {[]promise.Seen{{"yes", true}, {"no", true}}, 0, numbers{doubled: 1}},
		"strange":        {[]promise.Seen{{"yes", true}, {"no", false}, {"what", true}}, 0, numbers{doubled: 1}},
		"both of one":    {[]promise.Seen{{"both", true}, {"both", false}}, 0, numbers{}},
		"nobody's":       {[]promise.Seen{{"yes", true}, {"nobody's", false}}, 0, numbers{doubled: 1}},
	} {
		w := &promise.Watch{Actions: 1}
		w.Saw("yes", true, promise.Must)
		w.Saw("no", false, promise.Must)
		w.Saw("both", true, promise.May)
		w.Saw("both", false, promise.May)
		w.Saw("both", false, promise.Never)
		w.Saw("both", true, promise.Never)
		if v := w.Evaluations(tt.seen, 50, tt.lost); (numbers{v.Lost, v.Doubled}) != tt.want {
			t.Errorf("%s: %+v, want %+v", name, v, tt.want)
		}
	}
}
