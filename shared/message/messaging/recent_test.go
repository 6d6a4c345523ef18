package messaging_test

import (
	"context"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
)

// mails is a fake store that counts reads.
type mails struct {
	kept  map[tenant.Scope]messaging.Kept[messaging.Mail]
	reads int
}

func (m *mails) Setting(_ context.Context, scope tenant.Scope) (messaging.Kept[messaging.Mail], error) {
	m.reads++
	kept, ok := m.kept[scope]
	if !ok {
		return kept, errs.NotFound("none")
	}
	return kept, nil
}

func (m *mails) PutSetting(
	_ context.Context, scope tenant.Scope, next messaging.Kept[messaging.Mail], _ time.Time,
) error {
	m.kept[scope] = next
	return nil
}

// TestCachesSettingsForKeepFor caches the setting of each environment for KeepFor. It does not cache a missing setting.
func TestCachesSettingsForKeepFor(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	store := &mails{kept: map[tenant.Scope]messaging.Kept[messaging.Mail]{}}
	s := &messaging.Settings{MailStore: store, Clock: func() time.Time { return now }, KeepFor: 5 * time.Second}
	shop, other := tenant.Scope{App: 7}, tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
	put := func(scope tenant.Scope, sender string) {
		if _, err := s.PutMail(t.Context(), scope, messaging.MailPatch{Sender: &sender}); err != nil {
			t.Fatal(err)
		}
	}

	see := func(scope tenant.Scope, sender string, reads int) {
		t.Helper()
		store.reads = 0
		if got, err := s.Mail(t.Context(), scope); err != nil || got.Sender != sender || store.reads != reads {
			t.Errorf("%q, %v after %d reads, want %q after %d", got.Sender, err, store.reads, sender, reads)
		}
	}

	see(shop, "", 1)
	put(shop, "a@example.com")
	see(shop, "a@example.com", 1)
	put(shop, "b@example.com")
	see(shop, "a@example.com", 0)
	see(other, "", 1)
	now = now.Add(5 * time.Second)
	see(shop, "b@example.com", 1)
	put(shop, "") // an incomplete setting is not cached
	now = now.Add(5 * time.Second)
	see(shop, "", 1)
	put(shop, "b@example.com")
	see(shop, "b@example.com", 1)
	now = now.Add(-time.Hour) // the clock is set back
	see(shop, "b@example.com", 1)
	s.KeepFor = 0
	see(shop, "b@example.com", 1)
	see(shop, "b@example.com", 1)
}
