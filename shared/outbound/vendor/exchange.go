package vendor

import (
	"context"
	"net/url"

	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/user/idp"
)

// Exchange implements idp.Exchange by code2Session, which chat and tpay share.
func (p *Platform) Exchange(
	ctx context.Context, who templatemessage.Identity, code string, _ bool,
) (idp.Identity, error) {
	of := messaging.Vendor(p.Name)
	body, err := p.API.At(who.BaseURL).Get(ctx, "/sns/jscode2session?"+url.Values{
		"appid": {who.AppID}, "secret": {who.Secret}, "js_code": {code}, "grant_type": {"authorization_code"},
	}.Encode())
	if err != nil {
		return idp.Identity{}, idp.Unreachable(of, err)
	}

	var told struct {
		answer
		OpenID     string `json:"openid"`
		UnionID    string `json:"unionid"`
		SessionKey string `json:"session_key"`
	}
	if err := Decode(body, &told); err != nil {
		return idp.Identity{}, idp.Unreachable(of, err)
	}
	if refusal := told.refusal(p.Template.Codes, who.Secret, code); refusal != nil {
		if refusal.Verdict == templatemessage.Later {
			return idp.Identity{}, idp.Unreachable(of, refusal)
		}
		return idp.Identity{}, idp.Refused(of, refusal.Code, refusal.Message)
	}
	if told.OpenID == "" {
		return idp.Identity{}, idp.Unreachable(of, Unknown("its answer has no openid"))
	}
	return idp.Identity{Vendor: of, OpenID: told.OpenID, UnionID: told.UnionID, SessionKey: told.SessionKey}, nil
}

// Phone implements idp.PhoneExchange; only chat has this method.
func (p *Platform) Phone(ctx context.Context, who templatemessage.Identity, token, code string) (idp.Phone, error) {
	of := messaging.Vendor(p.Name)
	path := "/wxa/business/getuserphonenumber?access_token=" + url.QueryEscape(token)
	body, err := p.API.At(who.BaseURL).PostJSON(ctx, path, map[string]any{"code": code})
	if err != nil {
		return idp.Phone{}, idp.Unreachable(of, err)
	}

	var told struct {
		answer
		Phone *idp.Phone `json:"phone_info"`
	}
	if err := Decode(body, &told); err != nil {
		return idp.Phone{}, idp.Unreachable(of, err)
	}
	if refusal := told.refusal(p.Template.Codes, who.Secret, token, code); refusal != nil {
		return idp.Phone{}, refusal
	}
	if told.Phone == nil {
		return idp.Phone{}, idp.Unreachable(of, Unknown("its answer has no phone_info"))
	}
	return *told.Phone, nil
}
