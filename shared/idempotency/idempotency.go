// Package idempotency makes writes safe to retry (D8): it stores the first response to an Idempotency-Key and returns
// it again for 24 hours.
//
//	claimed ──► answered ── 24 h ──► gone
//
// A claim without an answer means that the request is still running, that it got a retryable error, which is not
// stored, or that its program died. These cases are handled alike: a repetition runs at once with the seed of the
// claim. The seed determines the ids of created objects and the write tokens on changed objects, so a repetition
// finds the effects of earlier tries and does not repeat them (writetoken). When several tries answer at the same
// time, the first answer is stored and the other tries return it.
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

// MaxKey is the maximum length of an Idempotency-Key in characters (D8).
const MaxKey = 255

// Keep is how long an answer is stored.
const Keep = 24 * time.Hour

// Answer is the stored response to a request.
type Answer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"` // the few headers stored with the answer
	Body   []byte            `json:"body"`
}

// Claim is one try of a request with an idempotency key.
type Claim struct {
	Scope   tenant.Scope
	KeyHash string // SHA-256 of the key in hex, because clients choose keys and they may be long
	Request string // SHA-256 of method, path and body, hex
	// Seed is random and shared by all tries of a request.
	Seed string
	At   time.Time // when the key was first claimed, milliseconds
	// Try is a random id of this try.
	Try string
	// Again is true if an earlier try may have had effects.
	Again bool
}

// Expires returns when the key and its answer expire.
func (c Claim) Expires() time.Time { return c.At.Add(Keep) }

// Held is the stored claim of a key.
type Held struct {
	Request string
	Seed    string
	At      time.Time
	Answer  *Answer // nil = not answered yet
}

// Store stores claims and answers.
type Store interface {
	// Claim stores c if its key is unclaimed, or was claimed more than Keep before now. Otherwise it returns the
	// existing claim, which may be c itself after a retried call.
	Claim(ctx context.Context, c Claim, now time.Time) (*Held, error)
	// Answer stores the answer of a claim. If another try has already answered, it stores nothing and returns that
	// answer.
	Answer(ctx context.Context, c Claim, answer Answer) (*Answer, error)
	// Note stores a text for all tries of a claim, unless the claim already has a note of that name. It returns the
	// stored text.
	Note(ctx context.Context, c Claim, name, text string) (string, error)
}

// Service decides whether a request runs or gets a stored answer.
type Service struct {
	Store Store
	Clock clock.Clock
}

// Begin claims key for a request. Each owner, "" or for example an end user, has keys of its own. request holds all
// parts that identify the request; their digest is stored. Begin returns the stored answer if there is one, otherwise
// the claim to run and answer under.
//
// It returns errs.Invalid if the key is too long, and errs.Mismatch (422) if the key belongs to another request.
func (s *Service) Begin(
	ctx context.Context, scope tenant.Scope, owner, key string, request ...[]byte,
) (Claim, *Answer, error) {
	if len([]rune(key)) > MaxKey {
		return Claim{}, nil, errs.Invalid("Idempotency-Key must be at most %d characters", MaxKey)
	}
	hash := digest([]byte(key))
	if owner != "" {
		hash = digest([]byte(owner), []byte(key))
	}
	now := s.Clock.Now()
	claim := Claim{
		Scope:   scope,
		KeyHash: hash,
		// The key is part of the digest: a body may contain a password, which could be guessed from a digest of the
		// body alone.
		Request: digest(append([][]byte{[]byte(key)}, request...)...),
		Seed:    id.Hex(16), At: now.Truncate(time.Millisecond), Try: id.Hex(8),
	}

	held, err := s.Store.Claim(ctx, claim, now)
	switch {
	case err != nil:
		return Claim{}, nil, err
	case held == nil || held.Seed == claim.Seed: // the SDK retried a call whose response was lost
		return claim, nil, nil
	case held.Request != claim.Request:
		return Claim{}, nil, errs.Mismatch("this Idempotency-Key was used for another request")
	case held.Answer != nil:
		return Claim{}, held.Answer, nil
	}
	claim.Seed, claim.At, claim.Again = held.Seed, held.At, true
	return claim, nil, nil
}

// Await polls for the answer of a concurrent try: looks is the number of polls, firstLook the first delay. Later
// delays double.
const (
	looks     = 3
	firstLook = 50 * time.Millisecond
)

// Await returns the answer of another try of the claim if it arrives within a third of a second, otherwise nil. It is
// for a try that conflicted with a concurrent one.
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

// Request returns the part of a claim that other services use.
func (s *Service) Request(claim Claim) *writetoken.Request {
	return &writetoken.Request{
		At: claim.At, Seed: claim.Seed, Again: claim.Again,
		Note: func(ctx context.Context, name, text string) (string, error) {
			return s.Store.Note(ctx, claim, name, text)
		},
	}
}

// digest hashes the hash of each part, so that different lists of parts have different digests.
func digest(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
