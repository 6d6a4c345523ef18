package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/messaging"
)

// messageView is the setting of a vendor of template messages: of secrets the names of those that are set, never a
// value.
type messageView struct {
	Vendor    string   `json:"vendor"`
	AppID     string   `json:"app_id"`
	PublicKey string   `json:"public_key"`
	Secrets   []string `json:"secrets"`
}

func showMessage(v messaging.Vendor, s messaging.VendorSetting) messageView {
	return messageView{
		Vendor: string(v), AppID: s.AppID, PublicKey: s.PublicKey,
		Secrets: slices.AppendSeq([]string{}, maps.Keys(s.Secrets)),
	}
}

// readMessageSetting serves GET /oserve/v3/message-setting/:vendor/: of one that nobody has made all is empty.
func (g *Group) readMessageSetting(w http.ResponseWriter, r *http.Request) error {
	vendor, err := messaging.ParseVendor(r.PathValue("vendor"))
	if err != nil {
		return err
	}
	setting, err := g.Settings.Vendor(r.Context(), httpapi.ScopeOf(r), vendor)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return err
	}
	httpapi.Write(w, http.StatusOK, showMessage(vendor, setting))
	return nil
}

// putMessageSetting serves PUT /oserve/v3/message-setting/:vendor/: given members replace, a secret that is null goes.
func (g *Group) putMessageSetting(w http.ResponseWriter, r *http.Request) error {
	vendor, err := messaging.ParseVendor(r.PathValue("vendor"))
	if err != nil {
		return err
	}
	var body struct {
		AppID      *string         `json:"app_id"`
		PublicKey  *string         `json:"public_key"`
		AppSecret  json.RawMessage `json:"app_secret"`
		PrivateKey json.RawMessage `json:"private_key"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	patch := messaging.VendorPatch{AppID: body.AppID, PublicKey: body.PublicKey, Secrets: map[string]*string{}}
	for name, given := range map[string]json.RawMessage{
		messaging.AppSecret: body.AppSecret, messaging.PrivateKey: body.PrivateKey,
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

	setting, err := g.Settings.PutVendor(r.Context(), httpapi.ScopeOf(r), vendor, patch)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, showMessage(vendor, setting))
	return nil
}
