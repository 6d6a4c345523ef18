package runlog

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// KeyPeriod is how long a key signs log URLs before the next one replaces it.
const KeyPeriod = 30 * 24 * time.Hour

// clockSkew is the maximum difference between the clocks of two processes.
const clockSkew = time.Minute

// KeyStore stores the sealed key of each period.
type KeyStore interface {
	// LinkKey returns the key of a period. It returns errs.NotFound if there is none.
	LinkKey(ctx context.Context, period int64) (sealed []byte, err error)
	// InsertLinkKey adds the key of a period, which may be deleted after until. An existing key stays.
	InsertLinkKey(ctx context.Context, period int64, sealed []byte, until time.Time) error
}

// Keys signs and checks log URLs, each with the key of the period in which it was signed. A process reads each key
// once.
type Keys struct {
	Store  KeyStore
	Sealer sealed.Keys

	opened cache.Map[int64, []byte] // by period
}

// Sign returns a reference to the log of a job, valid for SignedFor.
func (k *Keys) Sign(ctx context.Context, scope tenant.Scope, fn, job id.ID, now time.Time) (Ref, error) {
	period := periodOf(now)
	key, err := k.opened.Load(period, nil, func() ([]byte, error) {
		key, err := k.read(ctx, period)
		if !errs.Is(err, errs.KindNotFound) {
			return key, err
		}

		_, sealed, err := k.Sealer.NewKey(ctx, boundTo(period))
		if err != nil {
			return nil, err
		}
		until := time.Unix((period+1)*int64(KeyPeriod/time.Second), 0).Add(SignedFor + clockSkew)
		if err := k.Store.InsertLinkKey(ctx, period, sealed, until); err != nil {
			return nil, err
		}
		// Another process may have inserted its key first: every process uses the stored key.
		return k.read(ctx, period)
	})
	if err != nil {
		return Ref{}, fmt.Errorf("sign log: %w", err)
	}
	return sign(key, scope, fn, job, now), nil
}

// Check returns errs.Forbidden if the reference was changed or has expired.
func (k *Keys) Check(ctx context.Context, ref Ref, now time.Time) error {
	if now.Unix() >= ref.Expires {
		return errs.Forbidden("this log URL has expired")
	}
	signed := time.Unix(ref.Expires, 0).Add(-SignedFor)
	// The expiry is not verified yet, so it must not cause reads of keys that never signed a URL.
	if signed.After(now.Add(clockSkew)) {
		return errForged()
	}

	period := periodOf(signed)
	key, err := k.opened.Load(period, nil, func() ([]byte, error) { return k.read(ctx, period) })
	if errs.Is(err, errs.KindNotFound) {
		return errForged()
	}
	if err != nil {
		return fmt.Errorf("check log: %w", err)
	}
	return ref.check(key)
}

func (k *Keys) read(ctx context.Context, period int64) ([]byte, error) {
	sealed, err := k.Store.LinkKey(ctx, period)
	if err != nil {
		return nil, err
	}
	return k.Sealer.OpenKey(ctx, boundTo(period), sealed)
}

func periodOf(t time.Time) int64 { return t.Unix() / int64(KeyPeriod/time.Second) }

func boundTo(period int64) string { return fmt.Sprintf("platform#log-link#%d", period) }
