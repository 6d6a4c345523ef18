package templatemessage

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/errs"
)

// Message is one message to one user.
type Message struct {
	To         string // who the user is at the vendor
	TemplateID string // the vendor's
	FormID     string // "" = the user has subscribed to what the template says (chat, tpay)
	Page       string // of the mini program, where a tap leads; "" = nowhere
	Keywords   map[string]string
}

// Identity proves to a vendor who asks.
type Identity struct {
	AppID     string
	Secret    string // messaging.AppSecret or messaging.PrivateKey
	PublicKey string // the vendor's, "" = its answers are not verified
}

// Gateway sends messages of one vendor.
type Gateway interface {
	// Send sends one message; token is "" for a vendor that gives none. A *Refusal says that the vendor did not take
	// it, any errs.Error that nothing was sent. Of other errors nobody knows whether it was sent.
	Send(ctx context.Context, who Identity, token string, m Message) error
}

// TokenGiver gives access tokens of one vendor.
type TokenGiver interface {
	// Token asks for an access token. fresh wants another one than the one that was given before. errs.Invalid says
	// that the vendor does not take the identity, other errors may pass.
	Token(ctx context.Context, who Identity, fresh bool) (token string, lifetime time.Duration, err error)
}

// Verdict says what a refusal means.
type Verdict int

// The verdicts.
const (
	Later    Verdict = iota // it may be taken later, not before After
	BadToken                // the access token is not valid, or not any more
	BadForm                 // not for this form id; another one may do
	BadUser                 // not for this user, whatever the form id
	Never                   // a message like this is taken for nobody: the template, a keyword, the account
)

// Refusal is a vendor's no: nothing was sent.
type Refusal struct {
	Verdict Verdict
	Code    string        // the vendor's
	Message string        // in the vendor's words, no secrets
	After   time.Duration // of Later: not before that
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("the vendor refuses it (%s): %s", r.Code, r.Message)
}

// Unwrap is what the refusal is for who knows only kinds of errors.
func (r *Refusal) Unwrap() error {
	switch r.Verdict {
	case Later:
		return errs.TooMany(int(r.After/time.Second), "%s", r.Error())
	case BadToken:
		return errs.Unavailable(0, "%s", r.Error())
	}
	return errs.Invalid("%s", r.Error())
}
