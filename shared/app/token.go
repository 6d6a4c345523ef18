package app

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// Reader is the part of Store that reads an application by id.
type Reader interface {
	// Application returns an application by id. It returns errs.NotFound if there is none.
	Application(ctx context.Context, id tenant.AppID) (Application, error)
}

// HandleReader is the part of Store that ReadToken needs.
type HandleReader interface {
	// ByHandle returns the application of a handle. It returns errs.NotFound if there is none.
	ByHandle(ctx context.Context, h Handle) (Application, error)
}

// ByClient returns the application of a client, with one read. It returns errs.NotFound if there is none: handles are
// only a part of client ids, so the whole id is compared.
func ByClient(ctx context.Context, store HandleReader, c ClientID) (Application, error) {
	if c.Valid() {
		a, err := store.ByHandle(ctx, c.Handle())
		if err != nil || a.ClientID == c {
			return a, err
		}
	}
	return Application{}, errs.NotFound("client %q not found", clip.Text(string(c), clip.Name))
}

// Token returns a bearer token signed with the application's key: "<handle>.<claims>.<signature>". The token is not
// stored, so its claims must contain the expiry.
func (a Application) Token(purpose string, claims any) (string, error) {
	text, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	body := base64.RawURLEncoding.EncodeToString(text)
	return string(a.ClientID.Handle()) + "." + body + "." + a.Sign(purpose, body), nil
}

// ReadToken returns the application that signed a token for a purpose, with one read, and decodes the claims. It
// returns the error bad if the token is malformed, was changed, has another purpose, belongs to an unknown application or
// is signed by a key that is over now.
func ReadToken(
	ctx context.Context, store HandleReader, now time.Time, purpose, token string, claims any, bad error,
) (Application, error) {
	handle, rest, _ := strings.Cut(token, ".")
	body, signature, _ := strings.Cut(rest, ".")
	if len(handle) != HandleLen || !ClientID(handle+handle).Valid() {
		return Application{}, bad
	}

	a, err := store.ByHandle(ctx, Handle(handle))
	// Return the same error for an unknown application and a wrong signature, so that callers cannot probe handles.
	switch {
	case errs.Is(err, errs.KindNotFound), err == nil && !a.Signed(now, signature, purpose, body):
		return Application{}, bad
	case err != nil:
		return Application{}, err
	}

	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(text, claims) != nil {
		return Application{}, bad
	}
	return a, nil
}
