package templatemessage

import (
	"context"
	"errors"
	"fmt"

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

// Account is who an environment is at a vendor, for some messages that are sent now, one after the other.
type Account struct {
	gateway Gateway
	tokens  *Tokens // nil = the vendor gives none
	of      tokenOf
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
	if a.tokens != nil && a.token.Version == 0 {
		if err := a.take(ctx); err != nil {
			return err
		}
	}
	err := a.gateway.Send(ctx, a.of.who, a.token.Value, m)
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok || refusal.Verdict != BadToken || a.tokens == nil || a.renewed {
		return err
	}

	// A second token that is rejected is not replaced: the vendor would be asked on and on.
	if err := a.take(ctx); err != nil {
		return err
	}
	a.renewed = true
	return a.gateway.Send(ctx, a.of.who, a.token.Value, m)
}

// take has the account use a token that is later than its own. Without a token nothing was sent, so every error is an
// errs.Error.
func (a *Account) take(ctx context.Context) error {
	next, err := a.tokens.get(ctx, a.of, a.token.Version)
	if errs.Is(err, errs.KindInternal) {
		err = fmt.Errorf("%w: %w", errs.Unavailable(0, "there is no access token now"), err)
	}
	if err == nil {
		a.token = next
	}
	return err
}
