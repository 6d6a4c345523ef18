package vendor

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user/idp"
)

// OpenID logs users in at any provider of OpenID Connect, whose issuer is the base_url of the setting.
type OpenID struct {
	API   *Client // its own address is not used
	Clock clock.Clock
}

// endpoints are those of an issuer (OpenID Connect Discovery 1.0, 4).
type endpoints struct {
	Issuer    string `json:"issuer"`
	Authorize string `json:"authorization_endpoint"`
	Token     string `json:"token_endpoint"`
}

func (o *OpenID) discover(ctx context.Context, a messaging.LoginAccount) (at endpoints, err error) {
	of := messaging.Vendor(a.Provider)
	if a.BaseURL == "" {
		return at, errs.Invalid("logins by %s are not configured: base_url must be the issuer of OpenID Connect", a.Provider)
	}
	body, err := o.API.At(a.BaseURL).Get(ctx, "/.well-known/openid-configuration")
	if err == nil {
		err = Decode(body, &at)
	}
	page, wrong := url.Parse(at.Authorize)
	// The issuer must be the asked one: another one's tokens would be for other users.
	if err == nil && (strings.TrimSuffix(at.Issuer, "/") != a.BaseURL || wrong != nil || page.Host == "" ||
		page.Scheme != "https" && page.Scheme != "http" || at.Token == "") {
		err = Unknown("its configuration is not that of the issuer")
	}
	if err != nil {
		return at, idp.Unreachable(of, err)
	}
	return at, nil
}

// AuthorizeURL implements idp.WebProvider.
func (o *OpenID) AuthorizeURL(ctx context.Context, a messaging.LoginAccount, r idp.WebRedirect) (string, error) {
	at, err := o.discover(ctx, a)
	if err != nil {
		return "", err
	}
	page, err := url.Parse(at.Authorize)
	if err != nil {
		return "", idp.Unreachable(messaging.Vendor(a.Provider), err)
	}
	query, scope := page.Query(), "openid profile"
	if r.Silent {
		scope = "openid"
	}
	for name, value := range map[string]string{
		"client_id": a.AppID, "redirect_uri": r.Callback, "response_type": "code", "scope": scope, "state": r.State,
	} {
		query.Set(name, value)
	}
	page.RawQuery = query.Encode()
	return page.String(), nil
}

// audience is a text or a list of texts.
type audience []string

// UnmarshalJSON implements json.Unmarshaler.
func (a *audience) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

// Identify implements idp.WebProvider. The ID token comes from the issuer itself over TLS, so its signature need not be
// verified (OpenID Connect Core 1.0, 3.1.3.7, 6).
func (o *OpenID) Identify(
	ctx context.Context, a messaging.LoginAccount, r idp.WebRedirect, code string,
) (idp.Identity, error) {
	i := idp.Identity{Vendor: messaging.Vendor(a.Provider)}
	at, err := o.discover(ctx, a)
	if err != nil {
		return i, err
	}
	body, err := o.API.At(at.Token).PostForm(ctx, "", url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {r.Callback}, "client_id": {a.AppID},
		"client_secret": {a.Secret},
	}.Encode())
	var answered struct {
		IDToken string `json:"id_token"`
	}
	if err == nil {
		err = Decode(body, &answered)
	}
	var told struct {
		Issuer   string   `json:"iss"`
		Audience audience `json:"aud"`
		Expires  float64  `json:"exp"` // Unix seconds
		Subject  string   `json:"sub"`
		Name     string   `json:"name"`
		Nickname string   `json:"nickname"`
		Picture  string   `json:"picture"`
		Locale   string   `json:"locale"`
	}
	if err == nil {
		err = claims(answered.IDToken, &told)
	}
	if err == nil && (told.Issuer != at.Issuer || !slices.Contains(told.Audience, a.AppID) || told.Subject == "" ||
		told.Expires <= float64(o.Clock.Now().Unix())) {
		err = Unknown("its ID token is not for this application")
	}
	if err != nil {
		return i, idp.Unreachable(i.Vendor, err)
	}

	i.OpenID = told.Subject
	if !r.Silent {
		name := told.Nickname
		if name == "" {
			name = told.Name
		}
		i.Profile = idp.Profile{Nickname: name, Avatar: told.Picture, Language: told.Locale}.Clean()
	}
	return i, nil
}

// claims reads the payload of a token.
func claims(token string, to any) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return Unknown("its answer has no ID token")
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return Unknown("its ID token cannot be read")
	}
	return Decode(payload, to)
}
