// Package idempotency lets a caller repeat a write safely (D8): the first
// answer to an Idempotency-Key is remembered for 24 hours and given again.
//
//	           ┌── handler answers ──► answered ── 24 h ──► gone
//	claimed ───┤
//	           └── handler fails, or its program dies and the lease ends ──► gone
package idempotency

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// MaxKey is the longest Idempotency-Key, in characters (D8).
const MaxKey = 255

// Keep is how long an answer is remembered.
const Keep = 24 * time.Hour

// lease is how long a claim without an answer blocks others: longer than any
// HTTP program may run, so that it ends only after its holder is dead.
const lease = 40 * time.Second

// Answer is what was answered to a request.
type Answer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"` // the few headers that belong to the answer
	Body   []byte            `json:"body"`
}

// Claim is one request under a key.
type Claim struct {
	Scope   tenant.Scope
	KeyHash string // SHA-256 of the key, hex: keys are the callers' words and may be long
	Request string // SHA-256 of method, path and body, hex
	Holder  string // random: who made the claim
	Until   time.Time
	Expires time.Time
}

// Held is what a store knows of a key that is already claimed.
type Held struct {
	Request string
	Until   time.Time
	Answer  *Answer // nil while the first request is being served
}

// Store remembers claims and answers.
type Store interface {
	// Claim records c if its key is free, or held by a claim without an answer
	// that is c itself or whose lease ended before now. Otherwise it returns who
	// holds it.
	Claim(ctx context.Context, c Claim, now time.Time) (*Held, error)
	// Answer records the answer of a claim that is still held by c.
	Answer(ctx context.Context, c Claim, answer Answer) error
	// Release frees a key whose request came to nothing.
	Release(ctx context.Context, c Claim) error
}

// How long a repeated request waits for the first one's answer, and how long
// between two looks: a synchronous run may take 7 s with its slot.
const (
	patience  = 8 * time.Second
	firstLook = 50 * time.Millisecond
	slowLooks = 800 * time.Millisecond
)

// Service decides what a repeated request gets.
type Service struct {
	Store Store
	Clock clock.Clock
	// Patience is how long to wait for the answer of a request under way; 0 is 8 s.
	Patience time.Duration
}

// Begin claims key for a request, digested over everything that makes it the
// same request. It returns the first answer when there is one, for which it
// waits while the first is being served, and the claim to finish when this is
// the first.
//
// Errors: errs.Invalid for a key that is too long, errs.Mismatch when the key
// belongs to another request (422), errs.Conflict when the first takes longer
// than Patience.
func (s *Service) Begin(ctx context.Context, scope tenant.Scope, key string, request ...[]byte) (Claim, *Answer, error) {
	if len([]rune(key)) > MaxKey {
		return Claim{}, nil, errs.Invalid("Idempotency-Key must be at most %d characters", MaxKey)
	}
	claim := Claim{
		Scope:   scope,
		KeyHash: digest([]byte(key)),
		// With the key: bodies may hold passwords, which a digest of the body alone
		// would let one guess.
		Request: digest(append([][]byte{[]byte(key)}, request...)...),
		Holder:  id.Hex(8),
	}
	left := cmp.Or(s.Patience, patience)
	for pause := firstLook; ; pause = min(2*pause, slowLooks) {
		now := s.Clock.Now()
		claim.Until, claim.Expires = now.Add(lease), now.Add(Keep)
		held, err := s.Store.Claim(ctx, claim, now)
		switch {
		case err != nil || held == nil:
			return claim, nil, err
		case held.Request != claim.Request:
			return Claim{}, nil, errs.Mismatch("this Idempotency-Key was used for another request")
		case held.Answer != nil:
			return Claim{}, held.Answer, nil
		}
		if left -= pause; left < 0 || !sleep(ctx, pause) {
			return Claim{}, nil, &errs.Error{Kind: errs.KindConflict, RetryAfter: 1,
				Message: "a request with this Idempotency-Key is still being served"}
		}
	}
}

// sleep reports whether the time passed before the context was over.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// digest hashes parts with their lengths, so that no two lists of parts are one.
func digest(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
