package vendor

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/message/templatemessage"
)

// Platform sends messages through chat or tpay, logs their users in and checks what they write. Their APIs differ only in
// paths, codes and the request of a token.
type Platform struct {
	API  *Client
	Name string // chat or tpay, for errors
	// AskToken requests an access token.
	AskToken func(ctx context.Context, who templatemessage.Identity, fresh bool) (body []byte, err error)
	// Template is the method for messages with a form id, Subscribed that for messages that the user has subscribed to.
	Template, Subscribed Method
	WithAppID            bool // messages and checks contain the app id
	// TextCheck and ImageCheck are the paths of checks.
	TextCheck, ImageCheck string
	TextsOfUsers          bool // texts are checked in the context of their user
}

// Method is the path of a request, and the meanings of the error codes in its response.
type Method struct {
	Path  string
	Codes map[int64]Meaning
}

// Token implements templatemessage.TokenGiver.
func (p *Platform) Token(ctx context.Context, who templatemessage.Identity, fresh bool) (string, time.Duration, error) {
	body, err := p.AskToken(ctx, who, fresh)
	if err != nil {
		return "", 0, err
	}
	return givenToken(body, p.Template.Codes, who.Secret)
}

// Send makes one request: a template message if there is a form id, else a message that the user has subscribed to.
func (p *Platform) Send(
	ctx context.Context, who templatemessage.Identity, token string, m templatemessage.Message,
) error {
	method := p.Subscribed
	message := map[string]any{"touser": m.To, "template_id": m.TemplateID, "data": Data(m.Keywords)}
	if m.FormID != "" {
		method = p.Template
		message["form_id"] = m.FormID
	}
	if m.Page != "" {
		message["page"] = m.Page
	}
	if p.WithAppID {
		message["appid"] = who.AppID
	}

	body, err := p.API.At(who.BaseURL).PostJSON(ctx, method.Path+"?access_token="+url.QueryEscape(token), message)
	if err != nil {
		return err
	}
	// The vendor's error text may contain the token or the secret: sent masks both.
	return sent(body, method.Codes, token, who.Secret)
}

// answer is the response format. An errcode of 0, or none, means success.
type answer struct {
	Code    *int64 `json:"errcode"`
	Message string `json:"errmsg"`
	Token   string `json:"access_token"`
	Expires int64  `json:"expires_in"` // seconds
}

// Meaning is the meaning of an error code; After is only for templatemessage.Later.
type Meaning struct {
	Verdict templatemessage.Verdict
	After   time.Duration
}

// sent reads the response to a message. An unknown code rejects this user only, so that other users get their messages.
func sent(body []byte, codes map[int64]Meaning, secrets ...string) error {
	var a answer
	if err := Decode(body, &a); err != nil {
		return err
	}
	if a.Code == nil {
		return Unknown("its answer has no errcode")
	}
	if refusal := a.refusal(codes, secrets...); refusal != nil {
		return refusal
	}
	return nil
}

// refusal returns the refusal in an answer, nil for a success. An unknown code rejects this user or code only.
func (a answer) refusal(codes map[int64]Meaning, secrets ...string) *templatemessage.Refusal {
	if a.Code == nil || *a.Code == 0 {
		return nil
	}
	meaning, known := codes[*a.Code]
	if !known {
		meaning.Verdict = templatemessage.BadUser
	}
	return &templatemessage.Refusal{
		Verdict: meaning.Verdict, Code: strconv.FormatInt(*a.Code, 10), Message: Words(a.Message, secrets...),
		After: meaning.After,
	}
}

// givenToken reads the response to a token request. It returns errs.Unavailable for a code that means
// templatemessage.Later; any other code means that the vendor rejects app_id and secret: errs.Invalid.
func givenToken(body []byte, codes map[int64]Meaning, secrets ...string) (string, time.Duration, error) {
	var a answer
	if err := Decode(body, &a); err != nil {
		return "", 0, errs.Unavailable(0, "the vendor gave no access token that can be read")
	}
	if a.Code == nil || *a.Code == 0 {
		return a.Token, time.Duration(a.Expires) * time.Second, nil
	}

	// The vendor's error text may contain the secret.
	words := Words(a.Message, secrets...)
	if meaning, known := codes[*a.Code]; known && meaning.Verdict == templatemessage.Later {
		return "", 0, errs.Unavailable(0, "the vendor gives no access token now (%d): %s", *a.Code, words)
	}
	return "", 0, errs.Invalid("the vendor gives no access token for app_id and app_secret (%d): %s", *a.Code, words)
}

// Data returns the keywords in the format that all vendors use.
func Data(keywords map[string]string) map[string]map[string]string {
	data := make(map[string]map[string]string, len(keywords))
	for name, text := range keywords {
		data[name] = map[string]string{"value": text}
	}
	return data
}
