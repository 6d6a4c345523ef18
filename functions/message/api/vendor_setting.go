package api

import (
	"context"
	"maps"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
	"minicloud/shared/secret/sealed"
)

// MessageSetting is the setting of a vendor of mini programs, for template messages and logins (C37). Secrets are listed
// by name, never by value.
type MessageSetting struct {
	Vendor    messaging.Vendor `json:"vendor" schema:"MessageVendor"`
	AppID     string           `json:"app_id"`
	BaseURL   string           `json:"base_url"`                              // Empty: the address of the deployment.
	PublicKey string           `json:"public_key"`                            // PEM.
	Secrets   []string         `json:"secrets" enum:"app_secret,private_key"` // The names of the secrets that are set.
}

func showVendor(v messaging.Vendor, s messaging.VendorSetting) MessageSetting {
	return MessageSetting{
		Vendor: v, AppID: s.AppID, BaseURL: s.BaseURL, PublicKey: s.PublicKey, Secrets: namesOf(s.Secrets),
	}
}

// namesOf returns the names of secrets, never nil.
func namesOf(secrets map[string]sealed.Text) []string {
	return slices.AppendSeq([]string{}, maps.Keys(secrets))
}

type ofVendor struct {
	Vendor messaging.Vendor `path:"vendor" schema:"MessageVendor"`
}

// readMessageSetting serves GET /oserve/v3/message-setting/:vendor/; a setting that was never stored has empty
// members.
func (g *Group) readMessageSetting(ctx context.Context, in ofVendor) (v MessageSetting, err error) {
	setting, err := g.Settings.Vendor(ctx, httpapi.Scope(ctx), in.Vendor)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return v, err
	}
	return showVendor(in.Vendor, setting), nil
}

type vendorChange struct {
	ofVendor
	AppID      *string                  `json:"app_id" maxLength:"64"`
	BaseURL    *string                  `json:"base_url" maxLength:"512"`
	PublicKey  *string                  `json:"public_key" maxLength:"8192"`
	AppSecret  httpapi.Nullable[string] `json:"app_secret" maxLength:"8192"`
	PrivateKey httpapi.Nullable[string] `json:"private_key" maxLength:"8192"`
}

// putMessageSetting serves PUT /oserve/v3/message-setting/:vendor/: given members replace the old ones, and null
// deletes a secret.
func (g *Group) putMessageSetting(ctx context.Context, in vendorChange) (MessageSetting, error) {
	patch := messaging.VendorPatch{AppID: in.AppID, BaseURL: in.BaseURL, PublicKey: in.PublicKey, Secrets: map[string]*string{}}
	for name, secret := range map[string]httpapi.Nullable[string]{
		messaging.AppSecret: in.AppSecret, messaging.PrivateKey: in.PrivateKey,
	} {
		if secret.Given {
			patch.Secrets[name] = secret.Value
		}
	}
	setting, err := g.Settings.PutVendor(ctx, httpapi.Scope(ctx), in.Vendor, patch)
	return showVendor(in.Vendor, setting), err
}
