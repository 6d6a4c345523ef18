// Package messaging knows in whose name an application writes to people: its settings of mail, SMS (G26) and template
// messages, and what an address is. It sends nothing.
package messaging

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Kept is a setting as it is stored.
type Kept[T any] struct {
	Value     T
	UpdatedAt time.Time
	// Tokens are those of changes with an Idempotency-Key (D8: each happens once).
	Tokens writetoken.List
}

// Store remembers one kind of setting of each environment. Every read is consistent.
type Store[T any] interface {
	// Setting returns errs.NotFound where there is none.
	Setting(ctx context.Context, scope tenant.Scope) (Kept[T], error)
	// PutSetting replaces it, errs.Conflict when it is not the one of that update time any more; zero is none.
	PutSetting(ctx context.Context, scope tenant.Scope, next Kept[T], was time.Time) error
}

// Settings decides what becomes of settings.
type Settings struct {
	MailStore Store[Mail]
	SMSStore  Store[SMS]
	// VendorStores have a setting for each vendor, whose secrets Sealer seals.
	VendorStores map[Vendor]Store[VendorSetting]
	Sealer       sealed.Sealer
	Clock        clock.Clock
	// KeepFor is how long Mail, SMS and Vendor answer with what they have read; zero reads each time. A setting that is
	// not there or lacks something is never kept: who has just mended it sees that at once.
	KeepFor time.Duration

	mails   recent[Mail]
	texts   recent[SMS]
	vendors struct{ chat, alt, tpay recent[VendorSetting] }
}

// Mail returns the setting of mail, the zero one where there is none.
func (s *Settings) Mail(ctx context.Context, scope tenant.Scope) (Mail, error) {
	whole := func(m Mail) bool { return m.Sender != "" }
	return s.mails.read(ctx, s.MailStore, scope, s.KeepFor, s.Clock, whole)
}

// SMS returns the setting of SMS, the zero one where there is none.
func (s *Settings) SMS(ctx context.Context, scope tenant.Scope) (SMS, error) {
	whole := func(t SMS) bool { return t.Enabled }
	return s.texts.read(ctx, s.SMSStore, scope, s.KeepFor, s.Clock, whole)
}

// ForgetSMS makes the next SMS read the setting: what it was lately lacks a template or signature that may be there
// now.
func (s *Settings) ForgetSMS(scope tenant.Scope) { s.texts.Delete(scope) }

// PutMail changes the setting of mail and returns it. errs.Invalid names the field that is wrong.
func (s *Settings) PutMail(ctx context.Context, scope tenant.Scope, p MailPatch) (Mail, error) {
	return put(ctx, s.MailStore, s.Clock, scope, "mail-setting", p.apply)
}

// PutSMS changes the setting of SMS and returns it. errs.Invalid names the field that is wrong.
func (s *Settings) PutSMS(ctx context.Context, scope tenant.Scope, p SMSPatch) (SMS, error) {
	return put(ctx, s.SMSStore, s.Clock, scope, "sms-setting", p.apply)
}

func read[T any](ctx context.Context, store Store[T], scope tenant.Scope) (Kept[T], error) {
	kept, err := store.Setting(ctx, scope)
	if errs.Is(err, errs.KindNotFound) {
		return Kept[T]{}, nil
	}
	return kept, err
}

func put[T any](
	ctx context.Context, store Store[T], now clock.Clock, scope tenant.Scope, name string, apply func(T) (T, error),
) (T, error) {
	old, err := read(ctx, store, scope)
	if err != nil {
		return old.Value, fmt.Errorf("%s: %w", name, err)
	}
	token := writetoken.Of(ctx, name)
	if old.Tokens.Has(token) {
		return old.Value, nil
	}

	next := Kept[T]{Tokens: old.Tokens.With(token, now.Now())}
	if next.Value, err = apply(old.Value); err != nil {
		return old.Value, err
	}
	// The time is the version, too.
	next.UpdatedAt = now.Now().Truncate(time.Millisecond)
	if !next.UpdatedAt.After(old.UpdatedAt) {
		next.UpdatedAt = old.UpdatedAt.Add(time.Millisecond)
	}
	return next.Value, store.PutSetting(ctx, scope, next, old.UpdatedAt)
}
