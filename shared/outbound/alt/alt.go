// Package alt sends template messages through alt (Alipay's API for mini programs). Requests are signed with the
// application's key; there are no access tokens.
package alt

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/vendor"
	"minicloud/shared/secret/rsakey"
)

// Client implements templatemessage.Gateway.
type Client struct {
	API   *vendor.Client
	Clock clock.Clock
}

var _ templatemessage.Gateway = (*Client)(nil)

// New returns a client of the API at base, in production https://openapi.alipay.com.
func New(base string, now clock.Clock) *Client { return &Client{API: vendor.New(base), Clock: now} }

const (
	sendMethod = "alipay.open.app.mini.templatemessage.send"
	sendAnswer = "alipay_open_app_mini_templatemessage_send_response"
)

// Send makes one request. It does not use the token.
func (c *Client) Send(
	ctx context.Context, who templatemessage.Identity, _ string, m templatemessage.Message,
) error {
	if m.FormID == "" {
		return errs.Invalid("alt sends no message without a form id")
	}
	data, err := json.Marshal(vendor.Data(m.Keywords))
	if err != nil {
		return errs.Invalid("keywords are no texts")
	}
	// The vendor expects JSON encoded as strings inside JSON: the keywords in data, and everything in biz_content.
	form, err := payment.SignForm(who.AppID, who.Secret, sendMethod, map[string]string{
		"to_user_id": m.To, "form_id": m.FormID, "user_template_id": m.TemplateID, "page": m.Page, "data": string(data),
	}, c.Clock.Now())
	if err != nil {
		return err
	}

	body, err := c.API.PostForm(ctx, "/gateway.do", form)
	if err != nil {
		return err
	}
	return read(who, body, c.Clock.Now())
}

// Result codes of the gateway; sub_code has the business error.
const (
	success = "10000"
	unknown = "20000" // the vendor does not know the result
	limited = "40005"
	refused = "40004" // sub_code has the reason
)

func read(who templatemessage.Identity, body []byte, now time.Time) error {
	var answer map[string]json.RawMessage
	if err := vendor.Decode(body, &answer); err != nil {
		return err
	}
	said, sign := answer[sendAnswer], ""
	if said == nil {
		said = answer["error_response"] // an error of the gateway, before the method was called
	}
	var response struct {
		Code    string `json:"code"`
		Message string `json:"msg"`
		SubCode string `json:"sub_code"`
		SubMsg  string `json:"sub_msg"`
	}
	if err := vendor.Decode(said, &response); err != nil {
		return err
	}
	// A response with a wrong signature does not prove what the vendor did. A refusal because of the request's own
	// signature is not signed.
	if text := answer["sign"]; text != nil {
		if err := vendor.Decode(text, &sign); err != nil {
			return err
		}
	}
	if who.PublicKey != "" && (sign != "" || response.Code == success) {
		key, err := rsakey.Public(who.PublicKey, now)
		if err != nil {
			return vendor.Unknown("its answer cannot be verified by public_key: " + errs.Message(err))
		}
		if rsakey.Verify(key, string(said), sign) != nil {
			return vendor.Unknown("the signature of its answer is wrong")
		}
	}

	switch response.Code {
	case success:
		return nil
	case unknown, "":
		return vendor.Unknown("it says " + vendor.Words(response.SubCode+" "+response.SubMsg))
	}
	return &templatemessage.Refusal{
		Verdict: verdict(response.Code, response.SubCode), Code: strings.TrimSpace(response.Code + " " + response.SubCode),
		Message: vendor.Words(response.Message + ": " + response.SubMsg), After: after(response.Code),
	}
}

// verdict maps a result code to a verdict. Business codes have prefixes: those of form ids and payments, and those of
// templates and keywords. Any other business code rejects this user.
func verdict(code, sub string) templatemessage.Verdict {
	switch {
	case code == limited:
		return templatemessage.Later
	case code != refused:
		return templatemessage.Never // parameters, signature, permission
	case strings.HasPrefix(sub, "FORM_ID_"), strings.HasPrefix(sub, "TRADE_NO_"):
		return templatemessage.BadForm
	case strings.HasPrefix(sub, "USER_TEMPLATE_"), strings.HasPrefix(sub, "USER_KEYWORD_"):
		return templatemessage.Never
	}
	return templatemessage.BadUser
}

func after(code string) time.Duration {
	if code == limited {
		return time.Minute
	}
	return 0
}
