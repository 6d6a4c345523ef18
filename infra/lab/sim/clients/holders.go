package clients

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Holders are who has each of some values that at most one may have at a time: names of users, values of a unique
// column.
type Holders struct {
	mu  sync.Mutex
	all map[string][]*Tenure
}

// Tenure is the time for which somebody has a value.
type Tenure struct {
	Value  string
	holder string // "" = it was asked for, and it is not known for whom
	got    Span
	left   Span
}

// Claim notes that a value is asked for now.
func (h *Holders) Claim(value, holder string) *Tenure {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.add(value, holder, Since())
}

func (h *Holders) add(value, holder string, got Span) *Tenure {
	if h.all == nil {
		h.all = map[string][]*Tenure{}
	}
	t := &Tenure{value, holder, got, Span{Never, Never}}
	h.all[value] = append(h.all[value], t)
	return t
}

// Granted notes that a tenure began before now.
func (h *Holders) Granted(t *Tenure, holder string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.holder, t.got.To = holder, time.Now(); t.got.To.Before(t.got.From) {
		t.got.From = t.got.To
	}
}

// Refused removes a tenure that was not granted, and reports whether there is a reason: somebody else may have had the
// value meanwhile.
func (h *Holders) Refused(t *Tenure) (reason bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.got.To = time.Now()
	h.all[t.Value] = slices.DeleteFunc(h.all[t.Value], func(other *Tenure) bool { return other == t })
	return slices.ContainsFunc(h.all[t.Value], func(other *Tenure) bool { return other.Possible(t.got) })
}

// Possible reports whether it may have been held at some time of a span.
func (t *Tenure) Possible(asked Span) bool { return !asked.Before(t.got) && !t.left.Before(asked) }

// Sure reports whether it was held all the time of a span.
func (t *Tenure) Sure(asked Span) bool { return t.got.Before(asked) && asked.Before(t.left) }

// Of are the tenures of a holder that may go on.
func (h *Holders) Of(holder string) (all []*Tenure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := Span{time.Now(), time.Now()}
	for _, value := range slices.Sorted(maps.Keys(h.all)) {
		for _, t := range h.all[value] {
			if t.holder == holder && t.Possible(now) && t.left.From == Never {
				all = append(all, t)
			}
		}
	}
	return all
}

// Leave notes that tenures are given up now; the caller says when it is known.
func (h *Holders) Leave(all []*Tenure) {
	h.each(all, func(t *Tenure) { t.left = Since() })
}

// LeftAll notes that tenures have been given up.
func (h *Holders) LeftAll(all []*Tenure) {
	h.each(all, func(t *Tenure) { t.left.To = time.Now() })
}

// Stayed notes that tenures were not given up.
func (h *Holders) Stayed(all []*Tenure) {
	h.each(all, func(t *Tenure) { t.left = Span{Never, Never} })
}

func (h *Holders) each(all []*Tenure, change func(*Tenure)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range all {
		change(t)
	}
}

// Who returns the id of the user who certainly held a value during the whole span, "" if none did.
// possible reports whether any user may have held it.
func (h *Holders) Who(value string, asked Span) (sure string, possible bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.all[value] {
		possible = possible || t.Possible(asked)
		if t.Sure(asked) {
			sure = t.holder
		}
	}
	return sure, possible
}

// Met notes that a holder was found to have a value at some time of a span: there is a tenure already, or a new one.
func (h *Holders) Met(value, holder string, asked Span) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.all[value] {
		if t.holder == holder && t.Possible(asked) {
			return
		}
	}
	h.add(value, holder, asked)
}

// Twice returns the values that two holders had at the same time.
func (h *Holders) Twice() (problems []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, value := range slices.Sorted(maps.Keys(h.all)) {
		all := h.all[value]
		for i, a := range all {
			for _, b := range all[:i] {
				// Both for sure from the later beginning to the earlier end.
				from := slices.MaxFunc([]time.Time{a.got.To, b.got.To}, time.Time.Compare)
				to := slices.MinFunc([]time.Time{a.left.From, b.left.From}, time.Time.Compare)
				if a.holder != b.holder && from.Before(to) && from != Never {
					problems = append(problems, fmt.Sprintf("%s and %s both had %s", a.holder, b.holder, value))
				}
			}
		}
	}
	return problems
}
