package messaging

import (
	"context"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Provider is a provider of logins for web pages and native apps, as in the path of its setting: oauth-chat-web.
type Provider string

const (
	providerPrefix = "oauth-"
	maxProvider    = 40 // bytes
)

// ReadText reads a provider's name from a path. It returns errs.NotFound for a name that no provider can have.
func (p *Provider) ReadText(name string) error {
	rest, ok := strings.CutPrefix(name, providerPrefix)
	if !ok || rest == "" || len(name) > maxProvider || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return errs.NotFound("there is no login provider %q, only names like oauth-chat-web", clip.Text(name, clip.Name))
	}
	*p = Provider(name)
	return nil
}

// ProviderSetting is the setting of an environment at a login provider (C37). It has no PublicKey, and AppSecret as its
// only secret. An empty AppID disables the login.
type ProviderSetting struct {
	Provider Provider
	VendorSetting
}

// ProviderStore stores the settings of login providers.
type ProviderStore interface {
	// Provider returns the store of one provider's setting.
	Provider(p Provider) Store[VendorSetting]
	// List returns the settings of an environment in the order of their providers' names, without those that are empty.
	// It does not count them.
	List(ctx context.Context, scope tenant.Scope, r page.Request) (page.Page[ProviderSetting], error)
}

// IsZero reports whether nothing is set: such a setting is as one that was never stored.
func (s VendorSetting) IsZero() bool { return s.AppID == "" && s.BaseURL == "" && len(s.Secrets) == 0 }

// Login returns the setting of a provider, the zero value if it does not exist.
func (s *Settings) Login(ctx context.Context, scope tenant.Scope, p Provider) (VendorSetting, error) {
	kept, err := read(ctx, s.Providers.Provider(p), scope)
	return kept.Value, err
}

// PutLogin creates or changes a setting. It returns errs.Invalid that names the invalid field.
func (s *Settings) PutLogin(
	ctx context.Context, scope tenant.Scope, of Provider, p VendorPatch,
) (VendorSetting, error) {
	name := "login-setting-" + string(of)
	return s.putAccount(ctx, s.Providers.Provider(of), scope, name, Vendor(of), p, loginBound(scope, of))
}

// loginBound returns the text to which a sealed secret of a provider is bound.
func loginBound(scope tenant.Scope, p Provider) func(name string) string {
	return func(name string) string { return scope.String() + "#login#" + string(p) + "#" + name }
}

// LoginAccount is the account of an environment at a login provider.
type LoginAccount struct {
	Provider               Provider
	AppID, Secret, BaseURL string // BaseURL "" = the deployment's address of the provider
}

// LoginAccount returns the account at a provider with its secret. It returns errs.Invalid if the environment has none.
func (s *Settings) LoginAccount(ctx context.Context, scope tenant.Scope, p Provider) (LoginAccount, error) {
	setting, err := s.Login(ctx, scope, p)
	if err != nil {
		return LoginAccount{}, err
	}
	kept, ok := setting.Secrets[AppSecret]
	if setting.AppID == "" || !ok {
		return LoginAccount{}, errs.Invalid(
			"logins by %s are not configured: set app_id and app_secret with PUT /oserve/v3/login-setting/%s/", p, p)
	}
	secret, err := sealed.Open(ctx, s.Sealer, loginBound(scope, p)(AppSecret), kept)
	return LoginAccount{Provider: p, AppID: setting.AppID, Secret: secret, BaseURL: setting.BaseURL}, err
}
