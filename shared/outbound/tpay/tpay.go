// Package tpay sends template messages and subscribed messages on the platform of tpay (QQ's API for mini programs).
package tpay

import (
	"context"
	"net/url"
	"time"

	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/vendor"
)

// Client is the templatemessage.Gateway and templatemessage.TokenGiver.
type Client struct {
	API *vendor.Client
}

var (
	_ templatemessage.Gateway    = (*Client)(nil)
	_ templatemessage.TokenGiver = (*Client)(nil)
)

// New returns a client of the API at that address, https://api.q.qq.com.
func New(base string) *Client { return &Client{API: vendor.New(base)} }

// codes maps the vendor's error codes to their meanings. 41030 differs between the two kinds of message.
var codes = map[int64]vendor.Meaning{
	-1:    {Verdict: templatemessage.Later},
	40036: {Verdict: templatemessage.Later}, // the vendor's own failure
	45009: {Verdict: templatemessage.Later, After: time.Hour},
	46002: {Verdict: templatemessage.Later, After: time.Hour}, // quota of the day

	40001: {Verdict: templatemessage.BadToken},
	40014: {Verdict: templatemessage.BadToken}, // expired
	42001: {Verdict: templatemessage.BadToken},

	41028: {Verdict: templatemessage.BadForm}, // unknown or expired
	41029: {Verdict: templatemessage.BadForm}, // used

	40003: {Verdict: templatemessage.BadUser}, // openid
	46001: {Verdict: templatemessage.BadUser}, // has not subscribed
	46003: {Verdict: templatemessage.BadUser}, // wants none

	40013: {Verdict: templatemessage.Never}, // app id
	40035: {Verdict: templatemessage.Never}, // keywords
	40037: {Verdict: templatemessage.Never}, // template
	41030: {Verdict: templatemessage.Never}, // page
	47001: {Verdict: templatemessage.Never}, // the account may not send
}

// Token asks for a token. The vendor has no way to be asked for another one than the last: fresh is the same.
func (c *Client) Token(ctx context.Context, who templatemessage.Identity, _ bool) (string, time.Duration, error) {
	body, err := c.API.Get(ctx, "/api/getToken?"+url.Values{
		"grant_type": {"client_credential"}, "appid": {who.AppID}, "secret": {who.Secret},
	}.Encode())
	if err != nil {
		return "", 0, err
	}
	return vendor.GivenToken(body, codes, who.Secret)
}

// tooFast says that the same user got a subscribed message just now; of template messages it is about the page.
const tooFast = 41030

// Send is one request: a template message for a form id, else a message that the user has subscribed to.
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
	// The vendor's words may repeat the token or the secret: Sent hides both.
	return vendor.Sent(body, meanings, token, who.Secret)
}

// subscribed are the codes of subscribed messages.
var subscribed = func() map[int64]vendor.Meaning {
	all := map[int64]vendor.Meaning{}
	for code, meaning := range codes {
		all[code] = meaning
	}
	all[tooFast] = vendor.Meaning{Verdict: templatemessage.Later, After: time.Minute}
	return all
}()
