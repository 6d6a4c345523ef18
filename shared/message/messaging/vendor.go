package messaging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/secret/rsakey"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Vendor sends template messages to those who use a mini program on its platform.
type Vendor string

// The vendors.
const (
	Chat Vendor = "chat"
	Alt  Vendor = "alt"
	Tpay Vendor = "tpay"
)

// Vendors are all of them.
var Vendors = []Vendor{Chat, Alt, Tpay}

// Names of secrets.
const (
	AppSecret  = "app_secret"  // an access token is given for it
	PrivateKey = "private_key" // RSA in PEM: signs what we ask
)

// secretNames is the secret that each vendor wants.
var secretNames = map[Vendor]string{Chat: AppSecret, Alt: PrivateKey, Tpay: AppSecret}

// SecretName is the name of the secret that proves to a vendor who we are.
func (v Vendor) SecretName() string { return secretNames[v] }

// ReadText reads the name of a vendor from a path; errs.NotFound for one that is no vendor's.
func (v *Vendor) ReadText(name string) error {
	if !slices.Contains(Vendors, Vendor(name)) {
		return errs.NotFound("there is no vendor of that name, only chat, alt and tpay")
	}
	*v = Vendor(name)
	return nil
}

// VendorSetting is the identity of an environment at a vendor.
type VendorSetting struct {
	AppID     string                 `json:"app_id"`     // "" = nobody: there are no template messages
	PublicKey string                 `json:"public_key"` // PEM, alt's: verifies its answers; "" = they are not verified
	Secrets   map[string]sealed.Text `json:"secrets"`    // by name
}

// VendorPatch is the change of a request: a nil field stays as it is; a secret that is nil is removed.
type VendorPatch struct {
	AppID, PublicKey *string
	Secrets          map[string]*string
}

// The limits of these settings, in bytes.
const (
	maxAppID = 64
	maxKey   = 8 << 10
)

// Vendor returns a setting, errs.NotFound where there is none.
func (s *Settings) Vendor(ctx context.Context, scope tenant.Scope, v Vendor) (VendorSetting, error) {
	known := map[Vendor]*recent[VendorSetting]{Chat: &s.vendors.chat, Alt: &s.vendors.alt, Tpay: &s.vendors.tpay}[v]
	whole := func(s VendorSetting) bool { return s.AppID != "" && len(s.Secrets[v.SecretName()].Box) > 0 }
	setting, err := known.read(ctx, s.VendorStores[v], scope, s.KeepFor, s.Clock, whole)
	if err == nil && setting.Secrets == nil { // one that was made has them, if empty
		err = errs.NotFound("there is no message setting for %s", v)
	}
	return setting, err
}

// PutVendor creates or changes a setting. errs.Invalid names the invalid field.
func (s *Settings) PutVendor(ctx context.Context, scope tenant.Scope, v Vendor, p VendorPatch) (VendorSetting, error) {
	apply := func(old VendorSetting) (VendorSetting, error) {
		next, err := p.apply(v, old, s.Clock())
		if err != nil {
			return old, err
		}

		next.Secrets, err = sealed.Patch(ctx, s.Sealer, old.Secrets, p.Secrets, secretBound(scope, v))
		if err != nil {
			return old, err
		}
		return next, nil
	}
	return put(ctx, s.VendorStores[v], s.Clock, scope, "message-setting-"+string(v), apply)
}

// secretBound returns the text that a secret of a name is bound to.
func secretBound(scope tenant.Scope, v Vendor) func(name string) string {
	return func(name string) string { return scope.String() + "#message#" + string(v) + "#" + name }
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
		// An expired certificate is refused now, not when the first message fails.
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

// Identity names whom a setting speaks for: another app or another secret is another identity. It tells neither.
func (s VendorSetting) Identity(v Vendor) string {
	sum := sha256.Sum256(append([]byte(s.AppID+"\n"), s.Secrets[v.SecretName()].Box...))
	return hex.EncodeToString(sum[:8])
}

// Secret opens the secret of a setting, "" where it has none.
func (s VendorSetting) Secret(
	ctx context.Context, sealer sealed.Sealer, scope tenant.Scope, v Vendor,
) (string, error) {
	kept, ok := s.Secrets[v.SecretName()]
	if !ok {
		return "", nil
	}
	return sealed.Open(ctx, sealer, secretBound(scope, v)(v.SecretName()), kept)
}

// CheckVendor returns errs.Invalid where nothing can be sent by a vendor, because the setting is not there or lacks
// something. It opens no secret.
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
