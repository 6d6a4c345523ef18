// Package writetoken lets a repeated request find what its first try has done
// (D8: an Idempotency-Key works once, also when the program dies before it answered).
//
// A request with a key carries a Request through its context. Everything in it
// comes from the claim of the key, so a repetition carries the same:
//
//	ids     of what it creates; the insert of an id that exists was the first try's
//	tokens  left on what it changes; a change that finds its own token is done
//	notes   what it is about to do, where doing it hides what was meant
//
// A request without a key carries none, and every function here then says so
// with a zero value.
package writetoken

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"minicloud/shared/id"
)

// Keep is how long a token may be looked for: as long as a key is remembered.
const Keep = 24 * time.Hour

// Request is one try of a request with a key.
type Request struct {
	// At is when the key was first claimed. A repetition makes the same ids, so
	// what it creates is of that time.
	At time.Time
	// Seed is random, drawn with the claim; it never leaves the platform.
	Seed string
	// Again is set in repetitions: an earlier try may have had its effect.
	Again bool
	// Note records a text under the key unless one of that name is there, and
	// returns the one that is there then.
	Note func(ctx context.Context, name, text string) (string, error)

	step string
	ids  *id.Source
	once sync.Once
}

type contextKey struct{}

// NewContext returns a context that carries r.
func NewContext(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// FromContext returns the request of a key, nil without one.
func FromContext(ctx context.Context) *Request {
	r, _ := ctx.Value(contextKey{}).(*Request)
	return r
}

// Step returns the context of one of several steps of a request, which may change
// the same thing each: their tokens and ids differ.
func Step(ctx context.Context, name string) context.Context {
	r := FromContext(ctx)
	if r == nil {
		return ctx
	}
	return NewContext(ctx, &Request{At: r.At, Seed: r.Seed, Again: r.Again, Note: r.Note, step: r.step + "/" + name})
}

// StepOf is Step for the nth of many things that are created. The ids of each are those of a millisecond of its own:
// two ids of one millisecond, drawn apart, are the same once in 4,096 times.
func StepOf(ctx context.Context, n int, name string) context.Context {
	step := Step(ctx, name)
	if r := FromContext(step); r != nil {
		r.At = r.At.Add(time.Duration(n) * time.Millisecond)
	}
	return step
}

// IDs returns where the ids of what a request creates come from, and the time
// they are made for: with a key the same in every try, else source and now.
func IDs(ctx context.Context, source *id.Source, now time.Time) (*id.Source, time.Time) {
	r := FromContext(ctx)
	if r == nil {
		return source, now
	}
	r.once.Do(func() { r.ids = id.Seeded(r.Seed + r.step) })
	return r.ids, r.At
}

// Noted returns what the first try of a request noted under that name, which is
// intent where none did. Without a key it is intent, and nothing is written.
func Noted[T any](ctx context.Context, name string, intent T) (T, error) {
	r := FromContext(ctx)
	if r == nil {
		return intent, nil
	}

	mine, err := json.Marshal(intent)
	if err != nil {
		return intent, fmt.Errorf("note %s: %w", name, err)
	}

	first, err := r.Note(ctx, name+r.step, string(mine))
	if err != nil || first == string(mine) {
		return intent, err
	}

	var noted T
	if err := json.Unmarshal([]byte(first), &noted); err != nil {
		return intent, fmt.Errorf("note %s: %w", name, err)
	}

	return noted, nil
}

// timeDigits is the length of a token's time, Unix milliseconds in hex.
const timeDigits = 11

// Of returns the token of one change that the request makes, "" without a key.
// A token begins with the time of the claim: tokens older than Keep are of no use.
func Of(ctx context.Context, change ...string) string {
	r := FromContext(ctx)
	if r == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{r.Seed, r.step}, change...), "\n")))
	return fmt.Sprintf("%0*x", timeDigits, r.At.UnixMilli()) + hex.EncodeToString(sum[:6])
}

// Named returns the token of something that is done once under its name and may be looked for until a time: not of a
// request, but of what has an id of its own, as the run of an action.
func Named(name string, until time.Time) string {
	return fmt.Sprintf("%0*x", timeDigits, until.Add(-Keep).UnixMilli()) + name
}

// Expires returns when the token is of no use any more.
func Expires(token string) time.Time {
	ms, err := strconv.ParseInt(token[:min(timeDigits, len(token))], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).Add(Keep)
}

// List is the tokens a thing bears, oldest first, with spaces between: one text,
// so that what has it can be compared.
type List string

// Has reports whether the token is among them; "" never is.
func (l List) Has(token string) bool {
	return token != "" && slices.Contains(l.tokens(), token)
}

// maxList is how many tokens a List holds. What bears one is changed by hand.
const maxList = 32

// With returns the list with a token more and without those over their time.
func (l List) With(token string, now time.Time) List {
	if token == "" {
		return l
	}
	kept := append(Current(l.tokens(), now), token)
	return List(strings.Join(kept[max(0, len(kept)-maxList):], " "))
}

func (l List) tokens() []string { return strings.Fields(string(l)) }

// Current returns the tokens that may still be looked for.
func Current(tokens []string, now time.Time) []string {
	oldest := fmt.Sprintf("%0*x", timeDigits, now.Add(-Keep).UnixMilli())
	return slices.DeleteFunc(slices.Clone(tokens), func(token string) bool { return token < oldest })
}
