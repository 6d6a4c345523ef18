// Package id generates the platform's identifiers.
//
// Numeric ids (functions, jobs, users, orders, triggers) are 53-bit integers, so every JSON client represents them
// exactly. They are ordered by creation time to the millisecond and need no central counter (D7):
//
//	 52            12 11         0
//	┌────────────────┬────────────┐
//	│ ms since 2024  │   random   │
//	└────────────────┴────────────┘
//	     41 bits         12 bits
//
// A row that comes from elsewhere may be older than 2024. The numbers below First(2024) are no times in milliseconds: they
// are Unix seconds, without random bits, so that ids are ordered by time back to 1970. An id of the first seven minutes of
// 2024 would be such a number too, so these seconds are numbers of this kind as well.
//
// Ids strictly increase within one process. Two processes may generate the same id in the same millisecond, so stores
// insert with attribute_not_exists and the service generates another id on a conflict. Decision 115 describes the
// rule for jobs.
package id

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"
)

const randomBits = 12

// epoch is time zero of an id; 41 bits of milliseconds reach the year 2093.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// ID is a time-ordered identifier, 0 < ID < 2^53.
type ID int64

// Digits is the width of a zero-padded id in a sort key.
const Digits = 16

// Key returns the id as used in a sort key: 16 digits with leading zeros, so string order equals numeric order.
func (i ID) Key() string { return fmt.Sprintf("%016d", int64(i)) }

// firstMillis is the first time that is counted in milliseconds, in seconds after the epoch: at this time, the number
// of milliseconds exceeds every number of seconds before.
const firstMillis = 417

// Begin returns the first time that is counted in milliseconds. Ids of earlier times are not unique.
func Begin() time.Time { return epoch.Add(firstMillis * time.Second) }

// Time returns the creation time of the id in milliseconds, of one before 2024 in seconds.
func (i ID) Time() time.Time {
	if int64(i) < Begin().Unix() {
		return time.Unix(int64(i), 0).UTC()
	}
	return epoch.Add(time.Duration(int64(i)>>randomBits) * time.Millisecond)
}

// First returns the smallest possible id at time t or later. It turns "created between" into a key condition.
func First(t time.Time) ID {
	if t.Before(Begin()) {
		second := t.Add(time.Second - 1).Unix()
		if second < Begin().Unix() {
			return ID(max(second, 0))
		}
		t = Begin()
	}
	ms := t.Sub(epoch).Milliseconds()
	if t.Sub(epoch) > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return ID(max(ms, 0) << randomBits)
}

// Parse reads a numeric id. It accepts decimal digits only, without a sign or leading zeros.
func Parse[T ~int64](text string) (id T, ok bool) {
	n, err := strconv.ParseInt(text, 10, 54)
	return T(n), err == nil && n > 0 && text[0] != '0' && text[0] != '+'
}

// Source generates ids. The zero value is ready to use and safe for concurrent use.
type Source struct {
	mu   sync.Mutex
	last ID
	seed string // "" = ids are random
	n    uint64 // number of values drawn from the seed
}

// Seeded returns a deterministic source: the same seed and the same calls give the same ids. The seed must be random.
func Seeded(seed string) *Source { return &Source{seed: seed} }

// New returns an id for an object created at now, larger than every id this source returned before.
func (s *Source) New(now time.Time) ID { return s.next(now, 0, 1) }

// NewOdd returns an id like New, either odd or even. Two kinds of objects whose ids must differ use one parity each.
func (s *Source) NewOdd(now time.Time, odd bool) ID {
	if odd {
		return s.next(now, 1, 2)
	}
	return s.next(now, 0, 2)
}

// next returns the next id whose remainder modulo by is remainder.
func (s *Source) next(now time.Time, remainder, by ID) ID {
	var b [2]byte
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(b[:])
	id := First(now.Truncate(time.Millisecond)) | ID(binary.BigEndian.Uint16(b[:])&(1<<randomBits-1))
	// Within one millisecond, a random value may be smaller than an earlier one.
	id = max(id, s.last+1)
	id += (remainder - id%by + by) % by
	s.last = id
	return id
}

// Hex returns n bytes of the source as 2n lower-case hex digits, n ≤ 32.
func (s *Source) Hex(n int) string {
	b := make([]byte, n)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(b)
	return hex.EncodeToString(b)
}

// draw fills b, at most 32 bytes, with random or seeded bytes.
func (s *Source) draw(b []byte) {
	if s.seed == "" {
		rand.Read(b)
		return
	}
	s.n++
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.seed), s.n))
	copy(b, sum[:])
}

// Hex returns n random bytes as 2n lower-case hex digits: Hex(10) for a client id, Hex(20) for a secret, Hex(12) for
// a row id.
func Hex(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}
