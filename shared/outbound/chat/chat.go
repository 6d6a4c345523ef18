// Package chat sends template messages and subscribed messages through chat (WeChat's API for mini programs).
package chat

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

// New returns a client of the API at base, in production https://api.weixin.qq.com.
func New(base string) *Client { return &Client{API: vendor.New(base)} }

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

// Token requests the stable token: a repeated request does not revoke the previous token.
func (c *Client) Token(
	ctx context.Context, who templatemessage.Identity, fresh bool,
) (string, time.Duration, error) {
	body, err := c.API.PostJSON(ctx, "/cgi-bin/stable_token", map[string]any{
		"grant_type": "client_credential", "appid": who.AppID, "secret": who.Secret, "force_refresh": fresh,
	})
	if err != nil {
		return "", 0, err
	}
	return vendor.GivenToken(body, codes, who.Secret)
}

// Send makes one request: a template message if there is a form id, else a message that the user has subscribed to.
func (c *Client) Send(
	ctx context.Context, who templatemessage.Identity, token string, m templatemessage.Message,
) error {
	path := "/cgi-bin/message/subscribe/send"
	message := map[string]any{"touser": m.To, "template_id": m.TemplateID, "data": vendor.Data(m.Keywords)}
	if m.Page != "" {
		message["page"] = m.Page
	}
	if m.FormID != "" {
		path = "/cgi-bin/message/wxopen/template/send"
		message["form_id"] = m.FormID
	}

	body, err := c.API.PostJSON(ctx, path+"?access_token="+url.QueryEscape(token), message)
	if err != nil {
		return err
	}
	// The vendor's error text may contain the token or the secret: Sent masks both.
	return vendor.Sent(body, codes, token, who.Secret)
}
