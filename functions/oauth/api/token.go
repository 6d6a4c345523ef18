package api

import (
	"net/http"
	"strconv"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/oauth"
	"minicloud/shared/trace/logging"
)

type tokensView struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// errorView is the error body of RFC 6749 §5.2.
type errorView struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// tokenErrors maps error kinds to the responses of endpoints 11 and 12 (D1).
var tokenErrors = map[errs.Kind]struct {
	status int
	code   string
}{
	errs.KindInvalid:         {http.StatusBadRequest, "invalid_request"},
	errs.KindForbidden:       {http.StatusBadRequest, "invalid_grant"},
	errs.KindUnauthenticated: {http.StatusUnauthorized, "invalid_client"},
	errs.KindTooLarge:        {http.StatusRequestEntityTooLarge, "invalid_request"},
	errs.KindMediaType:       {http.StatusUnsupportedMediaType, "invalid_request"},
	errs.KindConflict:        {http.StatusServiceUnavailable, "temporarily_unavailable"},
	errs.KindUnavailable:     {http.StatusServiceUnavailable, "temporarily_unavailable"},
	errs.KindTimeout:         {http.StatusGatewayTimeout, "temporarily_unavailable"},
	errs.KindInternal:        {http.StatusInternalServerError, "server_error"},
}

// token serves endpoints 11 and 12; grant_type selects one.
func (g *Group) token(w http.ResponseWriter, r *http.Request) error {
	noStore(w)
	p, err := readParameters(r)
	if err == nil {
		basicAuth(r, &p)
		err = required([2]string{"grant_type", p.GrantType})
	}
	if err != nil {
		g.fail(w, r, err)
		return nil
	}

	client := oauth.Credentials{ClientID: app.ClientID(p.ClientID), Secret: p.ClientSecret}
	var tokens oauth.Tokens
	switch p.GrantType {
	case "authorization_code":
		if err = p.complete("code", p.Code); err == nil {
			tokens, err = g.OAuth.Exchange(r.Context(), client, p.Code)
		}
	case "refresh_token":
		if err = p.complete("refresh_token", p.RefreshToken); err == nil {
			tokens, err = g.OAuth.Refresh(r.Context(), client, p.RefreshToken)
		}
	default:
		// RFC 6749 has a separate code for this error; no error kind maps to it.
		httpapi.Write(
			w, http.StatusBadRequest,
			errorView{"unsupported_grant_type", "grant_type must be authorization_code or refresh_token"},
		)
		return nil
	}

	if err != nil {
		g.fail(w, r, err)
		return nil
	}

	httpapi.Write(w, http.StatusOK, tokensView{
		AccessToken: tokens.Access, TokenType: oauth.TokenType, ExpiresIn: tokens.ExpiresIn,
		RefreshToken: tokens.Refresh, Scope: oauth.Scope,
	})

	return nil
}

// complete returns errs.Invalid for the first missing field; it checks the client's fields before the grant's.
func (p parameters) complete(name, value string) error {
	return required(
		[2]string{"client_id", p.ClientID}, [2]string{"client_secret", p.ClientSecret}, [2]string{name, value},
	)
}

// basicAuth reads the client from the Authorization header if the body has no secret: RFC 6749 §2.3.1 requires it,
// and OAuth libraries try it first.
func basicAuth(r *http.Request, p *parameters) {
	id, secret, ok := r.BasicAuth()
	if ok && p.ClientSecret == "" && (p.ClientID == "" || p.ClientID == id) {
		p.ClientID, p.ClientSecret = id, secret
	}
}

// fail writes err as a response in the form of RFC 6749 §5.2.
func (g *Group) fail(w http.ResponseWriter, r *http.Request, err error) {
	answer := tokenErrors[errs.KindOf(err)]
	description := errs.Message(err)
	httpapi.LogFailure(r, g.Log, answer.status, err)
	// An internal error message stays in the log; the request id leads to it.
	if answer.status == http.StatusInternalServerError {
		description = "internal error, request id " + logging.RequestID(r.Context())
	}
	if after := errs.RetryAfter(err); after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(after))
	} else if answer.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if answer.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
	}
	httpapi.Write(w, answer.status, errorView{answer.code, description})
}
