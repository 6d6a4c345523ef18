package idp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

// Web logs users of web pages in by redirects (C14):
//
//	page      POST redirect/      Begin: the address of the provider's page, with a state
//	browser   provider's page     the user consents
//	browser   GET callback/       Arrive: trades the code for an identity, and redirects to the page with an auth token
//	page      POST authenticate/  Login, or Link: spends the auth token
type Web struct {
	Settings *messaging.Settings
	Store    WebStore
	// Providers returns the port to a provider.
	Providers func(messaging.Provider) WebProvider
	Logins    *login.Service
	Clock     clock.Clock
}

// WebRedirect is a visit of the provider's page.
type WebRedirect struct {
	Callback string // ours
	State    string
	Silent   bool // only the identity is needed: ask the user as little as possible
}

// WebProvider is the port to a login provider.
type WebProvider interface {
	// AuthorizeURL returns the address of the provider's page.
	AuthorizeURL(ctx context.Context, a messaging.LoginAccount, r WebRedirect) (string, error)
	// Identify trades the code that the provider's page gave for an identity, with the profile unless Silent. It returns
	// errs.Invalid if the provider refuses the code, and errs.Unavailable if it gives no answer that can be read.
	Identify(ctx context.Context, a messaging.LoginAccount, r WebRedirect, code string) (Identity, error)
}

// WebStore stores states and auth tokens by their digests, as proofs that are spent once.
type WebStore interface {
	// PutSecret stores a value until the given time.
	PutSecret(ctx context.Context, scope tenant.Scope, key string, value []byte, until time.Time) error
	// Secret returns a value and the request that spent it, "" = none. It returns errs.NotFound if there is none or it has
	// expired.
	Secret(ctx context.Context, scope tenant.Scope, key string, now time.Time) (value []byte, spentBy string, err error)
	// SpendSecret returns a value and spends it: of concurrent calls one succeeds, the others get errs.NotFound.
	SpendSecret(ctx context.Context, scope tenant.Scope, key string, now time.Time) ([]byte, error)
}

const (
	stateLifetime = 15 * time.Minute // the user may have to scan a code and log in
	tokenLifetime = 5 * time.Minute  // C14
)

// WebBegin is the request for a redirect.
type WebBegin struct {
	Provider messaging.Provider
	// CallbackURL is the page to which the user returns.
	CallbackURL string
	Silent      bool
	// Challenge is the base64url SHA-256 of a verifier that the page keeps (RFC 7636, S256); "" = none.
	Challenge string
	// Base is the address of this deployment, and User the caller, 0 = nobody.
	Base  string
	User  int64
	Hosts []string // allowed for CallbackURL
}

// visit is what a state stands for.
type visit struct {
	Provider  messaging.Provider `json:"provider"`
	Page      string             `json:"page"`
	Callback  string             `json:"callback"`
	Silent    bool               `json:"silent,omitempty"`
	Challenge string             `json:"challenge,omitempty"`
	User      int64              `json:"user,omitempty"`
}

// arrival is what an auth token stands for.
type arrival struct {
	visit
	Identity Identity `json:"identity"`
}

// CallbackPath returns the path to which a provider redirects.
func CallbackPath(p messaging.Provider) string { return "/hserve/v2.0/idp/" + string(p) + "/callback/" }

// Begin returns the address of the provider's page. It returns errs.Invalid for a page that is not allowed and a provider
// without settings.
func (s *Web) Begin(ctx context.Context, scope tenant.Scope, in WebBegin) (string, error) {
	page, err := callbackURL(in.CallbackURL, in.Hosts)
	if err != nil {
		return "", err
	}
	if in.Challenge != "" && len(in.Challenge) != base64.RawURLEncoding.EncodedLen(sha256.Size) {
		return "", errs.Invalid("code_challenge must be the base64url SHA-256 of code_verifier")
	}
	at, err := s.Settings.LoginAccount(ctx, scope, in.Provider)
	if err != nil {
		return "", err
	}

	secret := newSecret()
	v := visit{
		Provider: in.Provider, Page: page.String(), Callback: in.Base + CallbackPath(in.Provider), Silent: in.Silent,
		Challenge: in.Challenge, User: in.User,
	}
	r := WebRedirect{Callback: v.Callback, State: stateOf(scope, secret), Silent: in.Silent}
	to, err := s.Providers(in.Provider).AuthorizeURL(ctx, at, r)
	if err != nil {
		return "", err
	}
	return to, s.put(ctx, scope, stateKey(secret), v, stateLifetime)
}

// Arrive serves the redirect of the provider and returns the address of the page with an auth token, or with an error if
// the user did not consent or the provider does not tell who the user is. It returns errs.Invalid for a state that is
// unknown, expired or spent: then no page can be trusted.
func (s *Web) Arrive(ctx context.Context, p messaging.Provider, state, code string) (string, error) {
	scope, secret, ok := readState(state)
	if !ok {
		return "", errBadState()
	}
	value, err := s.Store.SpendSecret(ctx, scope, stateKey(secret), s.Clock.Now())
	if errs.Is(err, errs.KindNotFound) {
		err = errBadState()
	}
	if err != nil {
		return "", err
	}
	var v visit
	if err := json.Unmarshal(value, &v); err != nil {
		return "", fmt.Errorf("state: %w", err)
	}
	if v.Provider != p {
		return "", errBadState()
	}
	// Without consent there is no code.
	if code == "" || len(code) > maxCode {
		return with(v.Page, "error", "access_denied"), nil
	}

	at, err := s.Settings.LoginAccount(ctx, scope, p)
	if err != nil {
		return "", err
	}
	i, err := s.Providers(p).Identify(ctx, at, WebRedirect{Callback: v.Callback, State: state, Silent: v.Silent}, code)
	if err == nil && !i.names(false)[0].Valid() {
		err = Unreachable(i.Vendor, errs.Invalid("an id that no user can have"))
	}
	// The words of these errors are those of RFC 6749, 4.1.2.1.
	switch {
	case errs.Is(err, errs.KindInvalid):
		return with(v.Page, "error", "access_denied"), nil
	case errs.Is(err, errs.KindUnavailable):
		return with(v.Page, "error", "temporarily_unavailable"), nil
	case err != nil:
		return "", err
	}

	token := newSecret()
	if err := s.put(ctx, scope, tokenKey(token), arrival{v, i}, tokenLifetime); err != nil {
		return "", err
	}
	return with(v.Page, "token", token), nil
}

// WebLogin is a login or a link by an auth token.
type WebLogin struct {
	Provider messaging.Provider
	Token    string
	Verifier string // of the challenge
	Create   bool
	Silent   bool // the profile is not used
	Update   ProfileUpdate
	Nickname string // of the user, if the provider tells none
	From     session.Sender
	Before   *session.Identity // the caller, nil = nobody
}

// Login logs in the user of an auth token, which is spent with the login: of concurrent logins one happens. Its errors are
// those of Service.SilentLogin, and errs.Invalid for a token that is unknown, expired or spent.
func (s *Web) Login(ctx context.Context, scope tenant.Scope, r WebLogin) (Login, error) {
	of, proof, err := s.open(ctx, scope, r)
	if err != nil {
		return Login{}, err
	}
	// The temporary user who began becomes the new one. Another's page that was given this token keeps its user.
	if r.Before != nil && r.Before.User != of.User {
		r.Before = nil
	}
	i := of.Identity
	in := login.Arrival{
		Method: app.LoginOAuth, From: r.From, Names: i.names(true), Create: r.Create, Before: r.Before, Proof: &proof,
	}
	apply(ctx, s.Logins, scope, &in, changeOf(i, r))
	made, err := s.Logins.Enter(ctx, scope, in)
	return Login{Login: made, Identity: i}, err
}

// Link links the identity of an auth token to the caller, who must have begun the redirect: otherwise a page could be given
// the token of a stranger, who would then log in as its user. Linking one's own identity again changes nothing (C12). Its
// errors are those of Service.Associate and of Login.
func (s *Web) Link(ctx context.Context, scope tenant.Scope, r WebLogin) (Identity, error) {
	of, proof, err := s.open(ctx, scope, r)
	if err != nil {
		return Identity{}, err
	}
	if of.User != r.Before.User {
		return Identity{}, errs.Invalid("auth_token: the redirect was not begun with a session of this user")
	}
	c := changeOf(of.Identity, r)
	c.claim.Strict = true
	in := login.Arrival{Proof: &proof}
	apply(ctx, s.Logins, scope, &in, c)
	_, err = s.Logins.Amend(ctx, scope, user.ID(r.Before.User), in)
	return of.Identity, err
}

func changeOf(i Identity, r WebLogin) change {
	if r.Silent {
		r.Update = Keep
	}
	if !r.Silent && i.Profile.Nickname == "" {
		i.Profile.Nickname = r.Nickname
		i.Profile = i.Profile.Clean()
	}
	return change{
		claim: claim{Identity: i, Union: i.hasUnion(), Told: !r.Silent}, authorized: !r.Silent, update: r.Update,
	}
}

// open returns what a token stands for, and the proof that a change spends.
func (s *Web) open(ctx context.Context, scope tenant.Scope, r WebLogin) (of arrival, proof login.Proof, err error) {
	refused := errs.Invalid("auth_token is unknown, expired or spent")
	by := writetoken.Of(ctx, "web login")
	if by == "" {
		by = newSecret()
	}
	value, spentBy, err := s.Store.Secret(ctx, scope, tokenKey(r.Token), s.Clock.Now())
	// A repetition of the request that spent the token gets its result again.
	if errs.Is(err, errs.KindNotFound) || err == nil && spentBy != "" && spentBy != by {
		err = refused
	}
	if err != nil {
		return of, proof, err
	}
	if err := json.Unmarshal(value, &of); err != nil {
		return of, proof, fmt.Errorf("auth token: %w", err)
	}
	if of.Provider != r.Provider {
		return of, proof, refused
	}
	// A verifier without a challenge is refused too: the token is of a redirect that this page did not begin.
	if (of.Challenge == "") != (r.Verifier == "") || of.Challenge != "" && !meets(r.Verifier, of.Challenge) {
		return of, proof, errs.Invalid("code_verifier is not that of the redirect of this auth_token")
	}
	key := tokenKey(r.Token)
	return of, login.Proof{Key: key, ID: key, By: by, Refused: refused}, nil
}

func meets(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

func (s *Web) put(ctx context.Context, scope tenant.Scope, key string, v any, lifetime time.Duration) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("web login: %w", err)
	}
	return s.Store.PutSecret(ctx, scope, key, value, s.Clock.Now().Add(lifetime))
}

// newSecret returns 256 random bits in hex.
func newSecret() string { return id.Hex(32) }

// stateKey and tokenKey have the digest of the secret: who reads the store can use neither.
func stateKey(secret string) string { return "web-state#" + string(app.DigestOf(secret)) }
func tokenKey(secret string) string { return "web-token#" + string(app.DigestOf(secret)) }

// stateOf returns the state that the provider gives back: application, environment and secret. Chat takes 128 letters and
// digits at most. No part contains an x.
func stateOf(scope tenant.Scope, secret string) string {
	return strconv.FormatInt(int64(scope.App), 10) + "x" + string(scope.Env) + "x" + secret
}

func readState(state string) (scope tenant.Scope, secret string, ok bool) {
	parts := strings.Split(state, "x")
	if len(parts) != 3 {
		return scope, "", false
	}
	number, err := strconv.ParseInt(parts[0], 10, 64)
	scope = tenant.Scope{App: tenant.AppID(number), Env: tenant.EnvID(parts[1])}
	return scope, parts[2], err == nil && number > 0 && scope.Env.Valid() && len(parts[2]) == 64
}

func errBadState() error {
	return errs.Invalid("state is unknown, expired or spent: begin the login again")
}
