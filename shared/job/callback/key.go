package callback

import (
	"context"
	"encoding/base64"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Key is the sealed signing key of an environment's callbacks.
type Key struct {
	Sealed []byte
	// Before is the replaced key; it also signs for KeyOverlap.
	Before []byte
	MadeAt time.Time // milliseconds
	Tokens writetoken.List
}

// KeyOverlap is how long callbacks are signed with the replaced key as well, so that receivers can switch to the new
// one.
const KeyOverlap = 24 * time.Hour

// KeyStore stores the keys. Every read is consistent.
type KeyStore interface {
	// CallbackKey returns the key of an environment. It returns errs.NotFound if there is none.
	CallbackKey(ctx context.Context, scope tenant.Scope) (Key, error)
	// PutCallbackKey stores next if the MadeAt of the stored key is was, zero meaning no key. Otherwise it returns
	// errs.Conflict.
	PutCallbackKey(ctx context.Context, scope tenant.Scope, next Key, was time.Time) error
}

// Keys makes and opens the keys of callbacks.
type Keys struct {
	Store  KeyStore
	Sealer sealed.Sealer
	Clock  clock.Clock
}

// Make creates a new key for an environment and returns it in clear; it cannot be read again.
func (k *Keys) Make(ctx context.Context, scope tenant.Scope) (key string, madeAt time.Time, err error) {
	old, err := k.Store.CallbackKey(ctx, scope)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return "", madeAt, err
	}
	token := writetoken.Of(ctx, "callback-key")
	// A repeated request returns the key of its first try: a new key would replace the one already returned.
	if old.Tokens.Has(token) {
		key, err = k.openOne(ctx, scope, old.Sealed)
		return key, old.MadeAt, err
	}

	clear, sealed, err := k.Sealer.NewKey(ctx, boundTo(scope))
	if err != nil {
		return "", madeAt, err
	}
	now := k.Clock.Now()
	next := Key{
		Sealed: sealed, Before: old.Sealed, MadeAt: now.Truncate(time.Millisecond), Tokens: old.Tokens.With(token, now),
	}
	if !next.MadeAt.After(old.MadeAt) { // PutCallbackKey compares MadeAt, so each key needs a distinct one
		next.MadeAt = old.MadeAt.Add(time.Millisecond)
	}
	return keyText(clear), next.MadeAt, k.Store.PutCallbackKey(ctx, scope, next, old.MadeAt)
}

// open returns the signing key and, during KeyOverlap, the replaced one. It returns no keys if there is none.
func (k *Keys) open(ctx context.Context, scope tenant.Scope) (keys []string, err error) {
	key, err := k.Store.CallbackKey(ctx, scope)
	if errs.Is(err, errs.KindNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// Sign with both keys during KeyOverlap, so that a receiver may switch to the new one at any moment.
	all := [][]byte{key.Sealed}
	if len(key.Before) > 0 && k.Clock.Now().Before(key.MadeAt.Add(KeyOverlap)) {
		all = append(all, key.Before)
	}
	for _, sealed := range all {
		text, err := k.openOne(ctx, scope, sealed)
		if err != nil {
			return nil, err
		}
		keys = append(keys, text)
	}
	return keys, nil
}

func (k *Keys) openOne(ctx context.Context, scope tenant.Scope, sealed []byte) (string, error) {
	clear, err := k.Sealer.OpenKey(ctx, boundTo(scope), sealed)
	if err != nil {
		return "", err
	}
	return keyText(clear), nil
}

// keyText returns a key in the form its owner gets: 32 characters. As with webhooks, this text is the HMAC key, not the
// bytes it encodes.
func keyText(clear []byte) string { return base64.RawURLEncoding.EncodeToString(clear[:24]) }

func boundTo(scope tenant.Scope) string { return scope.String() + "#callback" }
