// Package sealed keeps secrets that are stored one by one: each has its own data key, which is sealed, too. So whoever
// may seal need not be able to open.
package sealed

import (
	"context"
	"sync"
)

// Sealer keeps secrets from whoever sees the store; *secretbox.Box is one.
type Sealer interface {
	NewKey(ctx context.Context, bound string) (clear, sealed []byte, err error)
	OpenKey(ctx context.Context, bound string, sealed []byte) ([]byte, error)
	Encrypt(key []byte, bound, text string) ([]byte, error)
	Decrypt(key []byte, bound string, sealed []byte) (string, error)
}

// Text is a secret as it is kept.
type Text struct {
	Key []byte // the data key, sealed
	Box []byte // what that key has encrypted
}

// Seal makes a Text that opens for what it is bound to, and nothing else.
func Seal(ctx context.Context, s Sealer, bound, text string) (Text, error) {
	clear, key, err := s.NewKey(ctx, bound)
	if err != nil {
		return Text{}, err
	}
	box, err := s.Encrypt(clear, bound, text)
	return Text{Key: key, Box: box}, err
}

// Open reads a Text.
func Open(ctx context.Context, s Sealer, bound string, t Text) (string, error) {
	clear, err := s.OpenKey(ctx, bound, t.Key)
	if err != nil {
		return "", err
	}
	return s.Decrypt(clear, bound, t.Box)
}

// Opener opens Texts and remembers what was in them, for a program that needs the same ones again and again: a call of
// KMS takes longer than most of what is done with a secret.
type Opener struct {
	Sealer Sealer

	mu   sync.Mutex
	seen map[opened]string
}

// opened names a Text. One that is sealed never comes to mean another, so what is remembered of it is never old.
type opened struct{ bound, key, box string }

// maxSeen bounds the secrets that a process keeps in clear.
const maxSeen = 1000

// Open is Open, at most once for a Text.
func (o *Opener) Open(ctx context.Context, bound string, t Text) (string, error) {
	name := opened{bound, string(t.Key), string(t.Box)}
	o.mu.Lock()
	text, known := o.seen[name]
	o.mu.Unlock()
	if known {
		return text, nil
	}

	text, err := Open(ctx, o.Sealer, bound, t)
	if err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil || len(o.seen) >= maxSeen {
		o.seen = map[opened]string{}
	}
	o.seen[name] = text
	return text, nil
}
