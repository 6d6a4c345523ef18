// Package payment knows the vendors that process payments: the settings an application has with each, how their
// notifications are signed, and how they are asked about an order. It is pure: who receives and sends is elsewhere.
//
// Three vendors speak four forms:
//
//	chat, tpay   XML     sign = MD5 or HMAC-SHA256 over the sorted fields and the merchant key
//	chat (v3)    JSON    RSA-SHA256 over timestamp, nonce and body; what was paid is sealed by AES-256-GCM
//	alt          form    RSA-SHA256 over the sorted fields
package payment

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/secret/rsakey"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Vendor processes payments.
type Vendor string

// The vendors, as paths and gateways name them.
const (
	Chat Vendor = "chat"
	Alt  Vendor = "alt"
	Tpay Vendor = "tpay"
)

// Names of secrets.
const (
	MerchantKey = "merchant_key" // signs XML
	APIv3Key    = "api_v3_key"   // 32 bytes; seals what JSON notifications say
	PrivateKey  = "private_key"  // PEM, ours: signs what we ask
	// OperatorPassword is that of tpay's operator, who pays back.
	OperatorPassword = "operator_password"
)

// secretNames are the secrets that a vendor has; whoever is not here is no vendor.
var secretNames = map[Vendor][]string{
	Chat: {MerchantKey, APIv3Key, PrivateKey}, Alt: {PrivateKey},
	Tpay: {MerchantKey, PrivateKey, OperatorPassword},
}

// maxSetting is how many bytes one value may have.
const maxSetting = 8 << 10

// ParseVendor returns errs.NotFound for a name that is no vendor's.
func ParseVendor(name string) (Vendor, error) {
	if secretNames[Vendor(name)] == nil {
		return "", errs.NotFound("there is no payment vendor of that name, only chat, alt and tpay")
	}
	return Vendor(name), nil
}

// Setting is what an environment has agreed with a vendor.
type Setting struct {
	AppID          string
	MerchantID     string
	BaseURL        string            // where the vendor is asked; "" = nowhere, pending orders are left alone
	PublicKey      string            // PEM, alt's
	Certificates   map[string]string // PEM by serial number, chat's platform certificates
	MerchantSerial string            // of our own certificate, which PrivateKey belongs to
	// MerchantCertificate is our own in PEM, of PrivateKey: chat (v2) and tpay want to see it before they pay back.
	MerchantCertificate string
	RefundURL           string // where tpay pays back; "" = BaseURL
	OperatorID          string // of tpay
	Secrets             map[string]sealed.Text
	UpdatedAt           time.Time
	// Tokens are those of changes with an Idempotency-Key (D8: each happens once).
	Tokens writetoken.List
}

// Patch is what a request changes of a setting: nil is left as it is; a secret that is nil is removed.
type Patch struct {
	AppID, MerchantID, BaseURL, PublicKey, MerchantSerial *string
	MerchantCertificate, RefundURL, OperatorID            *string
	Certificates                                          map[string]string
	Secrets                                               map[string]*string
}

// Keys is a setting with its secrets in clear.
type Keys struct {
	Vendor Vendor
	Setting
	Secret map[string]string
}

// SettingStore remembers settings. Every read is consistent.
type SettingStore interface {
	// Setting returns errs.NotFound where there is none.
	Setting(ctx context.Context, scope tenant.Scope, v Vendor) (Setting, error)
	// PutSetting replaces it, errs.Conflict when it is not the one of that update time any more; zero is none.
	PutSetting(ctx context.Context, scope tenant.Scope, v Vendor, s Setting, was time.Time) error
}

// Settings decides what becomes of settings.
type Settings struct {
	Store  SettingStore
	Sealer sealed.Sealer
	Clock  clock.Clock
}

// Read returns a setting, whose secrets are sealed.
func (s *Settings) Read(ctx context.Context, scope tenant.Scope, v Vendor) (Setting, error) {
	return s.Store.Setting(ctx, scope, v)
}

// Put changes a setting or makes it. errs.Invalid names the field that is wrong.
func (s *Settings) Put(ctx context.Context, scope tenant.Scope, v Vendor, p Patch) (Setting, error) {
	old, err := s.Store.Setting(ctx, scope, v)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return old, err
	}
	token := writetoken.Of(ctx, "payment-setting", string(v))
	if old.Tokens.Has(token) {
		return old, nil
	}

	next := old
	next.Tokens = old.Tokens.With(token, s.Clock())
	for to, from := range map[*string]*string{
		&next.AppID: p.AppID, &next.MerchantID: p.MerchantID, &next.BaseURL: p.BaseURL, &next.PublicKey: p.PublicKey,
		&next.MerchantSerial: p.MerchantSerial, &next.MerchantCertificate: p.MerchantCertificate,
		&next.RefundURL: p.RefundURL, &next.OperatorID: p.OperatorID,
	} {
		if from != nil {
			*to = strings.TrimSpace(*from)
		}
	}
	if p.Certificates != nil {
		next.Certificates = p.Certificates
	}
	if err := next.validate(v, p, s.Clock()); err != nil {
		return old, err
	}

	next.Secrets, err = sealed.Patch(ctx, s.Sealer, old.Secrets, p.Secrets, bound(scope, v))
	if err != nil {
		return old, err
	}
	// The time is the version, too.
	next.UpdatedAt = s.Clock().Truncate(time.Millisecond)
	if !next.UpdatedAt.After(old.UpdatedAt) {
		next.UpdatedAt = old.UpdatedAt.Add(time.Millisecond)
	}
	return next, s.Store.PutSetting(ctx, scope, v, next, old.UpdatedAt)
}

// bound returns the text that a secret of a name is bound to.
func bound(scope tenant.Scope, v Vendor) func(name string) string {
	return func(name string) string { return scope.String() + "#payment#" + string(v) + "#" + name }
}

// Open returns a setting with the named secrets.
func (s *Settings) Open(ctx context.Context, scope tenant.Scope, v Vendor, names ...string) (Keys, error) {
	setting, err := s.Store.Setting(ctx, scope, v)
	if err != nil {
		return Keys{}, err
	}

	keys := Keys{Vendor: v, Setting: setting, Secret: map[string]string{}}
	for _, name := range names {
		secret, ok := setting.Secrets[name]
		if !ok {
			continue
		}
		// Each secret is one call of KMS, so only those needed are opened.
		if keys.Secret[name], err = sealed.Open(ctx, s.Sealer, bound(scope, v)(name), secret); err != nil {
			return Keys{}, err
		}
	}

	return keys, nil
}

func (s Setting) validate(v Vendor, p Patch, now time.Time) error {
	for name, text := range map[string]string{
		"app_id": s.AppID, "merchant_id": s.MerchantID, "base_url": s.BaseURL, "public_key": s.PublicKey,
		"merchant_serial": s.MerchantSerial, "merchant_certificate": s.MerchantCertificate, "refund_url": s.RefundURL,
		"operator_id": s.OperatorID,
	} {
		if len(text) > maxSetting {
			return errs.Invalid("%s must be at most %d bytes", name, maxSetting)
		}
	}

	// An http URL is allowed for tests; safehttp refuses private addresses.
	for name, text := range map[string]string{"base_url": s.BaseURL, "refund_url": s.RefundURL} {
		u, err := url.Parse(text)
		if text != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
			return errs.Invalid("%s must begin with https:// and name a host", name)
		}
	}
	if err := p.validateKeys(now); err != nil {
		return err
	}
	return validateSecrets(v, p.Secrets)
}

// validateKeys checks the keys in the request only: a stored certificate that has expired must not prevent other changes.
func (p Patch) validateKeys(now time.Time) error {
	for name, given := range map[string]*string{
		"merchant_certificate": p.MerchantCertificate, "public_key": p.PublicKey,
	} {
		if given == nil || strings.TrimSpace(*given) == "" {
			continue
		}
		if _, err := rsakey.Public(*given, now); err != nil {
			return errs.Invalid("%s must be an RSA certificate or public key in PEM: %s", name, errs.Message(err))
		}
	}
	if len(p.Certificates) > 10 {
		return errs.Invalid("certificates must be at most 10")
	}

	for serial, text := range p.Certificates {
		if serial == "" || len(text) > maxSetting {
			return errs.Invalid("certificates must be of at most %d bytes each, by their serial numbers", maxSetting)
		}
		if _, err := rsakey.Public(text, now); err != nil {
			return errs.Invalid("certificates must be RSA certificates or public keys in PEM: %s: %s",
				serial, errs.Message(err))
		}
	}
	return nil
}

func validateSecrets(v Vendor, secrets map[string]*string) error {
	for name, text := range secrets {
		switch {
		case !slices.Contains(secretNames[v], name):
			return errs.Invalid("%s is no secret of %s", name, v)
		case text == nil:
		case *text == "" || len(*text) > maxSetting:
			return errs.Invalid("%s must be 1 to %d bytes", name, maxSetting)
		case name == APIv3Key && len(*text) != 32:
			return errs.Invalid("%s must be 32 bytes", name)
		case name == PrivateKey:
			if _, err := rsakey.Private(*text); err != nil {
				return errs.Invalid("%s must be an RSA private key in PEM", name)
			}
		}
	}
	return nil
}
