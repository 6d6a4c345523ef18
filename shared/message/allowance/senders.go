package allowance

import (
	"context"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
)

// Record is a DNS record that the owner of a domain must add.
type Record struct {
	Name  string `dynamodbav:"name"`
	Type  string `dynamodbav:"type"`
	Value string `dynamodbav:"value"`
}

// Identity is an address or a domain at the mail service, which sends for no other.
type Identity struct {
	Name     string // in lower case
	Verified bool
	Failed   bool     // the owner did not follow the link in time
	Records  []Record // of a domain
}

// Identities are the identities of the mail service.
type Identities interface {
	// Identity returns errs.NotFound if it was never created.
	Identity(ctx context.Context, name string) (Identity, error)
	// CreateIdentity creates an identity: the service writes to an address, or waits for the records of a domain.
	CreateIdentity(ctx context.Context, name string) (Identity, error)
	// DeleteIdentity deletes an identity that is not verified, so that it can be created again.
	DeleteIdentity(ctx context.Context, name string) error
	// Admit lets an application send with an identity. Application 0 is the platform, which sends codes.
	Admit(ctx context.Context, app tenant.AppID, name string) error
	// SendCode sends a mail from an address to itself, in the name of the platform.
	SendCode(ctx context.Context, address, subject, body string) error
}

// Sender is what is known of a sender of an application.
type Sender struct {
	Address     string // Mailbox
	Status      Status
	Reason      string // why it is closed
	Records     []Record
	ConfirmedAt time.Time
	ClosedAt    time.Time
	Code        string // SHA-256 of the pending code in hex, "" for none
	CodeExpires time.Time
	Token       string // write token of the request that sent the code or confirmed it
	Reputation  Reputation
}

// SenderStore stores the senders of applications. Each change compares the stored code or status, so that of two
// concurrent changes one gets errs.Conflict.
type SenderStore interface {
	// Sender returns a sender by its Key, errs.NotFound if it was never verified.
	Sender(ctx context.Context, app tenant.AppID, key string) (Sender, error)
	// AskSender stores a sender that is not confirmed, with its new code. It returns errs.Conflict for a confirmed or
	// closed one, and if it has stored one with the same token.
	AskSender(ctx context.Context, app tenant.AppID, s Sender) error
	// ConfirmSender confirms a sender whose stored code is code, and removes the code.
	ConfirmSender(ctx context.Context, app tenant.AppID, s Sender, code string) error
	// CloseSender closes a confirmed sender.
	CloseSender(ctx context.Context, app tenant.AppID, key, reason string, at time.Time) error
	// ReopenSender confirms a closed sender again, and counts its mails from zero.
	ReopenSender(ctx context.Context, app tenant.AppID, key string) error
}

// Senders confirms the senders of applications. The mail service sends for everything that the account has verified, so
// that is no proof for one application: each reads a code from the mailbox itself.
type Senders struct {
	*Allowance // counts the requests to verify
	Identities Identities
}

// State returns the state of a sender of the mail setting; an empty one has no status.
func (s *Senders) State(ctx context.Context, app tenant.AppID, sender string) (Sender, error) {
	if sender == "" {
		return Sender{}, nil
	}
	mailbox, err := messaging.Mailbox(sender)
	if err != nil {
		return Sender{}, errs.Invalid("sender %s", errs.Message(err))
	}
	state, err := s.Store.Sender(ctx, app, Key(mailbox))
	if errs.Is(err, errs.KindNotFound) {
		return Sender{Address: mailbox, Status: Unconfirmed}, nil
	}
	if err != nil || state.Status != Confirmed && state.Status != Closed {
		return state, err
	}
	c, err := s.Store.Count(ctx, app, Mails, Key(mailbox))
	state.Reputation = c.Sender
	return state, err
}

// verificationsPerDay bounds the mails that an application can have sent to an address which may not be its own.
const verificationsPerDay = 20

// Verify verifies the sender of the mail setting at the mail service, and sends it a code once that is done. byDomain
// verifies the domain instead of the address; its records come back. A repeated call continues, or sends a new code.
// It returns errs.Invalid if there is no sender, errs.Conflict if it needs no code, and errs.TooMany after 20 calls a
// day.
func (s *Senders) Verify(ctx context.Context, app tenant.AppID, sender string, byDomain bool) (Sender, error) {
	state, err := s.State(ctx, app, sender)
	token := writetoken.Of(ctx, "verify-sender")
	switch {
	case err != nil:
		return state, err
	case token != "" && state.Token == token: // this request has sent the code
		return state, nil
	case state.Address == "":
		return state, errs.Invalid("sender: set one with PUT /oserve/v3/mail-setting/")
	case state.Status == Confirmed:
		return state, nil
	case state.Status == Closed:
		return state, errs.Conflict("the sender %s is closed: an administrator can reopen it", state.Address)
	}

	asked := Spending{N: 1, Most: verificationsPerDay}
	if _, err := s.spend(ctx, app, Verifications, &asked); err != nil {
		return state, err
	}
	if asked.N == 0 {
		return state, usedUp(Verifications, verificationsPerDay)
	}
	identity, err := s.identity(ctx, state.Address, byDomain)
	if err != nil {
		return state, err
	}
	state.Token = token
	return s.ask(ctx, app, state, identity)
}

// identity returns the identity with which the mail service will send for an address. A verified domain takes
// precedence, because the service prefers an address: creating one would take it from applications that use the domain.
func (s *Senders) identity(ctx context.Context, address string, byDomain bool) (Identity, error) {
	domain := domainOf(address)
	of, err := s.Identities.Identity(ctx, domain)
	missing := errs.Is(err, errs.KindNotFound)
	switch {
	case err == nil && (of.Verified || byDomain && !of.Failed):
		return of, nil
	case err != nil && !missing:
		return of, err
	case byDomain:
		return s.create(ctx, domain, of.Failed)
	}

	of, err = s.Identities.Identity(ctx, address)
	if err == nil && !of.Failed || err != nil && !errs.Is(err, errs.KindNotFound) {
		return of, err
	}
	return s.create(ctx, address, of.Failed)
}

// create creates an identity. The mail service verifies a failed one again only after it was deleted.
func (s *Senders) create(ctx context.Context, name string, failed bool) (Identity, error) {
	if failed {
		if err := s.Identities.DeleteIdentity(ctx, name); err != nil {
			return Identity{}, err
		}
	}
	return s.Identities.CreateIdentity(ctx, name)
}

// ask stores the state of a verification, and sends a code if the identity is verified.
func (s *Senders) ask(ctx context.Context, app tenant.AppID, state Sender, of Identity) (Sender, error) {
	state.Records, state.Status, state.Code = of.Records, Verifying, ""
	code := newCode()
	if of.Verified {
		state.Status, state.Code, state.CodeExpires = CodeSent, digestOf(code), s.Clock.Now().Add(codeValid)
	}
	// Store the code first: a code that arrives must be known, and of concurrent repetitions only one sends.
	err := s.Store.AskSender(ctx, app, state)
	if errs.Is(err, errs.KindConflict) {
		if stored, failed := s.State(ctx, app, state.Address); failed == nil && state.Token != "" && stored.Token == state.Token {
			return stored, nil
		}
	}
	if err != nil || !of.Verified {
		return state, err
	}

	if err := s.admit(ctx, 0, state.Address); err != nil {
		return state, err
	}
	subject, body := codeMail(state.Address, app, code)
	return state, s.Identities.SendCode(ctx, state.Address, subject, body)
}

// admit lets an application send with every identity that the mail service may choose for an address.
func (s *Senders) admit(ctx context.Context, app tenant.AppID, address string) error {
	known := 0
	for _, name := range []string{address, domainOf(address)} {
		of, err := s.Identities.Identity(ctx, name)
		if errs.Is(err, errs.KindNotFound) {
			continue
		}
		if err == nil {
			err = s.Identities.Admit(ctx, app, of.Name)
		}
		if err != nil {
			return err
		}
		known++
	}
	if known == 0 {
		return errs.Conflict("the identity of %s was deleted: verify it again", address)
	}
	return nil
}

// domainOf returns the part after the last @: a quoted local part may contain another.
func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

// errCode is the error of every rejected code. It does not reveal the reason.
var errCode = errs.Invalid("code is wrong or has expired")

// Confirm confirms the sender of the mail setting with the code that was sent to it. A code is valid for one
// application, once, for a day. It returns errs.Invalid for any other code.
func (s *Senders) Confirm(ctx context.Context, app tenant.AppID, sender, code string) (Sender, error) {
	state, err := s.State(ctx, app, sender)
	token := writetoken.Of(ctx, "confirm-sender")
	switch {
	case err != nil:
		return state, err
	case token != "" && state.Token == token: // this request has confirmed it
		return state, nil
	case !state.accepts(code, s.Clock.Now()):
		return state, errCode
	}

	// Admit first: a confirmed sender that the mail service refuses would need another code.
	if err := s.admit(ctx, app, state.Address); err != nil {
		return state, err
	}
	used := state.Code
	state.Token = token
	state.Status, state.Code, state.ConfirmedAt = Confirmed, "", s.Clock.Now()
	err = s.Store.ConfirmSender(ctx, app, state, used)
	if errs.Is(err, errs.KindConflict) { // a concurrent request used the code, or asked for another one
		stored, err := s.State(ctx, app, sender)
		if err == nil && (token == "" || stored.Token != token) {
			err = errCode
		}
		return stored, err
	}
	return state, err
}

// Reopen confirms a closed sender again. Its mails are counted from zero. A sender that is not closed stays as it is.
func (s *Senders) Reopen(ctx context.Context, app tenant.AppID, sender string) (Sender, error) {
	state, err := s.State(ctx, app, sender)
	if err != nil || state.Status != Closed {
		return state, err
	}
	err = s.Store.ReopenSender(ctx, app, Key(state.Address))
	if err != nil && !errs.Is(err, errs.KindConflict) { // a concurrent request reopened it
		return state, err
	}
	return s.State(ctx, app, sender)
}
