// Package tpay sends template messages and subscribed messages through tpay (QQ's API for mini programs).
package tpay

import (
	"context"
	"net/url"
	"time"

	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/vendor"
)

// Client implements templatemessage.Gateway and templatemessage.TokenGiver.
type Client struct {
	API *vendor.Client
}

var (
	_ templatemessage.Gateway    = (*Client)(nil)
	_ templatemessage.TokenGiver = (*Client)(nil)
)

// New returns a client of the API at base, in production https://api.q.qq.com.
func New(base string) *Client { return &Client{API: vendor.New(base)} }

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

// Token requests a token. The API cannot be asked for a different token, so fresh has no effect.
func (c *Client) Token(ctx context.Context, who templatemessage.Identity, _ bool) (string, time.Duration, error) {
	body, err := c.API.Get(ctx, "/api/getToken?"+url.Values{
		"grant_type": {"client_credential"}, "appid": {who.AppID}, "secret": {who.Secret},
	}.Encode())
	if err != nil {
		return "", 0, err
	}
	return vendor.GivenToken(body, codes, who.Secret)
}

// tooFast means for subscribed messages that the user just got one; for template messages it is a wrong page.
const tooFast = 41030

// Send makes one request: a template message if there is a form id, else a message that the user has subscribed to.
func (c *Client) Send(
	ctx context.Context, who templatemessage.Identity, token string, m templatemessage.Message,
) error {
	path, meanings := "/api/json/template/send", codes
	message := map[string]any{
		"appid": who.AppID, "touser": m.To, "template_id": m.TemplateID, "data": vendor.Data(m.Keywords),
	}
	if m.Page != "" {
		message["page"] = m.Page
	}
	if m.FormID != "" {
		message["form_id"] = m.FormID
	} else {
		path, meanings = "/api/json/subscribe/SendSubscriptionMessage", subscribed
	}

	body, err := c.API.PostJSON(ctx, path+"?access_token="+url.QueryEscape(token), message)
	if err != nil {
		return err
	}
	// The vendor's error text may contain the token or the secret: Sent masks both.
	return vendor.Sent(body, meanings, token, who.Secret)
}

// subscribed has the codes of subscribed messages.
var subscribed = func() map[int64]vendor.Meaning {
	all := map[int64]vendor.Meaning{}
	for code, meaning := range codes {
		all[code] = meaning
	}
	all[tooFast] = vendor.Meaning{Verdict: templatemessage.Later, After: time.Minute}
	return all
}()
