package messaging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/secret/rsakey"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Vendor is a platform of mini programs: it knows who its users are, and sends them template messages.
type Vendor string

// The vendors.
const (
	Chat Vendor = "chat"
	Alt  Vendor = "alt"
	Tpay Vendor = "tpay"
)

// Vendors lists all vendors.
var Vendors = []Vendor{Chat, Alt, Tpay}

// Names of secrets of vendors.
const (
	AppSecret  = "app_secret"  // exchanged for an access token
	PrivateKey = "private_key" // RSA in PEM: signs our requests
)

// SecretName returns the name of the secret that authenticates us to the vendor, or to a login provider.
func (v Vendor) SecretName() string {
	if v == Alt {
		return PrivateKey
	}
	return AppSecret
}

// ReadText reads a vendor's name from a path. It returns errs.NotFound for any other name.
func (v *Vendor) ReadText(name string) error {
	if !slices.Contains(Vendors, Vendor(name)) {
		return errs.NotFound("there is no vendor of that name, only chat, alt and tpay")
	}
	*v = Vendor(name)
	return nil
}

// VendorSetting is the message setting of an environment at a vendor, or its setting at a login provider.
type VendorSetting struct {
	AppID     string                 `json:"app_id"`               // "" disables template messages and logins
	BaseURL   string                 `json:"base_url"`             // of the vendor's API; "" = the deployment's
	PublicKey string                 `json:"public_key,omitempty"` // PEM, verifies responses of alt; "" = not verified
	Secrets   map[string]sealed.Text `json:"secrets"`              // by name
}

// VendorPatch is the change of a request: a nil field is not changed, and a secret that is nil is removed.
type VendorPatch struct {
	AppID, BaseURL, PublicKey *string
	Secrets                   map[string]*string
}

// Limits of the settings, in bytes.
const (
	maxAppID   = 64
	maxKey     = 8 << 10
	maxBaseURL = 512
)

// Vendor returns the setting of a vendor, errs.NotFound if it does not exist.
func (s *Settings) Vendor(ctx context.Context, scope tenant.Scope, v Vendor) (VendorSetting, error) {
	known := map[Vendor]*recent[VendorSetting]{Chat: &s.vendors.chat, Alt: &s.vendors.alt, Tpay: &s.vendors.tpay}[v]
	whole := func(s VendorSetting) bool { return s.AppID != "" && len(s.Secrets[v.SecretName()].Box) > 0 }
	setting, err := known.read(ctx, s.VendorStores[v], scope, s.KeepFor, s.Clock, whole)
	if err == nil && setting.Secrets == nil { // an existing setting has a map of secrets, even if empty
		err = errs.NotFound("there is no message setting for %s", v)
	}
	return setting, err
}

// PutVendor creates or changes a setting. It returns errs.Invalid that names the invalid field.
func (s *Settings) PutVendor(ctx context.Context, scope tenant.Scope, v Vendor, p VendorPatch) (VendorSetting, error) {
	return s.putAccount(ctx, s.VendorStores[v], scope, "message-setting-"+string(v), v, p, secretBound(scope, v))
}

// putAccount changes the setting of a vendor or a login provider. bound returns the text to which a secret is bound.
func (s *Settings) putAccount(
	ctx context.Context, store Store[VendorSetting], scope tenant.Scope, name string, v Vendor, p VendorPatch,
	bound func(secret string) string,
) (VendorSetting, error) {
	return put(ctx, store, s.Clock, scope, name, func(old VendorSetting) (VendorSetting, error) {
		next, err := p.apply(v, old, s.Clock())
		if err != nil {
			return old, err
		}
		if next.BaseURL, err = s.baseURL(p.BaseURL, old.BaseURL); err != nil {
			return old, err
		}
		next.Secrets, err = sealed.Patch(ctx, s.Sealer, old.Secrets, p.Secrets, bound)
		return next, err
	})
}

// SecretBound returns the text to which the secret of a vendor's setting is bound.
func SecretBound(scope tenant.Scope, v Vendor) string { return secretBound(scope, v)(v.SecretName()) }

// secretBound returns the text to which a sealed secret is bound.
func secretBound(scope tenant.Scope, v Vendor) func(name string) string {
	return func(name string) string { return scope.String() + "#message#" + string(v) + "#" + name }
}

// baseURL returns the changed base_url, or the old one if nothing is given.
func (s *Settings) baseURL(given *string, old string) (string, error) {
	if given == nil {
		return old, nil
	}
	text := strings.TrimRight(strings.TrimSpace(*given), "/")
	if text == "" {
		return "", nil
	}

	u, err := url.Parse(text)
	if err != nil || len(text) > maxBaseURL || u.RawQuery != "" || u.Fragment != "" {
		return "", errs.Invalid("base_url must be an address of at most %d bytes without query and fragment", maxBaseURL)
	}
	if s.CheckURL == nil {
		return "", errs.Invalid("base_url cannot be changed here")
	}
	if err := s.CheckURL(u); err != nil {
		return "", errs.Invalid("base_url: %s", errs.Message(err))
	}
	return text, nil
}

func (p VendorPatch) apply(v Vendor, s VendorSetting, now time.Time) (VendorSetting, error) {
	for to, from := range map[*string]*string{&s.AppID: p.AppID, &s.PublicKey: p.PublicKey} {
		if from != nil {
			*to = strings.TrimSpace(*from)
		}
	}
	if len(s.AppID) > maxAppID || s.AppID != OneLine(s.AppID) {
		return s, errs.Invalid("app_id must be at most %d bytes on one line", maxAppID)
	}
	if p.PublicKey != nil && s.PublicKey != "" {
		if v != Alt || len(s.PublicKey) > maxKey {
			return s, errs.Invalid("public_key must be alt's, of at most %d bytes", maxKey)
		}
		// Reject an expired certificate here: otherwise the first message would fail.
		if _, err := rsakey.Public(s.PublicKey, now); err != nil {
			return s, errs.Invalid("public_key must be an RSA public key or certificate in PEM: %s", errs.Message(err))
		}
	}

	for name, text := range p.Secrets {
		switch {
		case name != v.SecretName():
			return s, errs.Invalid("%s is no secret of %s", name, v)
		case text == nil:
		case *text == "" || len(*text) > maxKey:
			return s, errs.Invalid("%s must be 1 to %d bytes", name, maxKey)
		case name == PrivateKey:
			if _, err := rsakey.Private(*text); err != nil {
				return s, errs.Invalid("%s must be an RSA private key in PEM", name)
			}
		}
	}
	return s, nil
}

// Identity identifies the app, the secret and the address of a setting: it changes when one of them changes, and
// reveals none.
func (s VendorSetting) Identity(v Vendor) string {
	text := s.AppID + "\n"
	if s.BaseURL != "" { // an access token of one address is none at another
		text = s.BaseURL + "\n" + text
	}
	sum := sha256.Sum256(append([]byte(text), s.Secrets[v.SecretName()].Box...))
	return hex.EncodeToString(sum[:8])
}

// Secret decrypts the secret of a setting, "" if it has none.
func (s VendorSetting) Secret(ctx context.Context, sealer sealed.Sealer, scope tenant.Scope, v Vendor) (string, error) {
	kept, ok := s.Secrets[v.SecretName()]
	if !ok {
		return "", nil
	}
	return sealed.Open(ctx, sealer, secretBound(scope, v)(v.SecretName()), kept)
}

// CheckVendor returns errs.Invalid if a vendor's setting is missing or incomplete, so that nothing can be sent. It does
// not decrypt a secret.
func (s *Settings) CheckVendor(ctx context.Context, scope tenant.Scope, v Vendor) error {
	own, err := s.Vendor(ctx, scope, v)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return err
	}
	if own.AppID == "" || len(own.Secrets[v.SecretName()].Box) == 0 {
		return errs.Invalid("no message can be sent by %s: set app_id and %s with PUT /oserve/v3/message-setting/%s/",
			v, v.SecretName(), v)
	}
	return nil
}
