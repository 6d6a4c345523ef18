package vendor

import (
	"cmp"
	"context"
	"net/url"

	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/user/idp"
)

// Web logs users of web pages in at chat. The page of a provider is on another host than the API.
type Web struct {
	API    *Client
	Pages  string // URL without a trailing slash, in production https://open.weixin.qq.com
	Path   string // of the page
	Scope  string
	Silent string // the scope that only identifies, without asking the user
	Codes  map[int64]Meaning
}

// AuthorizeURL implements idp.WebProvider. The parameters are in the order of their names, which chat requires, and the
// fragment is a part of the address.
func (w *Web) AuthorizeURL(_ context.Context, a messaging.LoginAccount, r idp.WebRedirect) (string, error) {
	scope := w.Scope
	if r.Silent {
		scope = w.Silent
	}
	return cmp.Or(a.BaseURL, w.Pages) + w.Path + "?" + url.Values{
		"appid": {a.AppID}, "redirect_uri": {r.Callback}, "response_type": {"code"}, "scope": {scope}, "state": {r.State},
	}.Encode() + "#wechat_redirect", nil
}

// Identify implements idp.WebProvider by sns/oauth2/access_token, and sns/userinfo for the profile.
func (w *Web) Identify(
	ctx context.Context, a messaging.LoginAccount, r idp.WebRedirect, code string,
) (idp.Identity, error) {
	i := idp.Identity{Vendor: messaging.Vendor(a.Provider)}
	api := w.API.At(a.BaseURL)
	var token struct {
		Token   string `json:"access_token"`
		OpenID  string `json:"openid"`
		UnionID string `json:"unionid"`
	}
	err := w.ask(ctx, api, "/sns/oauth2/access_token", url.Values{
		"appid": {a.AppID}, "secret": {a.Secret}, "code": {code}, "grant_type": {"authorization_code"},
	}, &token, i.Vendor, a.Secret, code)
	if err == nil && token.OpenID == "" {
		err = idp.Unreachable(i.Vendor, Unknown("its answer has no openid"))
	}
	if err != nil {
		return i, err
	}
	i.OpenID, i.UnionID = token.OpenID, token.UnionID
	if r.Silent {
		return i, nil
	}

	var told struct {
		UnionID  string `json:"unionid"`
		Nickname string `json:"nickname"`
		Sex      int    `json:"sex"`
		Country  string `json:"country"`
		Province string `json:"province"`
		City     string `json:"city"`
		Avatar   string `json:"headimgurl"`
	}
	err = w.ask(ctx, api, "/sns/userinfo", url.Values{
		"access_token": {token.Token}, "openid": {i.OpenID}, "lang": {"zh_CN"},
	}, &told, i.Vendor, token.Token)
	if err != nil {
		return i, err
	}
	i.UnionID = cmp.Or(i.UnionID, told.UnionID)
	i.Profile = idp.Profile{
		Nickname: told.Nickname, Avatar: told.Avatar, Gender: told.Sex, Country: told.Country, Province: told.Province,
		City: told.City,
	}.Clean()
	return i, nil
}

// ask makes a GET request and reads the response into to.
func (w *Web) ask(
	ctx context.Context, api *Client, path string, query url.Values, to any, of messaging.Vendor, secrets ...string,
) error {
	body, err := api.Get(ctx, path+"?"+query.Encode())
	var a answer
	if err == nil {
		err = Decode(body, &a)
	}
	if err != nil {
		return idp.Unreachable(of, err)
	}
	refusal := a.refusal(w.Codes, secrets...)
	switch {
	case refusal != nil && refusal.Verdict == templatemessage.Later:
		return idp.Unreachable(of, refusal)
	case refusal != nil:
		return idp.Refused(of, refusal.Code, refusal.Message)
	}
	if err := Decode(body, to); err != nil {
		return idp.Unreachable(of, err)
	}
	return nil
}
