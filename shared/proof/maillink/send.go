package maillink

import (
	"context"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/login"
)

// SendVerification sends the user a link that verifies their address. A second mail within a minute is not sent.
//
// Errors: errs.Invalid if the user has no address, has verified it, or the application sends no mails; errs.TooMany after
// 10 mails in a day, and if the application's budget is used up; errs.Conflict if it is unknown whether a mail was sent.
func (s *Links) SendVerification(ctx context.Context, at Place, id user.ID) error {
	a, err := s.Logins.Users.Account(ctx, at.Scope, id)
	switch {
	case err != nil:
		return err
	case a.Email == "":
		return errs.Invalid("the user has no e-mail: set one with PUT /hserve/v2.2/user/account/")
	case a.EmailVerified:
		return errs.Invalid("the e-mail is verified already")
	}
	return s.send(ctx, at, Verify, a)
}

// SendReset sends the user with an address a link that sets a new password. An address that is not verified gets a link
// that verifies it: so its owner can prove it, also if somebody else has registered with it.
//
// Errors: errs.NotFound if no user has the address; errs.Invalid if it is not verified, and those of SendVerification;
// errs.TooMany after 20 requests from one IP address in an hour.
func (s *Links) SendReset(ctx context.Context, at Place, address string) error {
	if err := identifier.CheckEmail(address); err != nil {
		return err
	}
	// The answers tell who has an account (C16), so requests are counted, whatever the answer.
	key := at.Scope.String() + "#attempt#reset#" + login.Network(at.Address)
	if err := s.count(ctx, key, MaxPerAddress, time.Hour, "requests from this address"); err != nil {
		return err
	}
	name := identifier.OfEmail(address)
	owner, err := s.Logins.Users.Accounts.Owner(ctx, at.Scope, name)
	if err != nil {
		return err
	}
	a, err := s.Logins.Users.Accounts.Account(ctx, at.Scope, owner)
	switch {
	case err != nil:
		return err
	case owner == 0 || !a.Has(name):
		return errs.NotFound("no user has this e-mail")
	case a.EmailVerified:
		return s.send(ctx, at, Reset, a)
	}
	if err := s.send(ctx, at, Verify, a); err != nil {
		return err
	}
	return errs.Invalid("the e-mail is not verified: follow the link in the mail to it first, then ask again")
}

// send sends a mail once per Idempotency-Key.
func (s *Links) send(ctx context.Context, at Place, kind Kind, a user.Account) error {
	own, err := s.Settings.Mail(ctx, at.Scope)
	if err != nil {
		return err
	}
	if own.Sender == "" {
		return errs.Invalid("no mail can be sent: set a sender with PUT /oserve/v3/mail-setting/")
	}
	do := func(ctx context.Context) error { return s.limited(ctx, at, kind, a, own) }
	token := writetoken.Of(ctx, "mail-link")
	if token == "" {
		err := do(ctx)
		if errs.Is(err, errs.KindInternal) {
			err = unknown()
		}
		return err
	}

	claim := action.Claim{Run: "link-" + token, Owner: id.Hex(8)}
	state, err := action.Once(ctx, s.Claims, at.Scope, claim, do)
	switch {
	case err != nil || state == action.WasSent:
		return err
	case state == action.Unknown:
		return unknown()
	}
	return s.Claims.Sent(ctx, at.Scope, claim)
}

func unknown() error {
	return errs.Conflict("it is unknown whether the mail was sent: ask for another one in a minute")
}

// limited sends a mail unless the mailbox got one of the kind within a minute: that one is on its way. An errs.Error
// means that nothing was sent.
func (s *Links) limited(ctx context.Context, at Place, kind Kind, a user.Account, own messaging.Mail) error {
	key := at.Scope.String() + "#attempt#mail#" + string(kind) + "#" + string(app.DigestOf(identifier.OfEmail(a.Email).Key))
	minute, day := key+"#minute", key+"#day"
	wait, err := s.Logins.Attempts.Attempt(ctx, minute, 1, time.Minute, s.now())
	if err != nil {
		return action.Unsent(err)
	}
	if wait > 0 {
		return nil
	}
	err = s.count(ctx, day, maxPerDay, 24*time.Hour, "mails to this e-mail")
	if err == nil {
		if err = s.deliver(ctx, at, kind, a, own); errs.Is(err, errs.KindInternal) {
			return err // the mail may have been sent
		}
		if err != nil {
			_ = s.Logins.Attempts.TakeBack(ctx, day) // a lost count costs the mailbox one mail
		}
	}
	if err != nil {
		_ = s.Logins.Attempts.TakeBack(ctx, minute)
	}
	return err
}

// deliver stores a token and sends the mail with it.
func (s *Links) deliver(ctx context.Context, at Place, kind Kind, a user.Account, own messaging.Mail) error {
	token := newToken(at.Application.ClientID.Handle(), at.Scope.Env)
	kept := Kept{
		Digest: app.DigestOf(string(token)), Kind: kind, User: a.UserID, Email: identifier.OfEmail(a.Email).Key,
		Generation: a.Generation, Expires: s.now().Add(validFor[kind]),
	}
	if err := s.Store.PutToken(ctx, at.Scope, kept); err != nil {
		return action.Unsent(err)
	}
	// The mail goes to the stored address: the request may have a text that only compares equal.
	subject, body := text(at, kind, a.Email, at.link(kind, token))
	m, err := email.Request{Recipient: a.Email, Subject: subject, Body: body}.Mail(at.Scope, own)
	if err != nil {
		return err
	}
	_, err = s.Sender.Send(ctx, m)
	if errs.Is(err, errs.KindForbidden) { // the caller is not who can mend it, nor refused for who they are
		err = errs.Invalid("no mail can be sent: confirm the sender with POST /oserve/v3/mail-setting/verification/")
	}
	return err
}

// count counts a request under a key. It returns errs.TooMany if the key has none left.
func (s *Links) count(ctx context.Context, key string, most int, period time.Duration, what string) error {
	wait, err := s.Logins.Attempts.Attempt(ctx, key, most, period, s.now())
	if err == nil && wait > 0 {
		err = login.TooMany(what, wait)
	}
	if err != nil {
		err = action.Unsent(err)
	}
	return err
}

func (s *Links) now() time.Time { return s.Logins.Users.Clock.Now() }
