package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
)

// LoginSetting is the setting of a login provider of web pages and native apps (C37). Secrets are listed by name, never
// by value.
type LoginSetting struct {
	Provider messaging.Provider `json:"provider"`
	AppID    string             `json:"app_id"`
	BaseURL  string             `json:"base_url"` // Empty: the address of the deployment.
	Secrets  []string           `json:"secrets" enum:"app_secret"`
}

func showLogin(p messaging.Provider, s messaging.VendorSetting) LoginSetting {
	return LoginSetting{Provider: p, AppID: s.AppID, BaseURL: s.BaseURL, Secrets: namesOf(s.Secrets)}
}

// listLoginSettings serves GET /oserve/v3/login-setting/.
func (g *Group) listLoginSettings(ctx context.Context, in onePage) (answer httpapi.Envelope[LoginSetting], err error) {
	found, err := g.Settings.Providers.List(ctx, httpapi.Scope(ctx), in.Page)
	if err != nil {
		return answer, err
	}
	show := func(s messaging.ProviderSetting) LoginSetting { return showLogin(s.Provider, s.VendorSetting) }
	return httpapi.ListOf(ctx, in.Page, found, show), nil
}

type ofProvider struct {
	Provider messaging.Provider `path:"provider"`
}

// readLoginSetting serves GET /oserve/v3/login-setting/:provider/; a setting that was never stored has empty members.
func (g *Group) readLoginSetting(ctx context.Context, in ofProvider) (LoginSetting, error) {
	setting, err := g.Settings.Login(ctx, httpapi.Scope(ctx), in.Provider)
	return showLogin(in.Provider, setting), err
}

type loginChange struct {
	ofProvider
	AppID     *string                  `json:"app_id" maxLength:"64"`
	BaseURL   *string                  `json:"base_url" maxLength:"512"`
	AppSecret httpapi.Nullable[string] `json:"app_secret" maxLength:"8192"`
}

// putLoginSetting serves PUT /oserve/v3/login-setting/:provider/: given members replace the old ones, and null deletes
// the secret.
func (g *Group) putLoginSetting(ctx context.Context, in loginChange) (LoginSetting, error) {
	patch := messaging.VendorPatch{AppID: in.AppID, BaseURL: in.BaseURL, Secrets: map[string]*string{}}
	if in.AppSecret.Given {
		patch.Secrets[messaging.AppSecret] = in.AppSecret.Value
	}
	setting, err := g.Settings.PutLogin(ctx, httpapi.Scope(ctx), in.Provider, patch)
	return showLogin(in.Provider, setting), err
}
