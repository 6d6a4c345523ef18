// Package alt sends template messages through alt (Alipay's API for mini programs), and logs its users in. Requests are
// signed with the application's key; there are no access tokens.
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

// New returns a client of the API at base, in production https://openapi.alipay.com; see vendor.New.
func New(base string, private bool, now clock.Clock) *Client {
	return &Client{API: vendor.New(base, private), Clock: now}
}

const sendMethod = "alipay.open.app.mini.templatemessage.send"

// Send makes one request. It does not use the token.
func (c *Client) Send(ctx context.Context, who templatemessage.Identity, _ string, m templatemessage.Message) error {
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

	answer, err := c.post(ctx, who, sendMethod, form)
	if err != nil {
		return err
	}
	return answer.sent()
}

// post makes one request and returns the verified answer of its method.
func (c *Client) post(ctx context.Context, who templatemessage.Identity, method, form string) (answer, error) {
	body, err := c.API.At(who.BaseURL).PostForm(ctx, "/gateway.do", form)
	if err != nil {
		return answer{}, err
	}
	return read(who, method, body, c.Clock.Now())
}

// Result codes of the gateway; sub_code has the business error.
const (
	success = "10000"
	unknown = "20000" // the vendor does not know the result
	limited = "40005"
	refused = "40004" // sub_code has the reason
)

// answer is the verified answer of a method.
type answer struct {
	Code    string `json:"code"` // "" for methods that return a code only with errors
	Message string `json:"msg"`
	SubCode string `json:"sub_code"`
	SubMsg  string `json:"sub_msg"`

	said json.RawMessage // all of it
}

func read(who templatemessage.Identity, method string, body []byte, now time.Time) (a answer, err error) {
	var whole map[string]json.RawMessage
	if err := vendor.Decode(body, &whole); err != nil {
		return a, err
	}
	said, sign := whole[strings.ReplaceAll(method, ".", "_")+"_response"], ""
	if said == nil {
		said = whole["error_response"] // an error of the gateway, before the method was called
	}
	if err := vendor.Decode(said, &a); err != nil {
		return a, err
	}
	a.said = said

	// A response with a wrong signature does not prove what the vendor did. A refusal because of the request's own
	// signature is not signed.
	if text := whole["sign"]; text != nil {
		if err := vendor.Decode(text, &sign); err != nil {
			return a, err
		}
	}
	if who.PublicKey != "" && (sign != "" || a.Code == success || a.Code == "") {
		key, err := rsakey.Public(who.PublicKey, now)
		if err != nil {
			return a, vendor.Unknown("its answer cannot be verified by public_key: " + errs.Message(err))
		}
		if rsakey.Verify(key, string(said), sign) != nil {
			return a, vendor.Unknown("the signature of its answer is wrong")
		}
	}
	return a, nil
}

// sent returns the result of a message.
func (a answer) sent() error {
	switch a.Code {
	case success:
		return nil
	case unknown, "":
		return vendor.Unknown("it says " + vendor.Words(a.SubCode+" "+a.SubMsg))
	}
	return a.refusal()
}

func (a answer) refusal(secrets ...string) *templatemessage.Refusal {
	return &templatemessage.Refusal{
		Verdict: verdict(a.Code, a.SubCode), Code: strings.TrimSpace(a.Code + " " + a.SubCode),
		Message: vendor.Words(a.Message+": "+a.SubMsg, secrets...), After: after(a.Code),
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
