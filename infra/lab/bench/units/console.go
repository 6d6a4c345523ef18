package units

import (
	"context"
	"fmt"
	"net/http"
	"regexp"

	"minicloud/infra/local/api"
)

const (
	session  = "/console/api/session/"
	smsCodes = "/oserve/v2.1/sms-verification-code/"
	verify   = "/oserve/v1.8/sms-verification-code/verify/"
)

// administrator is a signed-in session of the console.
type administrator struct {
	bench       *Bench
	console     *api.Client // with the session
	open        *api.Client // with a token of the console
	application string      // path of the demo application
}

// console returns the requests of the console page, changes that an administrator makes through the open API (their
// cost includes the audit log), and verification codes. They run last, because actions stores the message settings
// that they need.
func (b *Bench) console(ctx context.Context) ([]Request, error) {
	a := &administrator{
		bench: b, console: &api.Client{Base: b.cloud.URL}, open: &api.Client{Base: b.cloud.URL},
		application: fmt.Sprintf("/console/api/application/%d/", b.cloud.Credentials.Miniapp),
	}
	if err := a.signIn(ctx); err != nil {
		return nil, err
	}
	if err := a.token(ctx); err != nil {
		return nil, err
	}
	target, err := b.makeTable(ctx, "administered", false)
	if err != nil {
		return nil, err
	}

	n := history
	city := func() any { n++; return map[string]any{"city": fmt.Sprintf("value %d", n)} }
	return []Request{
		{Name: "console: sign-in", send: a.signIn},
		{Name: "console: session", send: as(a.console, "GET", session, nil)},
		{Name: "console: token", send: a.token},
		{Name: "console: overview of a day", send: as(a.console, "GET", a.application+"overview/", nil)},
		{Name: "console: row list by an administrator", send: as(a.open, "GET", fmt.Sprintf(rows, "administered"), nil)},
		{Name: "console: row update by an administrator",
			send: as(a.open, "PUT", fmt.Sprintf(row, "administered", target), city)},
		{Name: "console: audit log, first page", send: as(a.console, "GET", a.application+"audit/", nil)},
		{Name: "SMS code, sent", send: b.sendCode(new(int))},
		{Name: "SMS code, sent by an end user", send: b.endUser("POST", "/hserve/v2.2/sms-verification-code/", nextPhone(3000))},
		{Name: "SMS code, sent and verified", send: b.useCode(1000, func(ctx context.Context, used map[string]any) error {
			return b.client.Send(ctx, "POST", verify, used, nil)
		})},
		{Name: "SMS code, sent and first login", send: b.useCode(2000, func(ctx context.Context, used map[string]any) error {
			return b.endUser("POST", "/hserve/v2.1/login/sms/", always(used))(ctx)
		})},
		{Name: "registration by e-mail, mail sent, address verified", send: b.verifyAddress()},
	}, nil
}

// signIn starts a new session and ends the previous one.
func (a *administrator) signIn(ctx context.Context) (err error) {
	a.console.Header, err = api.SignIn(ctx, a.bench.cloud, a.console.Header)
	return err
}

// token gets a console token for the demo application.
func (a *administrator) token(ctx context.Context) error {
	var given struct{ Token string }
	body := map[string]any{"application_id": a.bench.cloud.Credentials.Miniapp}
	err := a.console.Send(ctx, "POST", "/console/api/token/", body, &given)
	a.open.Header = http.Header{"Authorization": {"Console " + given.Token}}
	return err
}

// sendCode returns a request for a verification code. Each goes to a new number, because a number accepts one a
// minute.
func (b *Bench) sendCode(n *int) func(context.Context) error {
	return func(ctx context.Context) error {
		*n++
		return b.client.Send(ctx, "POST", smsCodes, map[string]any{"phone": fmt.Sprintf("+8613900%06d", *n)}, nil)
	}
}

var codeSent = regexp.MustCompile(`】(\d{6}) is your`)

// nextPhone returns the body of a request for a code, each with a new number after n.
func nextPhone(n int) func() any {
	return func() any { n++; return map[string]any{"phone": fmt.Sprintf("+8613900%06d", n)} }
}

// useCode returns a request that asks for a code of a new number after n, and then uses it.
func (b *Bench) useCode(n int, use func(ctx context.Context, used map[string]any) error) func(context.Context) error {
	send := b.sendCode(&n)
	return func(ctx context.Context) error {
		if err := send(ctx); err != nil {
			return err
		}
		inbox, err := b.client.Call(ctx, "GET", fmt.Sprintf("/_local/outbox?contains=13900%06d", n), "")
		if err != nil {
			return err
		}
		code := codeSent.FindSubmatch(inbox)
		if code == nil {
			return fmt.Errorf("no code in %s", inbox)
		}
		return use(ctx, map[string]any{"phone": fmt.Sprintf("+8613900%06d", n), "code": string(code[1])})
	}
}

var mailToken = regexp.MustCompile(`email-verify/([0-9a-f]{64})/`)

// verifyAddress returns a request that registers a user, asks for the mail that verifies the address, and follows its
// link.
func (b *Bench) verifyAddress() func(context.Context) error {
	n := 0
	return func(ctx context.Context) error {
		n++
		client := &api.Client{Base: b.cloud.URL, Header: http.Header{"X-Service-Client-Id": {b.cloud.Credentials.ClientID}}}
		address := fmt.Sprintf("units-%d@example.com", n)
		var made struct{ Token string }
		credentials := map[string]any{"email": address, "password": "correct horse"}
		if err := client.Send(ctx, "POST", "/hserve/v2.1/register/email/", credentials, &made); err != nil {
			return err
		}
		client.Header.Set("Authorization", "Service-r1 "+made.Token)
		if err := client.Send(ctx, "POST", "/hserve/v2.0/user/email-verify/", map[string]any{}, nil); err != nil {
			return err
		}
		inbox, err := b.client.Call(ctx, "GET", "/_local/outbox?contains="+address, "")
		if err != nil {
			return err
		}
		token := mailToken.FindSubmatch(inbox)
		if token == nil {
			return fmt.Errorf("no link in %s", inbox)
		}
		return client.Send(ctx, "GET", "/hserve/v2.0/user/email-verify/"+string(token[1])+"/", nil, nil)
	}
}
