package vendor

import (
	"strconv"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/message/templatemessage"
)

// Answer is the response format of chat and tpay. An errcode of 0, or none, means success.
type Answer struct {
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

// Sent reads the response to a message. An unknown code rejects this user only, so that other users get their messages.
func Sent(body []byte, codes map[int64]Meaning, secrets ...string) error {
	var a Answer
	if err := Decode(body, &a); err != nil {
		return err
	}
	if a.Code == nil {
		return Unknown("its answer has no errcode")
	}
	if *a.Code == 0 {
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

// GivenToken reads the response to a token request. It returns errs.Unavailable for a code that means
// templatemessage.Later; any other code means that the vendor rejects app_id and secret: errs.Invalid.
func GivenToken(body []byte, codes map[int64]Meaning, secrets ...string) (string, time.Duration, error) {
	var a Answer
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
