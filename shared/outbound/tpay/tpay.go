// Package tpay sends template messages and subscribed messages through tpay (QQ's API for mini programs), logs its
// users in and checks their texts and images.
package tpay

import (
	"context"
	"maps"
	"net/url"
	"time"

	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/vendor"
)

// New returns a client of the API at base, in production https://api.q.qq.com; see vendor.New.
func New(base string, private bool) *vendor.Platform {
	api := vendor.New(base, private)
	return &vendor.Platform{
		API: api, Name: "tpay", WithAppID: true,
		Template:   vendor.Method{Path: "/api/json/template/send", Codes: codes},
		Subscribed: vendor.Method{Path: "/api/json/subscribe/SendSubscriptionMessage", Codes: subscribed},
		TextCheck:  "/api/json/security/MsgSecCheck", ImageCheck: "/api/json/security/ImgSecCheck",
		// The API cannot be asked for a different token, so fresh has no effect.
		AskToken: func(ctx context.Context, who templatemessage.Identity, _ bool) ([]byte, error) {
			return api.At(who.BaseURL).Get(ctx, "/api/getToken?"+url.Values{
				"grant_type": {"client_credential"}, "appid": {who.AppID}, "secret": {who.Secret},
			}.Encode())
		},
	}
}

// codes maps the vendor's error codes to their meanings. 41030 has another meaning for subscribed messages.
var codes = map[int64]vendor.Meaning{
	-1:    {Verdict: templatemessage.Later},
	40036: {Verdict: templatemessage.Later}, // internal error of the vendor
	45009: {Verdict: templatemessage.Later, After: time.Hour},
	46002: {Verdict: templatemessage.Later, After: time.Hour}, // quota per day

	40001: {Verdict: templatemessage.BadToken},
	40014: {Verdict: templatemessage.BadToken}, // expired
	42001: {Verdict: templatemessage.BadToken},

	41028: {Verdict: templatemessage.BadForm}, // unknown or expired
	41029: {Verdict: templatemessage.BadForm}, // used

	40003: {Verdict: templatemessage.BadUser}, // openid
	46001: {Verdict: templatemessage.BadUser}, // has not subscribed
	46003: {Verdict: templatemessage.BadUser}, // refuses messages

	40013: {Verdict: templatemessage.Never}, // app id
	40035: {Verdict: templatemessage.Never}, // keywords
	40037: {Verdict: templatemessage.Never}, // template
	41030: {Verdict: templatemessage.Never}, // page
	47001: {Verdict: templatemessage.Never}, // the account is not allowed to send
}

// tooFast means for subscribed messages that the user just got one; for template messages it is a wrong page.
const tooFast = 41030

// subscribed has the codes of subscribed messages.
var subscribed = func() map[int64]vendor.Meaning {
	all := maps.Clone(codes)
	all[tooFast] = vendor.Meaning{Verdict: templatemessage.Later, After: time.Minute}
	return all
}()
