// Package keyring seals and opens the keys of webhooks (G24): each is encrypted with the data key of its trigger, which
// KMS seals.
package keyring

import (
	"context"
	"fmt"
	"sync"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Ring seals and opens keys. It remembers the data keys it has opened: a KMS call costs more than a delivery.
type Ring struct {
	Sealer cloudfunction.Sealer

	mu     sync.Mutex
	opened map[opened][]byte
}

// maxOpened bounds the data keys a process keeps in clear.
const maxOpened = 1000

// boundTo is what a trigger's keys are bound to: they open for no other.
func boundTo(scope tenant.Scope, t trigger.ID) string { return fmt.Sprintf("%s#trigger#%d", scope, t) }

func keyBound(scope tenant.Scope, t trigger.ID, a trigger.ActionID) string {
	return fmt.Sprintf("%s#%d", boundTo(scope, t), a)
}

// Seal encrypts the key of an action of t. Secrets without a data key get their first.
func (r *Ring) Seal(
	ctx context.Context, scope tenant.Scope, t trigger.ID, in *trigger.Secrets, a trigger.ActionID, key string,
) ([]byte, error) {
	clear, err := r.dataKey(ctx, scope, t, in)
	if err != nil {
		return nil, err
	}
	sealed, err := r.Sealer.Encrypt(clear, keyBound(scope, t, a), key)
	if err != nil {
		return nil, fmt.Errorf("seal the key of action %d: %w", a, err)
	}
	return sealed, nil
}

// Open decrypts a key of an action of t, one of those in its secrets.
func (r *Ring) Open(
	ctx context.Context, scope tenant.Scope, t trigger.ID, in *trigger.Secrets, a trigger.ActionID, sealed []byte,
) (string, error) {
	clear, err := r.dataKey(ctx, scope, t, in)
	if err != nil {
		return "", err
	}
	key, err := r.Sealer.Decrypt(clear, keyBound(scope, t, a), sealed)
	if err != nil {
		return "", fmt.Errorf("key of action %d: %w", a, err)
	}
	return key, nil
}

// dataKey opens the key that seals a trigger's keys, or makes its first.
func (r *Ring) dataKey(ctx context.Context, scope tenant.Scope, t trigger.ID, in *trigger.Secrets) ([]byte, error) {
	bound := boundTo(scope, t)
	if in.DataKey == nil {
		clear, sealed, err := r.Sealer.NewKey(ctx, bound)
		if err != nil {
			return nil, err
		}
		in.DataKey = sealed
		r.remember(bound, sealed, clear)
		return clear, nil
	}

	r.mu.Lock()
	clear, known := r.opened[opened{bound, string(in.DataKey)}]
	r.mu.Unlock()
	if known {
		return clear, nil
	}
	clear, err := r.Sealer.OpenKey(ctx, bound, in.DataKey)
	if err != nil {
		return nil, err
	}
	r.remember(bound, in.DataKey, clear)
	return clear, nil
}

// opened names a data key. One that is sealed never comes to mean another, so what is remembered of it is never old.
type opened struct{ bound, sealed string }

func (r *Ring) remember(bound string, sealed, clear []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened == nil || len(r.opened) >= maxOpened {
		r.opened = map[opened][]byte{}
	}
	r.opened[opened{bound, string(sealed)}] = clear
}
