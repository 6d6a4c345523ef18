// Package messaging has the settings with which an application writes to people: mail, SMS (G26) and template messages.
// The setting of a vendor of mini programs also serves the logins of its users, and login settings those of web pages
// (C37). The package also parses email addresses. It sends nothing.
package messaging

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Kept is a stored setting.
type Kept[T any] struct {
	Value     T
	UpdatedAt time.Time
	// Tokens are the write tokens of changes with an Idempotency-Key (D8: each change happens once).
	Tokens writetoken.List
}

// Store stores one kind of setting per environment. All reads are consistent.
type Store[T any] interface {
	// Setting returns errs.NotFound if the setting does not exist.
	Setting(ctx context.Context, scope tenant.Scope) (Kept[T], error)
	// PutSetting replaces a setting. It returns errs.Conflict if the stored update time is not was; zero means none.
	PutSetting(ctx context.Context, scope tenant.Scope, next Kept[T], was time.Time) error
}

// Settings reads and changes settings.
type Settings struct {
	MailStore Store[Mail]
	SMSStore  Store[SMS]
	// VendorStores have one setting per vendor. Sealer encrypts the secrets in it.
	VendorStores map[Vendor]Store[VendorSetting]
	Sealer       sealed.Sealer
	// Providers stores the settings of login providers; nil = there are no such settings.
	Providers ProviderStore
	// CheckURL returns errs.Invalid for a base_url that will never be requested, such as a private address; nil refuses
	// every base_url.
	CheckURL func(target *url.URL) error
	Clock    clock.Clock
	// KeepFor is how long Mail, SMS and Vendor cache a setting; zero disables the cache. Missing and incomplete
	// settings are not cached, so that a correction has effect at once.
	KeepFor time.Duration

	mails   recent[Mail]
	texts   recent[SMS]
	vendors struct{ chat, alt, tpay recent[VendorSetting] }
}

// Mail returns the mail setting, the zero value if it does not exist.
func (s *Settings) Mail(ctx context.Context, scope tenant.Scope) (Mail, error) {
	whole := func(m Mail) bool { return m.Sender != "" }
	return s.mails.read(ctx, s.MailStore, scope, s.KeepFor, s.Clock, whole)
}

// SMS returns the SMS setting, the zero value if it does not exist.
func (s *Settings) SMS(ctx context.Context, scope tenant.Scope) (SMS, error) {
	whole := func(t SMS) bool { return t.Enabled }
	return s.texts.read(ctx, s.SMSStore, scope, s.KeepFor, s.Clock, whole)
}

// ForgetSMS drops the cached setting, so that the next SMS reads it. Callers use it when a template or signature is
// missing that may have been added since.
func (s *Settings) ForgetSMS(scope tenant.Scope) { s.texts.Delete(scope) }

// PutMail changes the mail setting and returns it. It returns errs.Invalid that names the invalid field.
func (s *Settings) PutMail(ctx context.Context, scope tenant.Scope, p MailPatch) (Mail, error) {
	return put(ctx, s.MailStore, s.Clock, scope, "mail-setting", p.apply)
}

// PutSMS changes the SMS setting and returns it. It returns errs.Invalid that names the invalid field.
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
	// The update time is also the version of the setting, so it must increase.
	next.UpdatedAt = now.Now().Truncate(time.Millisecond)
	if !next.UpdatedAt.After(old.UpdatedAt) {
		next.UpdatedAt = old.UpdatedAt.Add(time.Millisecond)
	}
	return next.Value, store.PutSetting(ctx, scope, next, old.UpdatedAt)
}
