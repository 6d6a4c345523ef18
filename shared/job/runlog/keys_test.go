package runlog

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// vault is a fake KeyStore and sealer; each new key is different.
type vault struct {
	keys       map[int64][]byte
	made, read int
	down       error
}

func (v *vault) LinkKey(_ context.Context, period int64) ([]byte, error) {
	v.read++
	if key, ok := v.keys[period]; ok {
		return key, v.down
	}
	return nil, errs.NotFound("no key")
}

func (v *vault) InsertLinkKey(_ context.Context, period int64, sealed []byte, until time.Time) error {
	if until.Before(time.Unix((period+1)*int64(KeyPeriod/time.Second), 0).Add(SignedFor)) {
		return errors.New("the key expires before the last URL that it signs")
	}
	if v.keys[period] == nil {
		v.keys[period] = sealed
	}
	return v.down
}

func (v *vault) NewKey(_ context.Context, bound string) (clear, sealed []byte, err error) {
	v.made++
	sealed = fmt.Appendf(nil, "%s by %d", bound, v.made)
	return nil, sealed, nil // Keys must use the stored key, not the new one
}

func (v *vault) OpenKey(_ context.Context, bound string, sealed []byte) ([]byte, error) {
	if len(sealed) < len(bound) || string(sealed[:len(bound)]) != bound {
		return nil, errors.New("the key is of another period")
	}
	return sealed, nil
}

var (
	shop = tenant.Scope{App: 7, Env: tenant.Production}
	// change is the moment when one key replaces another.
	change = time.Unix(700*int64(KeyPeriod/time.Second), 0)
)

func TestURLsOpenAcrossAChangeOfKeys(t *testing.T) {
	v := &vault{keys: map[int64][]byte{}}
	signing := &Keys{Store: v, Sealer: v}
	var refs []Ref
	for _, at := range []time.Time{change.Add(-time.Second), change} {
		ref, err := signing.Sign(t.Context(), shop, 1, 2, at)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	if len(v.keys) != 2 || string(v.keys[699]) == string(v.keys[700]) {
		t.Errorf("keys of two periods: %v", v.keys)
	}

	// Another process verifies both references and reads each key once.
	checking := &Keys{Store: v, Sealer: v}
	v.read = 0
	for range 3 {
		for _, ref := range refs {
			if err := checking.Check(t.Context(), ref, change.Add(SignedFor-2*time.Second)); err != nil {
				t.Error(err)
			}
		}
	}
	if v.read != 2 {
		t.Errorf("%d reads", v.read)
	}
	if err := checking.Check(t.Context(), refs[0], change.Add(SignedFor)); !errs.Is(err, errs.KindForbidden) {
		t.Errorf("expired: %v", err)
	}
}

// TestProcessesShareAKey even if each finds no key at first.
func TestProcessesShareAKey(t *testing.T) {
	v := &vault{keys: map[int64][]byte{}}
	first, second := &Keys{Store: v, Sealer: v}, &Keys{Store: v, Sealer: v}
	ref, err := first.Sign(t.Context(), shop, 1, 2, change)
	if err != nil {
		t.Fatal(err)
	}
	again, err := second.Sign(t.Context(), shop, 1, 2, change)
	if err != nil || again != ref {
		t.Errorf("%+v, %v, want %+v", again, err, ref)
	}
}

// TestAForgedExpiryMakesAndReadsNoKey: a caller may send any expiry.
func TestAForgedExpiryMakesAndReadsNoKey(t *testing.T) {
	v := &vault{keys: map[int64][]byte{}}
	keys := &Keys{Store: v, Sealer: v}
	ref, err := keys.Sign(t.Context(), shop, 1, 2, change)
	if err != nil {
		t.Fatal(err)
	}
	v.read = 0
	for _, expires := range []int64{0, -1 << 62, 1 << 62, ref.Expires + 3600, change.Unix()} {
		forged := ref
		forged.Expires = expires
		if err := keys.Check(t.Context(), forged, change); !errs.Is(err, errs.KindForbidden) {
			t.Errorf("expires %d: %v", expires, err)
		}
	}
	// The period before this one has no key.
	forged := ref
	forged.Expires = change.Add(SignedFor - time.Hour).Unix()
	if err := keys.Check(t.Context(), forged, change); !errs.Is(err, errs.KindForbidden) || v.read != 1 || v.made != 1 {
		t.Errorf("%v after %d reads, %d keys made", err, v.read, v.made)
	}
}

func TestFailuresOfTheStore(t *testing.T) {
	v := &vault{keys: map[int64][]byte{}, down: errors.New("down")}
	keys := &Keys{Store: v, Sealer: v}
	if _, err := keys.Sign(t.Context(), shop, 1, 2, change); !errors.Is(err, v.down) {
		t.Errorf("sign: %v", err)
	}
	signedNow := Ref{Expires: change.Add(SignedFor).Unix()}
	if err := keys.Check(t.Context(), signedNow, change); !errors.Is(err, v.down) {
		t.Errorf("check: %v", err)
	}
}
