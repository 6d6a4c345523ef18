package units

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/http"

	"minicloud/infra/local/api"
	"minicloud/infra/local/vendors"
)

// logins returns the logins of end users at vendors of mini programs. The vendors' own calls cost nothing here.
func (b *Bench) logins(ctx context.Context) ([]Request, error) {
	_, err := b.client.Call(ctx, "PUT", "/oserve/v3/message-setting/chat/", `{"app_id":"wx1","app_secret":"right"}`)
	if err != nil {
		return nil, err
	}
	const idp = "/hserve/v2.5/idp/chat/"
	n := 0
	first := func() map[string]any { n++; return map[string]any{"code": fmt.Sprintf("first-%d", n)} }
	known := func() map[string]any { return map[string]any{"code": "known"} }
	profile := func() map[string]any {
		const raw = `{"nickName":"Ada","gender":2}`
		sum := sha1.Sum([]byte(raw + vendors.SessionKey("known")))
		return map[string]any{"code": "known", "rawData": raw, "signature": hex.EncodeToString(sum[:])}
	}
	return []Request{
		{Name: "vendor login, first", send: b.endUser("POST", idp+"silent-login/", first)},
		{Name: "vendor login", send: b.endUser("POST", idp+"silent-login/", known)},
		{Name: "vendor login with a known profile", send: b.endUser("POST", idp+"authenticate/", profile)},
	}, nil
}

// endUser returns a request of somebody without a session.
func (b *Bench) endUser(method, path string, body func() map[string]any) func(context.Context) error {
	client := &api.Client{Base: b.cloud.URL, Header: http.Header{"X-Service-Client-Id": {b.cloud.Credentials.ClientID}}}
	return func(ctx context.Context) error { return client.Send(ctx, method, path, body(), nil) }
}
