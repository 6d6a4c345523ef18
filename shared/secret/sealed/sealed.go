// Package sealed encrypts secrets that are stored in an application's records. Each secret is encrypted with a data
// key, which is stored sealed (encrypted), so a program with permission only to seal cannot open secrets.
package sealed

import (
	"context"
	"fmt"
	"maps"
)

// Keys generates and opens data keys. OpenKey needs the same bound text as NewKey, so the key of one owner does not
// open for another.
type Keys interface {
	// NewKey returns a new data key, both in plaintext and sealed.
	NewKey(ctx context.Context, bound string) (clear, sealed []byte, err error)
	// OpenKey returns the plaintext of a data key sealed by NewKey.
	OpenKey(ctx context.Context, bound string, sealed []byte) ([]byte, error)
}

// Sealer generates and uses data keys; *secretbox.Box implements it. Decrypt needs the same bound text as Encrypt.
type Sealer interface {
	Keys
	// Encrypt and Decrypt take the plaintext of a data key.
	Encrypt(key []byte, bound, text string) ([]byte, error)
	Decrypt(key []byte, bound string, sealed []byte) (string, error)
}

// Text is a stored secret with its own data key.
type Text struct {
	Key []byte // sealed data key
	Box []byte // text encrypted with the data key
}

// Seal encrypts text. The result opens only with the same bound text.
func Seal(ctx context.Context, s Sealer, bound, text string) (Text, error) {
	clear, key, err := s.NewKey(ctx, bound)
	if err != nil {
		return Text{}, err
	}
	box, err := s.Encrypt(clear, bound, text)
	return Text{Key: key, Box: box}, err
}

// Open decrypts a Text.
func Open(ctx context.Context, s Sealer, bound string, t Text) (string, error) {
	clear, err := s.OpenKey(ctx, bound, t.Key)
	if err != nil {
		return "", err
	}
	return s.Decrypt(clear, bound, t.Box)
}

// Patch returns a copy of texts with changes applied: nil removes a text, any other value is sealed with bound(name).
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

// Ring seals and opens the named texts of one owner, which share one data key.
type Ring struct {
	Sealer Sealer
	Bound  string  // identifies the owner
	Key    *[]byte // sealed data key; if it points to nil, Seal generates a key
}

// Seal encrypts a text. It opens only under the same name.
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

// Open decrypts the text of a name.
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
