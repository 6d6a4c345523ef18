// Package payment implements the protocols of payment vendors: an application's settings for each, signatures of
// notifications, queries about orders, and refunds. It does no network I/O itself.
//
// The three vendors have four formats:
//
//	chat, tpay   XML     sign = MD5 or HMAC-SHA256 over the sorted fields and the merchant key
//	chat (v3)    JSON    RSA-SHA256 over timestamp, nonce and body; the payment is encrypted with AES-256-GCM
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

// Vendor is a payment vendor.
type Vendor string

// The vendors, spelled as in paths and gateways.
const (
	Chat Vendor = "chat"
	Alt  Vendor = "alt"
	Tpay Vendor = "tpay"
)

// Names of secrets.
const (
	MerchantKey = "merchant_key" // signs XML
	APIv3Key    = "api_v3_key"   // 32 bytes; encrypts the content of JSON notifications
	PrivateKey  = "private_key"  // PEM, the application's: signs requests to vendors
	// OperatorPassword is the password of the QQ Pay operator who makes refunds.
	OperatorPassword = "operator_password"
)

// secretNames lists the secrets of each vendor; its keys are all vendors.
var secretNames = map[Vendor][]string{
	Chat: {MerchantKey, APIv3Key, PrivateKey}, Alt: {PrivateKey},
	Tpay: {MerchantKey, PrivateKey, OperatorPassword},
}

// maxSetting is the maximum length of a value, in bytes.
const maxSetting = 8 << 10

// Known reports whether there is a vendor of this name.
func (v Vendor) Known() bool { return secretNames[v] != nil }

// ParseVendor parses the name of a vendor. It returns errs.NotFound for an unknown name.
func ParseVendor(name string) (Vendor, error) {
	if !Vendor(name).Known() {
		return "", errs.NotFound("there is no payment vendor of that name, only chat, alt and tpay")
	}
	return Vendor(name), nil
}

// Setting is an environment's configuration of a vendor.
type Setting struct {
	AppID          string
	MerchantID     string
	BaseURL        string            // base URL of the vendor; "" = the deployment's
	PublicKey      string            // PEM, of Alipay
	Certificates   map[string]string // PEM by serial number, the platform certificates of WeChat Pay
	MerchantSerial string            // serial number of the application's certificate for PrivateKey
	// MerchantCertificate is the application's TLS client certificate in PEM, for refunds of WeChat Pay (v2) and QQ
	// Pay.
	MerchantCertificate string
	RefundURL           string // base URL for refunds of QQ Pay; "" = BaseURL
	OperatorID          string // of QQ Pay
	Secrets             map[string]sealed.Text
	UpdatedAt           time.Time
	// Tokens are the write tokens of changes with an Idempotency-Key (D8: each happens once).
	Tokens writetoken.List
}

// Patch is a change of a setting: a nil field keeps its value; a nil secret is removed.
type Patch struct {
	AppID, MerchantID, BaseURL, PublicKey, MerchantSerial *string
	MerchantCertificate, RefundURL, OperatorID            *string
	Certificates                                          map[string]string
	Secrets                                               map[string]*string
}

// Keys is a setting with its decrypted secrets.
type Keys struct {
	Vendor Vendor
	Setting
	Secret map[string]string
	// Deployed reports that BaseURL is the deployment's address of the vendor, because the setting has none.
	Deployed bool
}

// SettingStore stores settings. Every read is consistent.
type SettingStore interface {
	// Setting returns a setting. It returns errs.NotFound if there is none.
	Setting(ctx context.Context, scope tenant.Scope, v Vendor) (Setting, error)
	// PutSetting stores s if the stored UpdatedAt is was, zero meaning no setting. Otherwise it returns errs.Conflict.
	PutSetting(ctx context.Context, scope tenant.Scope, v Vendor, s Setting, was time.Time) error
}

// Settings reads and changes settings.
type Settings struct {
	Store  SettingStore
	Sealer sealed.Sealer
	Clock  clock.Clock
	// Addresses are the deployment's addresses of the vendors, which Open uses where BaseURL is "".
	Addresses map[Vendor]string
}

// Put creates or changes a setting. It returns errs.Invalid, which names the invalid field.
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
	// UpdatedAt is also the version of the setting, so each change needs a later one.
	next.UpdatedAt = s.Clock().Truncate(time.Millisecond)
	if !next.UpdatedAt.After(old.UpdatedAt) {
		next.UpdatedAt = old.UpdatedAt.Add(time.Millisecond)
	}
	return next, s.Store.PutSetting(ctx, scope, v, next, old.UpdatedAt)
}

// bound returns a function from a secret's name to the text that the secret is bound to.
func bound(scope tenant.Scope, v Vendor) func(name string) string {
	return func(name string) string { return scope.String() + "#payment#" + string(v) + "#" + name }
}

// Open returns a setting with the named secrets decrypted.
func (s *Settings) Open(ctx context.Context, scope tenant.Scope, v Vendor, names ...string) (Keys, error) {
	setting, err := s.Store.Setting(ctx, scope, v)
	if err != nil {
		return Keys{}, err
	}

	keys := Keys{Vendor: v, Setting: setting, Secret: map[string]string{}}
	if keys.BaseURL == "" {
		keys.BaseURL = s.Addresses[v]
		keys.Deployed = keys.BaseURL != ""
	}
	for _, name := range names {
		secret, ok := setting.Secrets[name]
		if !ok {
			continue
		}
		// Each secret costs a KMS call, so open only the named ones.
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

// validateKeys checks the keys in the request only: a stored certificate that has expired must not prevent other
// changes.
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
