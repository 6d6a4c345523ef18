package units

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"minicloud/infra/local/api"
	"minicloud/infra/local/vendors"
	"minicloud/infra/seed/demo"
)

// logins returns the logins of end users at vendors of mini programs. The vendors' own calls cost nothing here.
func (b *Bench) logins(ctx context.Context) ([]Request, error) {
	_, err := b.client.Call(ctx, "PUT", "/oserve/v3/message-setting/chat/", `{"app_id":"wx1","app_secret":"right"}`)
	if err != nil {
		return nil, err
	}
	// Before a program caches the setting.
	_, err = b.client.Call(ctx, "PUT", "/oserve/v1.8/application-setting/", `{"callback_hosts":["shop.example.com"]}`)
	if err != nil {
		return nil, err
	}
	const idp = "/hserve/v2.5/idp/chat/"
	profile := func() any {
		const raw = `{"nickName":"Grace","gender":2}`
		sum := sha1.Sum([]byte(raw + vendors.SessionKey("known")))
		return map[string]any{"code": "known", "rawData": raw, "signature": hex.EncodeToString(sum[:])}
	}
	own, err := b.sessions(ctx)
	if err != nil {
		return nil, err
	}
	return append(own, []Request{
		{Name: "vendor login, first", send: b.endUser("POST", idp+"silent-login/", numbered("code", "first-%d"))},
		{Name: "vendor login", send: b.endUser("POST", idp+"silent-login/", always(map[string]any{"code": "known"}))},
		{Name: "vendor login with a known profile", send: b.endUser("POST", idp+"authenticate/", profile)},
	}...), nil
}

// sessions returns the registrations and logins of the platform's own users, and a request with a session token.
func (b *Bench) sessions(ctx context.Context) ([]Request, error) {
	const version, info = "/hserve/v2.1", "/hserve/v2.5/user/info/%d/"
	n := 0
	fresh := func() any {
		n++
		return map[string]any{"username": fmt.Sprintf("user %d", n), "password": "correct horse"}
	}
	known := map[string]any{"username": "known", "password": "correct horse"}
	wrong := func() any { // each name has few attempts
		n++
		return map[string]any{"username": fmt.Sprintf("nobody %d", n), "password": "wrong horse"}
	}
	var made struct {
		ID    int64  `json:"id"`
		Token string `json:"token"`
	}
	client := b.anyone()
	if err := client.Send(ctx, "POST", version+"/register/username/", known, &made); err != nil {
		return nil, err
	}
	user := &api.Client{Base: b.cloud.URL, Header: http.Header{
		"X-Service-Client-Id": {b.cloud.Credentials.ClientID}, "Authorization": {"Service-r1 " + made.Token},
	}}
	ofRows, err := b.clientRows(ctx, user)
	if err != nil {
		return nil, err
	}
	ofOrders, err := b.clientOrders(ctx, user)
	if err != nil {
		return nil, err
	}
	return append([]Request{
		{Name: "registration", send: b.endUser("POST", version+"/register/username/", fresh)},
		{Name: "anonymous login", send: b.endUser("POST", "/hserve/v2.0/login/anonymous/", always(map[string]any{}))},
		{Name: "password login", send: b.endUser("POST", version+"/login/username/", always(known))},
		{Name: "password login, wrong, 400", send: func(ctx context.Context) error {
			err := client.Send(ctx, "POST", version+"/login/username/", wrong(), nil)
			if err == nil || !strings.Contains(err.Error(), "status 400") {
				return fmt.Errorf("want status 400, got %w", err)
			}
			return nil
		}},
		{Name: "user read by another", send: as(user, "GET", fmt.Sprintf(info, int64(demo.UserID(0))), nil)},
		{Name: "own record, read", send: as(user, "GET", fmt.Sprintf(info, made.ID), nil)},
		{Name: "own record, changed", send: as(user, "PUT", "/hserve/v2.5/user/info/", numbered("nickname", "known %d"))},
		{Name: "run as an end user", send: as(user, "POST", "/hserve/v1/cloud-function/job/", always(map[string]any{
			"function_name": "trivial", "data": map[string]any{"n": 1},
		}))},
		{Name: "own sessions", send: as(user, "GET", "/hserve/v3/session/", nil)},
		{Name: "form ID reported", send: as(user, "POST", "/hserve/v2.0/template-message-ticket/", func() any {
			n++
			return map[string]any{"submission_type": "form_id", "submission_value": fmt.Sprintf("f-%d", n)}
		})},
		{Name: "opened message reported", send: as(user, "POST", "/hserve/v2.0/template-message/event-report/",
			always(map[string]any{"stats_id": "spring", "platform": "chat_miniapp"}))},
		{Name: "subscription reported", send: as(user, "POST", "/hserve/v2.2/subscription-message/relationship-report/",
			always(map[string]any{"subscription": []any{map[string]any{"template_id": "t", "subscription_type": "once"}}}))},
		{Name: "own account, changed",
			send: as(user, "PUT", "/hserve/v2.2/user/account/", numbered("email", "known-%d@example.com"))},
	}, slices.Concat(ofRows, ofOrders)...), nil
}

// anyone returns a client without a session.
func (b *Bench) anyone() *api.Client {
	return &api.Client{Base: b.cloud.URL, Header: http.Header{"X-Service-Client-Id": {b.cloud.Credentials.ClientID}}}
}

// endUser returns a request of somebody without a session.
func (b *Bench) endUser(method, path string, body func() any) func(context.Context) error {
	return as(b.anyone(), method, path, body)
}
