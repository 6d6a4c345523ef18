package api

import (
	"encoding/json"
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/smscode"
)

// sendCode serves POST /oserve/v2.1/sms-verification-code/ (BaaS.sendSmsCode).
func (g *Group) sendCode(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Phone       json.RawMessage `json:"phone"`
		UserID      json.RawMessage `json:"user_id"`
		SignatureID json.RawMessage `json:"signature_id"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	phone, err := textGiven("phone", body.Phone)
	if err != nil {
		return err
	}
	id, err := userGiven("user_id", body.UserID)
	if err != nil {
		return err
	}
	signature, err := textGiven("signature_id", body.SignatureID)
	if err != nil {
		return err
	}

	err = g.Codes.Send(r.Context(), httpapi.ScopeOf(r), smscode.Request{Phone: phone, User: id, Signature: signature})
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, sent)
	return nil
}

// verifyCode serves POST /oserve/v1.8/sms-verification-code/verify/ (BaaS.verifySmsCode).
func (g *Group) verifyCode(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Phone  json.RawMessage `json:"phone"`
		Code   json.RawMessage `json:"code"`
		UserID json.RawMessage `json:"user_id"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	phone, err := textGiven("phone", body.Phone)
	if err != nil {
		return err
	}
	code, err := textGiven("code", body.Code)
	if err != nil {
		return err
	}
	id, err := userGiven("user_id", body.UserID)
	if err != nil {
		return err
	}

	if err := g.Codes.Verify(r.Context(), httpapi.ScopeOf(r), phone, code, id); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, sent)
	return nil
}
