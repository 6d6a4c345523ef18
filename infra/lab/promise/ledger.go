package promise

import (
	"maps"
	"slices"
	"sync"
)

// Ledger is what was asked for, by the marks that its effects carry. The zero value is empty.
type Ledger struct {
	mu    sync.Mutex
	asked map[string]span
}

// span is how often something may be there.
type span struct{ least, most int }

func (n Need) span(times int) span {
	switch n {
	case Must:
		return span{times, times}
	case May:
		return span{0, times}
	}
	return span{}
}

// Expect notes that a mark is asked for once, whatever was noted of it before.
func (l *Ledger) Expect(mark string, need Need) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(mark, need.span(1))
}

// Add notes that a mark is asked for so many times more.
func (l *Ledger) Add(mark string, need Need, times int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, more := l.asked[mark], need.span(times)
	l.set(mark, span{before.least + more.least, before.most + more.most})
}

func (l *Ledger) set(mark string, s span) {
	if l.asked == nil {
		l.asked = map[string]span{}
	}
	l.asked[mark] = s
}

// Marks are those that were asked for, or may have been.
func (l *Ledger) Marks() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.asked))
}

// Found is what there is, by mark.
type Found struct {
	Times       map[string]int
	Interrupted map[string]bool   // effects of which the platform says that nobody knows, and may say so
	Why         map[string]string // what the platform says of one, for the troubles
}

// Judge holds what was found against what was asked for.
func (l *Ledger) Judge(found Found) (t Tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, mark := range slices.Sorted(maps.Keys(l.asked)) {
		want, times := l.asked[mark], found.Times[mark]
		t.Expected += want.least
		t.Happened += min(times, want.most)

		if found.Interrupted[mark] {
			t.Interrupted++
		} else {
			t.Trouble(&t.Lost, want.least-times, "%q is there %d of %d times %s", mark, times, want.least, found.Why[mark])
		}
		t.Trouble(&t.Doubled, times-want.most, "%q is there %d times, not %d %s", mark, times, want.most, found.Why[mark])
	}

	for _, mark := range slices.Sorted(maps.Keys(found.Times)) {
		if _, asked := l.asked[mark]; !asked {
			t.Trouble(&t.Doubled, found.Times[mark], "%q is there and nobody asked for it", mark)
		}
	}
	return t
}
