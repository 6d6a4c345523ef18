package file

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// purposeUpload separates the signatures of policies from the others of an application's key.
const purposeUpload = "upload"

// maxPolicy is the maximum length of a policy as text, in bytes.
const maxPolicy = 1024

// policy permits to send the content of one upload. Callers see its JSON as opaque base64.
type policy struct {
	Client  app.ClientID `json:"client"`
	Env     tenant.EnvID `json:"env"`
	Upload  string       `json:"upload"` // Ref
	File    ID           `json:"file"`
	Size    int64        `json:"size,omitempty"` // of a file that comes in parts
	Expires int64        `json:"expires"`        // Unix seconds
}

func newPolicy(a app.Application, scope tenant.Scope, u Upload, now time.Time) policy {
	return policy{
		Client: a.ClientID, Env: scope.Env, Upload: u.Ref.String(), File: u.File, Size: u.Size, Expires: now.Add(Valid).Unix(),
	}
}

// sign returns the policy as text and its signature by the application's key.
func (p policy) sign(a app.Application) (text, signature string) {
	plain, err := json.Marshal(p)
	if err != nil {
		panic(err) // a struct of texts and numbers
	}
	text = base64.StdEncoding.EncodeToString(plain)
	return text, a.Sign(purposeUpload, text)
}

// permit is what a verified policy permits.
type permit struct {
	scope tenant.Scope
	ref   Ref
	policy
}

// verify returns what a policy for a file permits. All its errors are errs.Forbidden (C31).
func (s *Service) verify(ctx context.Context, text, signature, file string) (p permit, err error) {
	invalid := errs.Forbidden("the policy is not valid for this upload")
	plain, malformed := base64.StdEncoding.DecodeString(text)
	if len(text) > maxPolicy || malformed != nil || json.Unmarshal(plain, &p.policy) != nil {
		return p, invalid
	}
	var known bool
	if p.ref, known = ParseRef(p.Upload); !known || string(p.File) != file || !p.Client.Valid() || !p.Env.Valid() {
		return p, invalid
	}

	a, err := s.signer(ctx, p.Client, text, signature)
	if errs.Is(err, errs.KindNotFound) {
		return p, invalid
	}
	if err != nil {
		return p, err
	}
	if _, there := a.Environment(p.Env); !there {
		return p, invalid
	}
	if s.Clock.Now().Unix() >= p.Expires {
		return p, errs.Forbidden("the policy has expired, start the upload again")
	}
	p.scope = tenant.Scope{App: a.ID, Env: p.Env}
	return p, nil
}

// signer returns the application whose key has signed a policy, or errs.NotFound. The key may have been rotated since the
// application was cached: then a second look decides.
func (s *Service) signer(ctx context.Context, client app.ClientID, text, signature string) (app.Application, error) {
	a, err := s.Clients.ByClient(ctx, client)
	if err == nil && !a.Signed(s.Clock.Now(), signature, purposeUpload, text) {
		a, err = s.Keys.ByHandle(ctx, client.Handle())
	}
	if err == nil && (a.ClientID != client || !a.Signed(s.Clock.Now(), signature, purposeUpload, text)) {
		err = errs.NotFound("the signature is not of application %d", a.ID)
	}
	return a, err
}
