// Package writetoken lets a retried request detect the effects of its first try (D8: an Idempotency-Key takes effect
// once, even if the program dies before it responds).
//
// A request with a key carries a Request in its context. Its values come from the claim of the key, so every retry
// has the same:
//
//	ids     of created objects: inserting an id that exists means that an earlier try inserted it
//	tokens  stored on changed objects: a change that finds its own token is already done
//	notes   the intended change, stored first if the change itself would hide what was intended
//
// A request without a key carries no Request: FromContext returns nil and Of returns "".
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

// Keep is how long a token can be looked up, equal to the lifetime of a key.
const Keep = 24 * time.Hour

// Request is one try of a request with an idempotency key.
type Request struct {
	// At is when the key was first claimed. Retries generate the same ids, so created objects have this creation time.
	At time.Time
	// Seed is random, generated with the claim, and never leaves the platform.
	Seed string
	// Again is true in retries: an earlier try may have had effects.
	Again bool
	// Note stores a text under the key, unless the key already has a note of that name. It returns the stored text.
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

// FromContext returns the Request in ctx, or nil for a request without a key.
func FromContext(ctx context.Context) *Request {
	r, _ := ctx.Value(contextKey{}).(*Request)
	return r
}

// Step returns the context of one step of a request. Tokens and ids of different steps differ, so several steps may
// change the same object.
func Step(ctx context.Context, name string) context.Context {
	r := FromContext(ctx)
	if r == nil {
		return ctx
	}
	return NewContext(ctx, &Request{At: r.At, Seed: r.Seed, Again: r.Again, Note: r.Note, step: r.step + "/" + name})
}

// StepOf returns the context of the nth of many created objects. Each object gets a millisecond of its own: two
// sources that generate ids for the same millisecond collide once in 4,096 times.
func StepOf(ctx context.Context, n int, name string) context.Context {
	step := Step(ctx, name)
	if r := FromContext(step); r != nil {
		r.At = r.At.Add(time.Duration(n) * time.Millisecond)
	}
	return step
}

// IDs returns the id source and the creation time for objects that a request creates. With a key they are the same in
// every try; without a key they are source and now.
func IDs(ctx context.Context, source *id.Source, now time.Time) (*id.Source, time.Time) {
	r := FromContext(ctx)
	if r == nil {
		return source, now
	}
	r.once.Do(func() { r.ids = id.Seeded(r.Seed + r.step) })
	return r.ids, r.At
}

// Noted stores intent under a name and returns the value that the first try stored. Without a key it returns intent
// and stores nothing.
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

// timeDigits is the length of a token's timestamp: Unix milliseconds in hex.
const timeDigits = 11

// Of returns the token of one change of the request, or "" without a key. A token starts with the time of the claim,
// because tokens older than Keep are dropped.
func Of(ctx context.Context, change ...string) string {
	r := FromContext(ctx)
	if r == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{r.Seed, r.step}, change...), "\n")))
	return fmt.Sprintf("%0*x", timeDigits, r.At.UnixMilli()) + hex.EncodeToString(sum[:6])
}

// Named returns the token of an operation that runs once under its own name, such as the run of an action, rather
// than of a request. The token can be looked up until the given time.
func Named(name string, until time.Time) string {
	return fmt.Sprintf("%0*x", timeDigits, until.Add(-Keep).UnixMilli()) + name
}

// Expires returns when the token expires.
func Expires(token string) time.Time {
	ms, err := strconv.ParseInt(token[:min(timeDigits, len(token))], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).Add(Keep)
}

// List is the tokens of one object, oldest first, separated by spaces. A string keeps structs that contain it
// comparable.
type List string

// Has reports whether the list contains token; it is false for "".
func (l List) Has(token string) bool {
	return token != "" && slices.Contains(l.tokens(), token)
}

// maxList is the maximum number of tokens in a List. It can be small, because only people change these objects.
const maxList = 32

// With returns the list with token appended, without expired tokens.
func (l List) With(token string, now time.Time) List {
	if token == "" {
		return l
	}
	kept := append(Current(l.tokens(), now), token)
	return List(strings.Join(kept[max(0, len(kept)-maxList):], " "))
}

func (l List) tokens() []string { return strings.Fields(string(l)) }

// Current returns the tokens that have not expired.
func Current(tokens []string, now time.Time) []string {
	oldest := fmt.Sprintf("%0*x", timeDigits, now.Add(-Keep).UnixMilli())
	return slices.DeleteFunc(slices.Clone(tokens), func(token string) bool { return token < oldest })
}
