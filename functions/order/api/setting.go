package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/payment"
)

// settingView is a payment setting: of secrets the names of those that are set, never a value.
type settingView struct {
	Vendor         string            `json:"vendor"`
	AppID          string            `json:"app_id"`
	MerchantID     string            `json:"merchant_id"`
	BaseURL        string            `json:"base_url"`
	PublicKey      string            `json:"public_key"`
	MerchantSerial string            `json:"merchant_serial"`
	Certificates   map[string]string `json:"certificates"`
	Certificate    string            `json:"merchant_certificate,omitempty"`
	RefundURL      string            `json:"refund_url,omitempty"`
	OperatorID     string            `json:"operator_id,omitempty"`
	Secrets        []string          `json:"secrets"`
	UpdatedAt      int64             `json:"updated_at"`
}

func showSetting(v payment.Vendor, s payment.Setting) settingView {
	certificates := s.Certificates
	if certificates == nil {
		certificates = map[string]string{}
	}
	view := settingView{
		Vendor: string(v), AppID: s.AppID, MerchantID: s.MerchantID, BaseURL: s.BaseURL, PublicKey: s.PublicKey,
		MerchantSerial: s.MerchantSerial, Certificates: certificates, Certificate: s.MerchantCertificate,
		RefundURL: s.RefundURL, OperatorID: s.OperatorID,
		Secrets: slices.AppendSeq([]string{}, maps.Keys(s.Secrets)), UpdatedAt: max(0, s.UpdatedAt.Unix()),
	}
	slices.Sort(view.Secrets)
	return view
}

// readSetting serves GET /oserve/v3/payment-setting/:vendor/ (G18): of one that nobody has made, as those of mail and
// SMS, all is empty.
func (g *Group) readSetting(w http.ResponseWriter, r *http.Request) error {
	vendor, err := payment.ParseVendor(r.PathValue("vendor"))
	if err != nil {
		return err
	}
	setting, err := g.Settings.Read(r.Context(), httpapi.ScopeOf(r), vendor)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return err
	}
	httpapi.Write(w, http.StatusOK, showSetting(vendor, setting))
	return nil
}

// settingBody is what changes a setting: given members replace, a secret that is null goes.
type settingBody struct {
	AppID          *string           `json:"app_id"`
	MerchantID     *string           `json:"merchant_id"`
	BaseURL        *string           `json:"base_url"`
	PublicKey      *string           `json:"public_key"`
	MerchantSerial *string           `json:"merchant_serial"`
	Certificate    *string           `json:"merchant_certificate"`
	RefundURL      *string           `json:"refund_url"`
	OperatorID     *string           `json:"operator_id"`
	Certificates   map[string]string `json:"certificates"`
	MerchantKey    json.RawMessage   `json:"merchant_key"`
	APIv3Key       json.RawMessage   `json:"api_v3_key"`
	PrivateKey     json.RawMessage   `json:"private_key"`
	Operator       json.RawMessage   `json:"operator_password"`
}

// putSetting serves PUT /oserve/v3/payment-setting/:vendor/.
func (g *Group) putSetting(w http.ResponseWriter, r *http.Request) error {
	vendor, err := payment.ParseVendor(r.PathValue("vendor"))
	if err != nil {
		return err
	}
	var body settingBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	patch := payment.Patch{
		AppID: body.AppID, MerchantID: body.MerchantID, BaseURL: body.BaseURL, PublicKey: body.PublicKey,
		MerchantSerial: body.MerchantSerial, MerchantCertificate: body.Certificate, RefundURL: body.RefundURL,
		OperatorID: body.OperatorID, Certificates: body.Certificates, Secrets: map[string]*string{},
	}
	for name, given := range map[string]json.RawMessage{
		payment.MerchantKey: body.MerchantKey, payment.APIv3Key: body.APIv3Key, payment.PrivateKey: body.PrivateKey,
		payment.OperatorPassword: body.Operator,
	} {
		if given == nil {
			continue
		}
		var text *string
		if json.Unmarshal(given, &text) != nil {
			return errs.Invalid("%s must be a string or null", name)
		}
		patch.Secrets[name] = text
	}
	setting, err := g.Settings.Put(r.Context(), httpapi.ScopeOf(r), vendor, patch)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, showSetting(vendor, setting))
	return nil
}
