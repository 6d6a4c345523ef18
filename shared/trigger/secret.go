package trigger

import "time"

// Secrets are the sealed keys of a trigger's webhooks (G24).
type Secrets struct {
	DataKey []byte           `json:"data_key"` // sealed; every key is encrypted with it
	Keys    map[ActionID]Key `json:"keys"`
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
