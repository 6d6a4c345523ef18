package clients

import "time"

// Span is when something happened that somebody asked for: not before From, and not after To.
type Span struct{ From, To time.Time }

// Never is the end of what may still happen.
var Never = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// Since is the span of a request that is sent now.
func Since() Span { return Span{time.Now(), Never} }

// Before reports whether s was over when other began.
func (s Span) Before(other Span) bool { return s.To.Before(other.From) }

// Timeline are the values that something had, one after the other. One caller changes it, each time after the change
// before was over.
type Timeline[T any] struct{ values []change[T] }

type change[T any] struct {
	value T
	made  Span
}

// Begin notes a change that is asked for now, to be ended by known or undone.
func (t *Timeline[T]) Begin(value T) { t.values = append(t.values, change[T]{value, Since()}) }

// Known notes that the last change is over.
func (t *Timeline[T]) Known() { t.values[len(t.values)-1].made.To = time.Now() }

// Undone removes the last change, which did not happen.
func (t *Timeline[T]) Undone() { t.values = t.values[:len(t.values)-1] }

// Last is the value of the last change.
func (t *Timeline[T]) Last() T { return t.values[len(t.values)-1].value }

// Over reports whether the last change is over.
func (t *Timeline[T]) Over() bool { return t.values[len(t.values)-1].made.To != Never }

// During returns the values that it may have had at some time of a span.
func (t *Timeline[T]) During(asked Span) (possible []T) {
	for i, c := range t.values {
		begun := !asked.Before(c.made)
		over := i+1 < len(t.values) && t.values[i+1].made.Before(asked)
		if begun && !over {
			possible = append(possible, c.value)
		}
	}
	return possible
}

// Started returns a timeline that has a value since ever.
func Started[T any](value T) Timeline[T] { return Timeline[T]{[]change[T]{{value: value}}} }
