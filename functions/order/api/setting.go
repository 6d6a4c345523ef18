package api

import (
	"context"
	"maps"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/order/payment"
)

// PaymentSetting is the setting of a payment provider. Secrets are listed by name, never by value.
type PaymentSetting struct {
	Vendor         payment.Vendor    `json:"vendor" enum:"chat,alt,tpay"`
	AppID          string            `json:"app_id"`
	MerchantID     string            `json:"merchant_id"`
	BaseURL        string            `json:"base_url"`   // The base URL of the provider's API.
	PublicKey      string            `json:"public_key"` // PEM.
	MerchantSerial string            `json:"merchant_serial"`
	Certificates   map[string]string `json:"certificates"`                                                         // The certificates in PEM, by serial number.
	Certificate    string            `json:"merchant_certificate,omitempty"`                                       // Your merchant certificate in PEM, for refunds of chat (v2) and tpay.
	RefundURL      string            `json:"refund_url,omitempty"`                                                 // The URL for tpay refunds. Defaults to base_url.
	OperatorID     string            `json:"operator_id,omitempty"`                                                // The operator id at tpay.
	Secrets        []string          `json:"secrets" enum:"api_v3_key,merchant_key,operator_password,private_key"` // The names of the secrets that are set.
	UpdatedAt      int64             `json:"updated_at"`                                                           // Unix seconds, or 0 while nothing is set.
}

func showSetting(v payment.Vendor, s payment.Setting) PaymentSetting {
	certificates := s.Certificates
	if certificates == nil {
		certificates = map[string]string{}
	}
	view := PaymentSetting{
		Vendor: v, AppID: s.AppID, MerchantID: s.MerchantID, BaseURL: s.BaseURL, PublicKey: s.PublicKey,
		MerchantSerial: s.MerchantSerial, Certificates: certificates, Certificate: s.MerchantCertificate,
		RefundURL: s.RefundURL, OperatorID: s.OperatorID,
		Secrets: slices.AppendSeq([]string{}, maps.Keys(s.Secrets)), UpdatedAt: max(0, s.UpdatedAt.Unix()),
	}
	slices.Sort(view.Secrets)
	return view
}

type ofVendor struct {
	Vendor payment.Vendor `path:"vendor" enum:"chat,alt,tpay"`
}

// readSetting serves GET /oserve/v3/payment-setting/:vendor/ (G18). A setting that was never stored has empty
// members, as those of mail and SMS.
func (g *Group) readSetting(ctx context.Context, in ofVendor) (v PaymentSetting, err error) {
	setting, err := g.Settings.Store.Setting(ctx, httpapi.Scope(ctx), in.Vendor)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return v, err
	}
	return showSetting(in.Vendor, setting), nil
}

// PaymentSettingChange is the fields of a setting to update. A null removes a secret.
type PaymentSettingChange struct {
	ofVendor
	AppID          *string                  `json:"app_id"`
	MerchantID     *string                  `json:"merchant_id"`
	BaseURL        *string                  `json:"base_url"`
	PublicKey      *string                  `json:"public_key"`
	MerchantSerial *string                  `json:"merchant_serial"`
	Certificate    *string                  `json:"merchant_certificate"`
	RefundURL      *string                  `json:"refund_url"`
	OperatorID     *string                  `json:"operator_id"`
	Certificates   map[string]string        `json:"certificates"`
	MerchantKey    httpapi.Nullable[string] `json:"merchant_key"`
	APIv3Key       httpapi.Nullable[string] `json:"api_v3_key"`
	PrivateKey     httpapi.Nullable[string] `json:"private_key"`
	Operator       httpapi.Nullable[string] `json:"operator_password"`
}

// putSetting serves PUT /oserve/v3/payment-setting/:vendor/.
func (g *Group) putSetting(ctx context.Context, in PaymentSettingChange) (v PaymentSetting, err error) {
	patch := payment.Patch{
		AppID: in.AppID, MerchantID: in.MerchantID, BaseURL: in.BaseURL, PublicKey: in.PublicKey,
		MerchantSerial: in.MerchantSerial, MerchantCertificate: in.Certificate, RefundURL: in.RefundURL,
		OperatorID: in.OperatorID, Certificates: in.Certificates, Secrets: map[string]*string{},
	}
	for name, secret := range map[string]httpapi.Nullable[string]{
		payment.MerchantKey: in.MerchantKey, payment.APIv3Key: in.APIv3Key, payment.PrivateKey: in.PrivateKey,
		payment.OperatorPassword: in.Operator,
	} {
		// A given null removes the secret; a missing field keeps it.
		if secret.Given {
			patch.Secrets[name] = secret.Value
		}
	}
	setting, err := g.Settings.Put(ctx, httpapi.Scope(ctx), in.Vendor, patch)
	return showSetting(in.Vendor, setting), err
}
