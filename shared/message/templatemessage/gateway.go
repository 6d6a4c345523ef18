package templatemessage

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/errs"
)

// Message is one message to one user.
type Message struct {
	To         string // the user's id at the vendor
	TemplateID string // id at the vendor
	FormID     string // "" = the user has subscribed to the template (chat, tpay)
	Page       string // page of the mini program that a tap opens; "" = none
	Keywords   map[string]string
}

// Identity authenticates an application to a vendor.
type Identity struct {
	AppID     string
	Secret    string // messaging.AppSecret or messaging.PrivateKey
	PublicKey string // the vendor's, "" = its responses are not verified
	BaseURL   string // of the vendor's API, "" = the deployment's
}

// Gateway sends messages through one vendor.
type Gateway interface {
	// Send sends one message; token is "" for a vendor without tokens. A *Refusal means that the vendor rejected the
	// message, any errs.Error that nothing was sent. After any other error it is unknown whether the message was sent.
	Send(ctx context.Context, who Identity, token string, m Message) error
}

// TokenGiver requests access tokens of one vendor.
type TokenGiver interface {
	// Token requests an access token. With fresh it asks for a token other than the previous one. It returns
	// errs.Invalid if the vendor rejects the identity; other errors are retryable.
	Token(ctx context.Context, who Identity, fresh bool) (token string, lifetime time.Duration, err error)
}

// Verdict is the meaning of a refusal.
type Verdict int

// The verdicts.
const (
	Later    Verdict = iota // retry later, not before After
	BadToken                // the access token is not valid, or no longer
	BadForm                 // the form id is rejected; another one may be accepted
	BadUser                 // the user is rejected, with any form id
	Never                   // rejected for all users: because of the template, a keyword or the account
)

// Refusal is the error of a message that the vendor rejected: nothing was sent.
type Refusal struct {
	Verdict Verdict
	Code    string        // error code of the vendor
	Message string        // error text of the vendor, without secrets
	After   time.Duration // for Later: the shortest wait
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("the vendor refuses it (%s): %s", r.Code, r.Message)
}

// Unwrap returns the errs.Error for callers that do not know refusals.
func (r *Refusal) Unwrap() error {
	switch r.Verdict {
	case Later:
		return errs.TooMany(int(r.After/time.Second), "%s", r.Error())
	case BadToken:
		return errs.Unavailable(0, "%s", r.Error())
	}
	return errs.Invalid("%s", r.Error())
}
