// Package alt sends template messages on the platform of alt (Alipay's API for mini programs). Requests are signed by
// the application's key; there are no access tokens.
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

// Client is the templatemessage.Gateway.
type Client struct {
	API   *vendor.Client
	Clock clock.Clock
}

var _ templatemessage.Gateway = (*Client)(nil)

// New returns a client of the API at that address, https://openapi.alipay.com.
func New(base string, now clock.Clock) *Client { return &Client{API: vendor.New(base), Clock: now} }

const (
	sendMethod = "alipay.open.app.mini.templatemessage.send"
	sendAnswer = "alipay_open_app_mini_templatemessage_send_response"
)

// Send is one request. The token is not used.
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
	// The vendor wants JSON texts inside JSON: keywords in data, and all of it in biz_content.
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

// codes of the gateway, but for what the business says.
const (
	success = "10000"
	unknown = "20000" // the vendor does not know itself what became of it
	limited = "40005"
	refused = "40004" // sub_code says why
)

func read(who templatemessage.Identity, body []byte, now time.Time) error {
	var answer map[string]json.RawMessage
	if err := vendor.Decode(body, &answer); err != nil {
		return err
	}
	said, sign := answer[sendAnswer], ""
	if said == nil {
		said = answer["error_response"] // of the gateway: it did not come to the method
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
	// An answer that is not the vendor's says nothing about what the vendor did. A refusal of the request's own
	// signature comes without one.
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

// verdict says what a refusal means. Business codes come in families: those of form ids and payments, and those of
// templates and keywords; any other one is a no to this user.
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
