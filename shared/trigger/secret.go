package trigger

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Secrets holds the encrypted keys of a trigger's webhooks (G24).
type Secrets struct {
	DataKey []byte           `json:"data_key"` // sealed data key, which encrypts the keys
	Keys    map[ActionID]Key `json:"keys"`
}

// Seal encrypts the key of an action. If there is no data key yet, it creates one.
func (s *Secrets) Seal(
	ctx context.Context, by sealed.Sealer, scope tenant.Scope, t ID, a ActionID, key string,
) ([]byte, error) {
	return s.ring(by, scope, t).Seal(ctx, fmt.Sprint(a), key)
}

// Open decrypts a key of an action.
func (s *Secrets) Open(
	ctx context.Context, by sealed.Sealer, scope tenant.Scope, t ID, a ActionID, key []byte,
) (string, error) {
	return s.ring(by, scope, t).Open(ctx, fmt.Sprint(a), key)
}

func (s *Secrets) ring(by sealed.Sealer, scope tenant.Scope, t ID) sealed.Ring {
	return sealed.Ring{Sealer: by, Bound: fmt.Sprintf("%s#trigger#%d", scope, t), Key: &s.DataKey}
}

// Key holds the encrypted keys of one webhook. During a rotation, before NextAt, the current key signs the body and
// both keys sign the request.
type Key struct {
	Current []byte `json:"current"`
	Next    []byte `json:"next,omitempty"`
	NextAt  int64  `json:"next_at,omitempty"` // when Next replaces Current, Unix seconds
}

// At returns the key as of the given time: from NextAt on, Next is the current key.
func (k Key) At(now time.Time) Key {
	if k.Next != nil && k.NextAt <= now.Unix() {
		return Key{Current: k.Next}
	}
	return k
}

// Newest returns the key that was created last.
func (k Key) Newest() []byte {
	if k.Next != nil {
		return k.Next
	}
	return k.Current
}
