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

// Settings reads the setting of an environment at a vendor; *messaging.Settings implements it.
type Settings interface {
	// Vendor returns errs.NotFound if the setting does not exist.
	Vendor(ctx context.Context, scope tenant.Scope, v messaging.Vendor) (messaging.VendorSetting, error)
}

// Accounts opens the accounts of environments at vendors.
type Accounts struct {
	Settings Settings
	Gateways map[messaging.Vendor]Gateway
	Tokens   *Tokens
	Sealer   sealed.Sealer
}

// Account is the account of one environment at one vendor. It is not safe for concurrent use.
type Account struct {
	Identity Identity
	Setting  messaging.VendorSetting
	gateway  Gateway
	tokens   *Tokens // nil = the vendor has no access tokens
	of       tokenOf
	token    Token
	renewed  bool // the vendor rejected a token, and it was replaced
}

// Open reads the setting of a vendor. It returns errs.NotFound or errs.Invalid that names what is missing. It costs one
// read, and one call of KMS if this process has not decrypted the secret before.
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

	who := Identity{AppID: setting.AppID, Secret: secret, PublicKey: setting.PublicKey, BaseURL: setting.BaseURL}
	a := &Account{Identity: who, Setting: setting, gateway: s.Gateways[v], of: tokenOf{
		scope: scope, vendor: v, identity: setting.Identity(v), who: who,
	}}
	// Some vendors use signed requests instead of access tokens.
	if s.Tokens.Givers[v] != nil {
		a.tokens = s.Tokens
	}
	return a, nil
}

// Ready gets the access token that Send needs, once. A caller that has something to claim calls it before, because
// without a token it would have to return the claim. It returns errs.Conflict while another instance requests a token.
func (a *Account) Ready(ctx context.Context) error {
	if a.tokens == nil || a.token.Version > 0 {
		return nil
	}
	return a.take(ctx)
}

// Send sends one message. It returns the errors of Ready and of Gateway.Send. It replaces a token once if the vendor
// rejects it.
func (a *Account) Send(ctx context.Context, m Message) error {
	return a.Call(ctx, func(token string) error { return a.gateway.Send(ctx, a.Identity, token, m) })
}

// Call makes a request with the account's access token, "" for a vendor without tokens. It repeats request once with
// another token if the vendor rejects the first: request then returns a *Refusal with BadToken.
func (a *Account) Call(ctx context.Context, request func(token string) error) error {
	if err := a.Ready(ctx); err != nil {
		return err
	}
	err := request(a.token.Value)
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok || refusal.Verdict != BadToken || a.tokens == nil || a.renewed {
		return err
	}

	// Replace only one rejected token: otherwise a vendor that rejects all tokens would be asked without end.
	if err := a.take(ctx); err != nil {
		return err
	}
	a.renewed = true
	return request(a.token.Value)
}

// take gets a token that is newer than the account's. Without a token nothing was sent, so every error is an
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
