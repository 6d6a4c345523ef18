package templatemessage

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Settings knows who an environment is at a vendor; *messaging.Settings does.
type Settings interface {
	// Vendor returns errs.NotFound where there is none.
	Vendor(ctx context.Context, scope tenant.Scope, v messaging.Vendor) (messaging.VendorSetting, error)
}

// Accounts opens Accounts.
type Accounts struct {
	Settings Settings
	Gateways map[messaging.Vendor]Gateway
	Tokens   *Tokens
	Sealer   sealed.Sealer
}

// Account is who an environment is at a vendor, for some messages that are sent now. It may be used by several at once.
type Account struct {
	gateway Gateway
	tokens  *Tokens // nil = the vendor gives none
	of      tokenOf

	mu      sync.Mutex
	token   Token
	renewed bool // a token was rejected, and there is another one
}

// Open reads the setting of a vendor. errs.NotFound or errs.Invalid names what is missing. It is one read, and one call of
// KMS if this process has not opened the secret before.
func (s *Accounts) Open(ctx context.Context, scope tenant.Scope, v messaging.Vendor) (*Account, error) {
	setting, err := s.Settings.Vendor(ctx, scope, v)
	if err != nil {
		return nil, err
	}
	secret, err := setting.Secret(ctx, s.Sealer, scope, v)
	switch {
	case err != nil:
		return nil, err
	case setting.AppID == "":
		return nil, errs.Invalid("the message setting of %s has no app_id", v)
	case secret == "":
		return nil, errs.Invalid("the message setting of %s has no %s", v, v.SecretName())
	}

	a := &Account{gateway: s.Gateways[v], of: tokenOf{
		scope: scope, vendor: v, identity: setting.Identity(v),
		who: Identity{AppID: setting.AppID, Secret: secret, PublicKey: setting.PublicKey},
	}}
	// Some vendors sign each request instead of giving an access token.
	if s.Tokens.Givers[v] != nil {
		a.tokens = s.Tokens
	}
	return a, nil
}

// Send sends one message; its errors are those of Gateway.Send, and errs.Conflict where another instance is asking for
// an access token: soon there is one. A token that the vendor rejects is replaced once.
func (a *Account) Send(ctx context.Context, m Message) error {
	token, err := a.current(ctx)
	if err != nil {
		return err
	}
	err = a.gateway.Send(ctx, a.of.who, token.Value, m)
	if refusal, ok := errors.AsType[*Refusal](err); !ok || refusal.Verdict != BadToken || a.tokens == nil {
		return err
	}

	next, renewed := a.renew(ctx, token)
	if renewed != nil {
		return renewed
	}
	if next.Version == token.Version { // it is the second one that is rejected
		return err
	}
	return a.gateway.Send(ctx, a.of.who, next.Value, m)
}

// current returns the token that the account uses.
func (a *Account) current(ctx context.Context) (Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tokens == nil || a.token.Version > 0 {
		return a.token, nil
	}
	var err error
	a.token, err = a.tokens.get(ctx, a.of, 0)
	return a.token, noToken(err)
}

// noToken makes an errs.Error of every error: without a token nothing was sent.
func noToken(err error) error {
	if errs.Is(err, errs.KindInternal) {
		return fmt.Errorf("%w: %w", errs.Unavailable(0, "there is no access token now"), err)
	}
	return err
}

// renew returns the token after one that was rejected, or that one where it has been replaced before.
func (a *Account) renew(ctx context.Context, rejected Token) (Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token.Version > rejected.Version || a.renewed {
		return a.token, nil
	}
	next, err := a.tokens.get(ctx, a.of, rejected.Version)
	if err != nil {
		return Token{}, noToken(err)
	}
	a.token, a.renewed = next, true
	return next, nil
}
