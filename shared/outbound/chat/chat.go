// Package chat sends template messages and subscribed messages through chat (WeChat's API for mini programs), logs its
// users in and checks their texts and images.
package chat

import (
	"context"
	"time"

	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/vendor"
)

// New returns a client of the API at base, in production https://api.weixin.qq.com; see vendor.New.
func New(base string, private bool) *vendor.Platform {
	api := vendor.New(base, private)
	return &vendor.Platform{
		API: api, Name: "chat",
		Template:   vendor.Method{Path: "/cgi-bin/message/wxopen/template/send", Codes: codes},
		Subscribed: vendor.Method{Path: "/cgi-bin/message/subscribe/send", Codes: codes},
		TextCheck:  "/wxa/msg_sec_check", ImageCheck: "/wxa/img_sec_check", TextsOfUsers: true,
		// The stable token: a repeated request does not revoke the previous token.
		AskToken: func(ctx context.Context, who templatemessage.Identity, fresh bool) ([]byte, error) {
			return api.At(who.BaseURL).PostJSON(ctx, "/cgi-bin/stable_token", map[string]any{
				"grant_type": "client_credential", "appid": who.AppID, "secret": who.Secret, "force_refresh": fresh,
			})
		},
	}
}

// codes maps the vendor's error codes to their meanings.
var codes = map[int64]vendor.Meaning{
	-1:    {Verdict: templatemessage.Later},                       // busy
	43108: {Verdict: templatemessage.Later},                       // concurrent message
	45011: {Verdict: templatemessage.Later, After: time.Minute},   // quota per minute
	45009: {Verdict: templatemessage.Later, After: 1 * time.Hour}, // quota per day

	40001: {Verdict: templatemessage.BadToken}, // wrong, or not the latest
	40014: {Verdict: templatemessage.BadToken},
	42001: {Verdict: templatemessage.BadToken}, // expired

	41028: {Verdict: templatemessage.BadForm}, // unknown or expired
	41029: {Verdict: templatemessage.BadForm}, // used

	40003: {Verdict: templatemessage.BadUser}, // openid
	43101: {Verdict: templatemessage.BadUser}, // has not subscribed

	40013: {Verdict: templatemessage.Never}, // app id
	40037: {Verdict: templatemessage.Never}, // template
	41030: {Verdict: templatemessage.Never}, // page
	43107: {Verdict: templatemessage.Never}, // the account is not allowed to send
	45168: {Verdict: templatemessage.Never}, // forbidden words
	47001: {Verdict: templatemessage.Never}, // data
	47003: {Verdict: templatemessage.Never}, // keywords
	48001: {Verdict: templatemessage.Never}, // the account has no access to this API
	48004: {Verdict: templatemessage.Never}, // the API is blocked for the account
}

// WebProvider returns the provider of logins for web pages: chat-web shows a code to scan, and chat-mp is for pages in
// chat's own browser. pages is the address of their pages, in production https://open.weixin.qq.com.
func WebProvider(api *vendor.Client, pages string, inChat bool) *vendor.Web {
	web := &vendor.Web{
		API: api, Pages: pages, Codes: codes, Path: "/connect/qrconnect", Scope: "snsapi_login", Silent: "snsapi_login",
	}
	if inChat {
		web.Path, web.Scope, web.Silent = "/connect/oauth2/authorize", "snsapi_userinfo", "snsapi_base"
	}
	return web
}
