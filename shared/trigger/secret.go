package trigger

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Secrets are the sealed keys of a trigger's webhooks (G24).
type Secrets struct {
	DataKey []byte           `json:"data_key"` // sealed; every key is encrypted with it
	Keys    map[ActionID]Key `json:"keys"`
}

// Seal encrypts the key of an action of a trigger. Secrets without a data key get one.
func (s *Secrets) Seal(
	ctx context.Context, by sealed.Sealer, scope tenant.Scope, t ID, a ActionID, key string,
) ([]byte, error) {
	return s.ring(by, scope, t).Seal(ctx, fmt.Sprint(a), key)
}

// Open decrypts a key of an action of a trigger.
func (s *Secrets) Open(
	ctx context.Context, by sealed.Sealer, scope tenant.Scope, t ID, a ActionID, key []byte,
) (string, error) {
	return s.ring(by, scope, t).Open(ctx, fmt.Sprint(a), key)
}

func (s *Secrets) ring(by sealed.Sealer, scope tenant.Scope, t ID) sealed.Ring {
	return sealed.Ring{Sealer: by, Bound: fmt.Sprintf("%s#trigger#%d", scope, t), Key: &s.DataKey}
}

// Key is a webhook's key, encrypted. While another one is coming, the current one signs the body and both sign along.
type Key struct {
	Current []byte `json:"current"`
	Next    []byte `json:"next,omitempty"`
	NextAt  int64  `json:"next_at,omitempty"` // from when Next signs, Unix seconds
}

// At returns the key as of a time: one that was coming has come.
func (k Key) At(now time.Time) Key {
	if k.Next != nil && k.NextAt <= now.Unix() {
		return Key{Current: k.Next}
	}
	return k
}

// Newest returns the key that was made last.
func (k Key) Newest() []byte {
	if k.Next != nil {
		return k.Next
	}
	return k.Current
}
