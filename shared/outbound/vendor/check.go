package vendor

import (
	"context"
	"net/url"

	"minicloud/shared/message/censor"
	"minicloud/shared/message/templatemessage"
)

// Codes of checks.
const (
	codeRisky   = 87014
	codeVisitor = 61010 // the user was not in the mini-program for two hours
)

// CheckText implements censor.TextCheck.
//
// chat checks a text in the context of a user (version 2), who must have been there in the last two hours, or alone
// (version 1). tpay knows the second only. https://q.qq.com/wiki/develop/miniprogram/server/open_port/port_safe.html
func (p *Platform) CheckText(
	ctx context.Context, who templatemessage.Identity, token string, t censor.Text,
) (risky bool, err error) {
	asked := map[string]any{"content": t.Content}
	if p.WithAppID {
		asked["appid"] = who.AppID
	}
	if p.TextsOfUsers && t.OpenID != "" {
		asked["version"], asked["scene"], asked["openid"] = 2, sceneComment, t.OpenID
	}
	body, err := p.API.At(who.BaseURL).PostJSON(ctx, p.TextCheck+"?access_token="+url.QueryEscape(token), asked)
	if err != nil {
		return false, err
	}

	risky, code, err := p.checked(body, token, who.Secret)
	if code == codeVisitor && t.OpenID != "" {
		return p.CheckText(ctx, who, token, censor.Text{Content: t.Content})
	}
	return risky, err
}

// sceneComment is the context of a text: 1 profile, 2 comment, 3 forum, 4 social log.
const sceneComment = 2

// CheckImage implements censor.ImageCheck.
func (p *Platform) CheckImage(
	ctx context.Context, who templatemessage.Identity, token string, image censor.Image,
) (risky bool, err error) {
	fields := map[string]string{}
	if p.WithAppID {
		fields["appid"] = who.AppID
	}
	body, err := p.API.At(who.BaseURL).PostFile(ctx, p.ImageCheck+"?access_token="+url.QueryEscape(token), fields, File{
		Field: "media", Name: image.Name, MIMEType: image.MIMEType, Content: image.Content,
	})
	if err != nil {
		return false, err
	}
	risky, _, err = p.checked(body, token, who.Secret)
	return risky, err
}

// checked reads the answer to a check. Version 1 tells a risk by the code, version 2 by the suggestion: pass, review or
// risky. The vendor's people look at what it suggests to review, so it is not called risky.
func (p *Platform) checked(body []byte, secrets ...string) (risky bool, code int64, err error) {
	var told struct {
		answer
		Result struct {
			Suggest string `json:"suggest"`
		} `json:"result"`
	}
	if err := Decode(body, &told); err != nil {
		return false, 0, err
	}
	switch {
	case told.Code == nil:
		return false, 0, Unknown("its answer has no errcode")
	case *told.Code == codeRisky:
		return true, codeRisky, nil
	}
	if refusal := told.refusal(p.Template.Codes, secrets...); refusal != nil {
		return false, *told.Code, refusal
	}
	return told.Result.Suggest == "risky", 0, nil
}
