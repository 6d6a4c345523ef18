// Package id makes the platform's identifiers.
//
// Numeric ids (functions, jobs, users, orders, triggers) are 53-bit integers,
// so that every JSON client keeps them exact, ordered by time of creation to
// the millisecond, and made without a central counter (D7):
//
//	 52            12 11         0
//	┌────────────────┬────────────┐
//	│ ms since 2024  │   random   │
//	└────────────────┴────────────┘
//	     41 bits         12 bits
//
// Within one process they strictly increase. Two processes may draw the same
// id in the same millisecond: stores insert with attribute_not_exists and the
// service draws again. Decision 115 says what jobs do.
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

// epoch is the zero of the time part; 41 bits of milliseconds reach the year 2093.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// ID is a time-ordered identifier, 0 < ID < 2^53.
type ID int64

// Digits is the width of an id in a sort key, where ids are zero-padded.
const Digits = 16

// Key returns the id as it stands in a sort key: 16 digits, so that string
// order is number order.
func (i ID) Key() string { return fmt.Sprintf("%016d", int64(i)) }

// Time returns the millisecond the id was made in.
func (i ID) Time() time.Time {
	return epoch.Add(time.Duration(int64(i)>>randomBits) * time.Millisecond)
}

// First returns the smallest id that could be made at t or later; with it
// "created between" is a key condition.
func First(t time.Time) ID {
	ms := t.Sub(epoch).Milliseconds()
	if t.Sub(epoch) > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return ID(max(ms, 0) << randomBits)
}

// Parse reads an id of any kind as the platform writes it: decimal, without sign and leading zeros.
func Parse[T ~int64](text string) (id T, ok bool) {
	n, err := strconv.ParseInt(text, 10, 54)
	return T(n), err == nil && n > 0 && text[0] != '0' && text[0] != '+'
}

// Source makes ids. The zero value is ready to use, by many goroutines.
type Source struct {
	mu   sync.Mutex
	last ID
	seed string // "" = every id is drawn at random
	n    uint64 // ids and digits made from the seed
}

// Seeded returns a source of which another one with the same seed, asked the
// same, makes the same ids. The seed must be random.
func Seeded(seed string) *Source { return &Source{seed: seed} }

// New returns an id for something created at now, larger than every id this
// source returned before.
func (s *Source) New(now time.Time) ID { return s.next(now, 0, 1) }

// NewOdd returns an id as New does, an odd or an even one. Things of two kinds whose ids must differ have one each.
func (s *Source) NewOdd(now time.Time, odd bool) ID {
	if odd {
		return s.next(now, 1, 2)
	}
	return s.next(now, 0, 2)
}

// next returns an id that leaves a remainder when it is divided.
func (s *Source) next(now time.Time, remainder, by ID) ID {
	var b [2]byte
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(b[:])
	id := First(now.Truncate(time.Millisecond)) | ID(binary.BigEndian.Uint16(b[:])&(1<<randomBits-1))
	// The larger of two ids of one millisecond may be drawn first.
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

// draw fills b, at most 32 bytes.
func (s *Source) draw(b []byte) {
	if s.seed == "" {
		rand.Read(b)
		return
	}
	s.n++
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.seed), s.n))
	copy(b, sum[:])
}

// Hex returns n random bytes as 2n lower-case hex digits: Hex(10) is a client
// id, Hex(20) a secret, Hex(12) a row id.
func Hex(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}
