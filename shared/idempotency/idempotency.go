// Package idempotency lets a caller repeat a write safely (D8): the first
// answer to an Idempotency-Key is remembered for 24 hours and given again.
//
//	claimed ──► answered ── 24 h ──► gone
//
// A claim without an answer is a request under way, one that was answered "not
// now", or one whose program died. Nobody can tell, and nobody needs to: a
// repetition does it again at once, with the seed of the claim. Out of that come
// the ids of what is created and the tokens left on what is changed, so that
// whatever an earlier try has done is found and not done twice (writetoken). Of
// tries that answer at the same time the first is remembered, and the others
// give its answer.
package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/tenant"
)

// MaxKey is the longest Idempotency-Key, in characters (D8).
const MaxKey = 255

// Keep is how long an answer is remembered.
const Keep = 24 * time.Hour

// Answer is what was answered to a request.
type Answer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"` // the few headers that belong to the answer
	Body   []byte            `json:"body"`
}

// Claim is one try of a request under a key.
type Claim struct {
	Scope   tenant.Scope
	KeyHash string // SHA-256 of the key, hex: keys are the callers' words and may be long
	Request string // SHA-256 of method, path and body, hex
	// Seed is random; all tries of a request have that of the first.
	Seed string
	At   time.Time // when the key was first claimed, milliseconds
	// Try is random: which try this is.
	Try string
	// Again is set where an earlier try may have had its effect.
	Again bool
}

// Expires returns when the key is forgotten.
func (c Claim) Expires() time.Time { return c.At.Add(Keep) }

// Held is what a store knows of a key that is already claimed.
type Held struct {
	Request string
	Seed    string
	At      time.Time
	Answer  *Answer // nil while there is none
}

// Store remembers claims and answers.
type Store interface {
	// Claim records c if its key is free, or was claimed more than Keep before now.
	// Otherwise it returns who holds it, which may be c itself.
	Claim(ctx context.Context, c Claim, now time.Time) (*Held, error)
	// Answer records the answer of a claim, unless another try of it was faster:
	// then it returns what that one answered.
	Answer(ctx context.Context, c Claim, answer Answer) (*Answer, error)
	// Note records a text for all tries of a claim, unless there is one of that
	// name. It returns the text that is there then.
	Note(ctx context.Context, c Claim, name, text string) (string, error)
}

// Service decides what a repeated request gets.
type Service struct {
	Store Store
	Clock clock.Clock
}

// Begin claims key for a request, digested over everything that makes it the
// same request. It returns the first answer when there is one, else the claim to
// work under and to answer.
//
// Errors: errs.Invalid for a key that is too long, errs.Mismatch when the key
// belongs to another request (422).
func (s *Service) Begin(
	ctx context.Context, scope tenant.Scope, key string, request ...[]byte,
) (Claim, *Answer, error) {
	if len([]rune(key)) > MaxKey {
		return Claim{}, nil, errs.Invalid("Idempotency-Key must be at most %d characters", MaxKey)
	}
	now := s.Clock.Now()
	claim := Claim{
		Scope:   scope,
		KeyHash: digest([]byte(key)),
		// With the key: bodies may hold passwords, which a digest of the body alone
		// would let one guess.
		Request: digest(append([][]byte{[]byte(key)}, request...)...),
		Seed:    id.Hex(16), At: now.Truncate(time.Millisecond), Try: id.Hex(8),
	}

	held, err := s.Store.Claim(ctx, claim, now)
	switch {
	case err != nil:
		return Claim{}, nil, err
	case held == nil || held.Seed == claim.Seed: // an earlier attempt of the client, of which it heard nothing
		return claim, nil, nil
	case held.Request != claim.Request:
		return Claim{}, nil, errs.Mismatch("this Idempotency-Key was used for another request")
	case held.Answer != nil:
		return Claim{}, held.Answer, nil
	}
	claim.Seed, claim.At, claim.Again = held.Seed, held.At, true
	return claim, nil, nil
}

// The looks for the answer of another try, by one that met it half-way.
const (
	looks     = 3
	firstLook = 50 * time.Millisecond
)

// Await returns what another try of the claim answers within a third of a second,
// nil when none does. Two tries at once may be in each other's way.
func (s *Service) Await(ctx context.Context, claim Claim) *Answer {
	pause := firstLook
	for range looks {
		if clock.Sleep(ctx, pause) != nil {
			return nil
		}
		held, err := s.Store.Claim(ctx, claim, s.Clock.Now())
		if err != nil || held == nil {
			return nil
		}
		if held.Answer != nil {
			return held.Answer
		}
		pause *= 2
	}
	return nil
}

// Request is what the services of the platform see of a claim.
func (s *Service) Request(claim Claim) *writetoken.Request {
	return &writetoken.Request{
		At: claim.At, Seed: claim.Seed, Again: claim.Again,
		Note: func(ctx context.Context, name, text string) (string, error) {
			return s.Store.Note(ctx, claim, name, text)
		},
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
