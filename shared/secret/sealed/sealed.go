// Package sealed encrypts secrets that are stored with an application's records. A secret is encrypted with a data key,
// which is stored sealed, so a program that may only seal cannot open.
package sealed

import (
	"context"
	"fmt"
	"maps"
)

// Keys makes and opens data keys. Opening needs the bound text of sealing: a key of one owner opens for no other.
type Keys interface {
	// NewKey returns a data key, in clear and sealed.
	NewKey(ctx context.Context, bound string) (clear, sealed []byte, err error)
	// OpenKey returns the data key that NewKey sealed, in clear.
	OpenKey(ctx context.Context, bound string, sealed []byte) ([]byte, error)
}

// Sealer makes and uses data keys; *secretbox.Box is one. Decrypt needs the bound text of Encrypt.
type Sealer interface {
	Keys
	// Encrypt and Decrypt use a data key in clear.
	Encrypt(key []byte, bound, text string) ([]byte, error)
	Decrypt(key []byte, bound string, sealed []byte) (string, error)
}

// Text is a stored secret with a data key of its own.
type Text struct {
	Key []byte // the data key, sealed
	Box []byte // the text, encrypted with the data key
}

// Seal makes a Text that opens only for the same bound text.
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

// Patch returns a copy of named texts with changes: nil removes a text, others are sealed to bound(name).
func Patch(
	ctx context.Context, s Sealer, texts map[string]Text, changes map[string]*string, bound func(name string) string,
) (next map[string]Text, err error) {
	next = maps.Clone(texts)
	if next == nil {
		next = map[string]Text{}
	}
	for name, text := range changes {
		delete(next, name)
		if text == nil {
			continue
		}
		if next[name], err = Seal(ctx, s, bound(name), *text); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// Ring seals and opens the named texts of one owner, which share a data key.
type Ring struct {
	Sealer Sealer
	Bound  string  // names the owner
	Key    *[]byte // the sealed data key; nil bytes = Seal makes one
}

// Seal encrypts a text that opens only under its name.
func (r Ring) Seal(ctx context.Context, name, text string) (box []byte, err error) {
	var clear []byte
	if *r.Key == nil {
		clear, *r.Key, err = r.Sealer.NewKey(ctx, r.Bound)
	} else {
		clear, err = r.Sealer.OpenKey(ctx, r.Bound, *r.Key)
	}
	if err == nil {
		box, err = r.Sealer.Encrypt(clear, r.Bound+"#"+name, text)
	}
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", name, err)
	}
	return box, nil
}

// Open decrypts a text.
func (r Ring) Open(ctx context.Context, name string, box []byte) (string, error) {
	clear, err := r.Sealer.OpenKey(ctx, r.Bound, *r.Key)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", name, err)
	}
	text, err := r.Sealer.Decrypt(clear, r.Bound+"#"+name, box)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", name, err)
	}
	return text, nil
}
