package oauth_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/oauth"
)

// world is a platform with one application, a manual clock and a captured log.
type world struct {
	*oauth.Service
	apps   *app.Service
	auth   *oauth.Authenticator
	client oauth.Credentials
	app    app.Application
	log    *bytes.Buffer

	mu  sync.Mutex
	now time.Time
}

func newWorld(t testing.TB) *world {
	client := dynamotest.Start(t, "ApplicationsTable")
	w := &world{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), log: &bytes.Buffer{}}
	tokens := &appdb.Tokens{Client: client, Table: "ApplicationsTable"}
	w.Service = &oauth.Service{Store: tokens, Clock: w.time, Log: slog.New(slog.NewJSONHandler(w.log, nil))}
	w.auth = &oauth.Authenticator{Store: tokens, Clock: w.time}
	w.apps = &app.Service{
		Store: &appdb.Applications{Client: client, Table: "ApplicationsTable"}, IDs: &id.Source{}, Clock: w.time,
	}
	w.app, w.client = w.newApp(t)
	return w
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) newApp(t testing.TB) (app.Application, oauth.Credentials) {
	t.Helper()
	a, secret, err := w.apps.Create(t.Context(), "demo", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	return a, oauth.Credentials{ClientID: a.ClientID, Secret: secret}
}

func (w *world) code(t testing.TB, c oauth.Credentials) string {
	t.Helper()
	first, err := w.Begin(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	step, err := w.Continue(t.Context(), first)
	if err != nil || step.Code != "" {
		t.Fatalf("first ticket: %+v, %v", step, err)
	}
	step, err = w.Continue(t.Context(), step.Ticket)
	if err != nil || step.Ticket != "" {
		t.Fatalf("second ticket: %+v, %v", step, err)
	}
	return step.Code
}

func (w *world) tokens(t testing.TB) oauth.Tokens {
	t.Helper()
	tokens, err := w.Exchange(t.Context(), w.client, w.code(t, w.client))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func (w *world) refresh(t *testing.T, token string) oauth.Tokens {
	t.Helper()
	tokens, err := w.Refresh(t.Context(), w.client, token)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// wantAccess checks that an access token authenticates the application, or that it is refused.
func (w *world) wantAccess(t *testing.T, when, token string, valid bool) {
	t.Helper()
	application, err := w.auth.Authenticate(t.Context(), token)
	switch {
	case valid && (err != nil || application.ID != w.app.ID):
		t.Errorf("%s: the access token is refused: %v", when, err)
	case !valid && !errs.Is(err, errs.KindUnauthenticated):
		t.Errorf("%s: the access token is accepted (%v)", when, err)
	}
}

func wantKind(t *testing.T, when string, err error, kind errs.Kind) {
	t.Helper()
	if errs.KindOf(err) != kind {
		t.Errorf("%s: %v (kind %q), want kind %q", when, err, errs.KindOf(err), kind)
	}
}

func TestExchangesCredentialsForTokens(t *testing.T) {
	w := newWorld(t)
	tokens := w.tokens(t)
	if len(tokens.Access) != 40 || len(tokens.Refresh) != 40 || tokens.Access == tokens.Refresh ||
		tokens.ExpiresIn != 31535999 {
		t.Errorf("tokens %+v", tokens)
	}
	w.wantAccess(t, "at once", tokens.Access, true)
	w.wantAccess(t, "a refresh token as access token", tokens.Refresh, false)
	w.pass(oauth.AccessLifetime - time.Second)
	w.wantAccess(t, "in its last second", tokens.Access, true)
	w.pass(time.Second)
	w.wantAccess(t, "at its end", tokens.Access, false)
	w.wantAccess(t, "refreshed after its end", w.refresh(t, tokens.Refresh).Access, true)
}

func TestAccessLifetimeIsConfigurable(t *testing.T) {
	w := newWorld(t)
	w.AccessLifetime = time.Hour
	tokens := w.tokens(t)
	if tokens.ExpiresIn != 3600 {
		t.Errorf("expires in %d", tokens.ExpiresIn)
	}
	w.pass(time.Hour)
	w.wantAccess(t, "after an hour", tokens.Access, false)
}

func TestRefusesWrongCredentials(t *testing.T) {
	w := newWorld(t)
	_, other := w.newApp(t)
	code, refresh := w.code(t, w.client), w.tokens(t).Refresh

	for name, c := range map[string]oauth.Credentials{
		"unknown client":   {ClientID: "0123456789abcdef0123", Secret: w.client.Secret},
		"known handle":     {ClientID: w.client.ClientID[:10] + "0123456789", Secret: w.client.Secret},
		"wrong secret":     {ClientID: w.client.ClientID, Secret: other.Secret},
		"empty secret":     {ClientID: w.client.ClientID},
		"malformed client": {ClientID: "x", Secret: w.client.Secret},
		"nothing":          {},
	} {
		_, err := w.Begin(t.Context(), c)
		wantKind(t, name+": authorize", err, errs.KindUnauthenticated)
		_, err = w.Exchange(t.Context(), c, code)
		wantKind(t, name+": exchange", err, errs.KindUnauthenticated)
		_, err = w.Refresh(t.Context(), c, refresh)
		wantKind(t, name+": refresh", err, errs.KindUnauthenticated)
	}

	if _, err := w.Exchange(t.Context(), w.client, code); err != nil {
		t.Errorf("wrong credentials spent the code: %v", err)
	}
}

func TestRefusesGrantsOfAnotherClient(t *testing.T) {
	w := newWorld(t)
	_, other := w.newApp(t)
	code, refresh := w.code(t, w.client), w.tokens(t).Refresh
	_, err := w.Exchange(t.Context(), other, code)
	wantKind(t, "code", err, errs.KindForbidden)
	_, err = w.Refresh(t.Context(), other, refresh)
	wantKind(t, "refresh token", err, errs.KindForbidden)
	for _, nonsense := range []string{"x", strings.Repeat("f", 40), strings.Repeat("界", 100)} {
		_, err = w.Exchange(t.Context(), w.client, nonsense)
		wantKind(t, "nonsense code", err, errs.KindForbidden)
		_, err = w.Refresh(t.Context(), w.client, nonsense)
		wantKind(t, "nonsense refresh token", err, errs.KindForbidden)
	}
	if _, err := w.Exchange(t.Context(), w.client, code); err != nil {
		t.Errorf("the other client spent the code: %v", err)
	}
}

func TestAuthenticateRefusesOtherTokens(t *testing.T) {
	w := newWorld(t)
	access := w.tokens(t).Access
	for name, token := range map[string]string{
		"empty":          "",
		"short":          access[:39],
		"long":           access + "0",
		"upper case":     strings.ToUpper(access),
		"unknown":        access[:10] + strings.Repeat("0", 30),
		"unknown client": strings.Repeat("f", 40),
		"code":           w.code(t, w.client),
		"with a key":     "application#" + access[:28],
	} {
		w.wantAccess(t, name, token, false)
	}

	if _, err := w.auth.AuthenticateClient(t.Context(), access, string(w.client.ClientID)); err != nil {
		t.Errorf("own client id: %v", err)
	}
	_, other := w.newApp(t)
	for _, clientID := range []string{"", "x", string(other.ClientID)} {
		_, err := w.auth.AuthenticateClient(t.Context(), access, clientID)
		wantKind(t, "client id "+clientID, err, errs.KindUnauthenticated)
	}
}

func TestTicketsAreSpentOnceAndExpire(t *testing.T) {
	w := newWorld(t)
	first, err := w.Begin(t.Context(), w.client)
	if err != nil {
		t.Fatal(err)
	}
	results := race(100, func() error { _, err := w.Continue(t.Context(), first); return err })
	if wins := results[""]; wins != 1 || results[errs.KindUnauthenticated] != 99 {
		t.Errorf("100 at once: %v", results)
	}
	late, err := w.Begin(t.Context(), w.client)
	if err != nil {
		t.Fatal(err)
	}
	w.pass(oauth.TicketLifetime)
	_, err = w.Continue(t.Context(), late)
	wantKind(t, "after 60 s", err, errs.KindUnauthenticated)
	for _, nonsense := range []string{"", "x", strings.Repeat("f", 40), w.tokens(t).Access} {
		_, err = w.Continue(t.Context(), nonsense)
		wantKind(t, "ticket "+nonsense, err, errs.KindUnauthenticated)
	}
}

func TestCodeExpires(t *testing.T) {
	w := newWorld(t)
	code := w.code(t, w.client)
	w.pass(oauth.CodeLifetime)
	_, err := w.Exchange(t.Context(), w.client, code)
	wantKind(t, "after 600 s", err, errs.KindForbidden)
	code = w.code(t, w.client)
	w.pass(oauth.CodeLifetime - time.Second)
	if _, err := w.Exchange(t.Context(), w.client, code); err != nil {
		t.Errorf("in its last second: %v", err)
	}
}

func TestReusedCodeRevokesItsTokens(t *testing.T) {
	for name, between := range map[string]func(w *world, given oauth.Tokens) oauth.Tokens{
		"at once":         func(w *world, given oauth.Tokens) oauth.Tokens { return given },
		"an hour later":   func(w *world, given oauth.Tokens) oauth.Tokens { w.pass(time.Hour); return given },
		"after a refresh": func(w *world, given oauth.Tokens) oauth.Tokens { return w.refresh(t, given.Refresh) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			code := w.code(t, w.client)
			tokens, err := w.Exchange(t.Context(), w.client, code)
			if err != nil {
				t.Fatal(err)
			}
			tokens = between(w, tokens)
			beside := w.tokens(t)
			_, err = w.Exchange(t.Context(), w.client, code)
			wantKind(t, "second use", err, errs.KindForbidden)
			w.wantAccess(t, "what it gave", tokens.Access, false)
			_, err = w.Refresh(t.Context(), w.client, tokens.Refresh)
			wantKind(t, "refreshing what it gave", err, errs.KindForbidden)
			w.wantAccess(t, "another grant", beside.Access, true)
			if !strings.Contains(w.log.String(), `"security_event":"code_reuse"`) {
				t.Errorf("no security event in %s", w.log)
			}
		})
	}
}

func TestOneConcurrentExchangeWins(t *testing.T) {
	w := newWorld(t)
	code := w.code(t, w.client)
	var given oauth.Tokens
	results := race(100, func() error {
		tokens, err := w.Exchange(t.Context(), w.client, code)
		if err == nil {
			given = tokens
		}
		return err
	})
	if results[""] != 1 || results[errs.KindForbidden] != 99 {
		t.Errorf("results %v, want one success and 99 invalid grants", results)
	}
	w.wantAccess(t, "after 99 reuses", given.Access, false)
}

func TestRefreshRevokesEarlierTokens(t *testing.T) {
	w := newWorld(t)
	first, second := w.tokens(t), w.tokens(t)
	pending := w.code(t, w.client)
	next := w.refresh(t, second.Refresh)
	w.wantAccess(t, "the new one", next.Access, true)
	w.wantAccess(t, "the one before", second.Access, false)
	w.wantAccess(t, "of the other grant", first.Access, false)
	_, err := w.Refresh(t.Context(), w.client, first.Refresh)
	wantKind(t, "refresh token of the other grant", err, errs.KindForbidden)
	w.wantAccess(t, "after that", next.Access, true)
	given, err := w.Exchange(t.Context(), w.client, pending)
	if err != nil {
		t.Fatalf("a code from before the refresh: %v", err)
	}
	w.wantAccess(t, "of that code", given.Access, true)
	w.wantAccess(t, "beside it", next.Access, true)
}

func TestRepeatedRefreshReturnsSamePair(t *testing.T) {
	w := newWorld(t)
	old := w.tokens(t)
	next := w.refresh(t, old.Refresh)
	w.pass(oauth.ReplayWindow)
	again := w.refresh(t, old.Refresh)
	if again.Access != next.Access || again.Refresh != next.Refresh || again.ExpiresIn != next.ExpiresIn-60 {
		t.Errorf("got %+v, then %+v", next, again)
	}
	w.wantAccess(t, "twice given", again.Access, true)
	if w.log.Len() != 0 {
		t.Errorf("logged %s", w.log)
	}
	_, err := w.Refresh(
		t.Context(), oauth.Credentials{ClientID: w.client.ClientID, Secret: strings.Repeat("0", 40)}, old.Refresh,
	)
	wantKind(t, "again with a wrong secret", err, errs.KindUnauthenticated)
	third := w.refresh(t, next.Refresh)
	w.pass(time.Millisecond)
	_, err = w.Refresh(t.Context(), w.client, next.Refresh)
	if err != nil {
		t.Errorf("the second refresh has a window too: %v", err)
	}
	w.wantAccess(t, "third", third.Access, true)
}

func TestRefusesSupersededRefreshToken(t *testing.T) {
	w := newWorld(t)
	first := w.tokens(t)
	third := w.refresh(t, w.refresh(t, first.Refresh).Refresh)
	_, err := w.Refresh(t.Context(), w.client, first.Refresh)
	wantKind(t, "two refreshes later, within the window", err, errs.KindForbidden)
	w.wantAccess(t, "afterwards", third.Access, true)
}

func TestReusedRefreshTokenRevokesAllTokens(t *testing.T) {
	w := newWorld(t)
	old := w.tokens(t)
	next := w.refresh(t, old.Refresh)
	beside := w.tokens(t)
	w.pass(oauth.ReplayWindow + time.Millisecond)
	_, err := w.Refresh(t.Context(), w.client, old.Refresh)
	wantKind(t, "reuse", err, errs.KindForbidden)
	w.wantAccess(t, "its successor", next.Access, false)
	w.wantAccess(t, "another grant", beside.Access, false)
	_, err = w.Refresh(t.Context(), w.client, next.Refresh)
	wantKind(t, "the successor's refresh token", err, errs.KindForbidden)
	if !strings.Contains(w.log.String(), `"security_event":"refresh_token_reuse"`) {
		t.Errorf("no security event in %s", w.log)
	}
	for _, secret := range []string{old.Refresh, next.Refresh, w.client.Secret} {
		if strings.Contains(w.log.String(), secret) {
			t.Error("a secret is in the log")
		}
	}

	w.wantAccess(t, "after starting over", w.tokens(t).Access, true)
}

func TestRefreshTokenExpires(t *testing.T) {
	w := newWorld(t)
	tokens := w.tokens(t)
	w.pass(oauth.RefreshLifetime)
	_, err := w.Refresh(t.Context(), w.client, tokens.Refresh)
	wantKind(t, "after two years", err, errs.KindForbidden)
}

func TestConcurrentRefreshesOfOneTokenGetOnePair(t *testing.T) {
	w := newWorld(t)
	old := w.tokens(t)
	var mu sync.Mutex
	pairs := map[oauth.Tokens]int{}
	results := race(50, func() error {
		tokens, err := w.Refresh(t.Context(), w.client, old.Refresh)
		mu.Lock()
		defer mu.Unlock()
		pairs[tokens]++
		return err
	})
	if len(pairs) != 1 || results[""] != 50 {
		t.Errorf("%d pairs, results %v", len(pairs), results)
	}
	for pair := range pairs {
		w.wantAccess(t, "the pair", pair.Access, true)
	}
}

func TestOneConcurrentRefreshOfDifferentTokensWins(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var refreshTokens []string
	for range 20 {
		refreshTokens = append(refreshTokens, w.tokens(t).Refresh)
	}
	var winner oauth.Tokens
	results := race(20, func() error {
		mu.Lock()
		mine := refreshTokens[0]
		refreshTokens = refreshTokens[1:]
		mu.Unlock()
		tokens, err := w.Refresh(t.Context(), w.client, mine)
		if err == nil {
			mu.Lock()
			winner = tokens
			mu.Unlock()
		}
		return err
	})

	if results[""] != 1 || results[errs.KindForbidden] != 19 {
		t.Errorf("results %v", results)
	}
	w.wantAccess(t, "the winner's", winner.Access, true)
}

func TestResetSecretRevokesTokensCodesAndTickets(t *testing.T) {
	w := newWorld(t)
	tokens, code := w.tokens(t), w.code(t, w.client)
	ticket, err := w.Begin(t.Context(), w.client)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := w.apps.ResetSecret(t.Context(), w.app.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.wantAccess(t, "after the reset", tokens.Access, false)
	_, err = w.Begin(t.Context(), w.client)
	wantKind(t, "old secret", err, errs.KindUnauthenticated)
	w.client.Secret = secret
	_, err = w.Refresh(t.Context(), w.client, tokens.Refresh)
	wantKind(t, "old refresh token", err, errs.KindForbidden)
	_, err = w.Exchange(t.Context(), w.client, code)
	wantKind(t, "old code", err, errs.KindForbidden)
	step, err := w.Continue(t.Context(), ticket)
	if err == nil {
		step, err = w.Continue(t.Context(), step.Ticket)
	}
	if err == nil {
		_, err = w.Exchange(t.Context(), w.client, step.Code)
	}
	wantKind(t, "code of an old ticket", err, errs.KindForbidden)
	w.wantAccess(t, "with the new secret", w.tokens(t).Access, true)
}

// conflicting is a store in which a concurrent request always wins.
type conflicting struct{ oauth.Store }

func (conflicting) Redeem(context.Context, app.Handle, oauth.Redemption) error {
	return errs.Conflict("busy")
}
func (conflicting) Rotate(context.Context, app.Handle, oauth.Rotation) error {
	return errs.Conflict("busy")
}

func TestEndlessConflictsAreUnavailable(t *testing.T) {
	w := newWorld(t)
	tokens, code := w.tokens(t), w.code(t, w.client)
	real := w.Store
	w.Store = conflicting{real}
	_, err := w.Exchange(t.Context(), w.client, code)
	wantKind(t, "exchange", err, errs.KindUnavailable)
	_, err = w.Refresh(t.Context(), w.client, tokens.Refresh)
	wantKind(t, "refresh", err, errs.KindUnavailable)
	w.Store = real
	w.wantAccess(t, "afterwards", tokens.Access, true)
	if _, err := w.Exchange(t.Context(), w.client, code); err != nil {
		t.Errorf("the code afterwards: %v", err)
	}
}

// race calls f n times at once and counts the kinds of error, "" for success.
func race(n int, f func() error) map[errs.Kind]int {
	var wg sync.WaitGroup
	start := make(chan struct{})
	kinds := make(chan errs.Kind, n)
	for range n {
		wg.Go(func() {
			<-start
			kinds <- errs.KindOf(f())
		})
	}
	close(start)
	wg.Wait()
	close(kinds)
	counts := map[errs.Kind]int{}
	for kind := range kinds {
		counts[kind]++
	}
	return counts
}

// BenchmarkAuthenticate measures authentication, which every authenticated call starts with.
func BenchmarkAuthenticate(b *testing.B) {
	w := newWorld(b)
	access := w.tokens(b).Access
	for b.Loop() {
		if _, err := w.auth.Authenticate(b.Context(), access); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRefresh(b *testing.B) {
	w := newWorld(b)
	tokens := w.tokens(b)
	for b.Loop() {
		var err error
		if tokens, err = w.Refresh(b.Context(), w.client, tokens.Refresh); err != nil {
			b.Fatal(err)
		}
	}
}

// torn is a store in which a refresh of the same token commits between the reads of the token and of its client.
type torn struct {
	oauth.Store
	refresh func()
}

// ClientAndToken implements oauth.Store. DynamoDB does not read the items of a batch at the same instant.
func (s *torn) ClientAndToken(
	ctx context.Context, h app.Handle, kind oauth.Kind, d app.Digest,
) (app.Application, oauth.Record, error) {
	a, record, err := s.Store.ClientAndToken(ctx, h, kind, d)
	if between := s.refresh; between != nil {
		s.refresh = nil
		between()
		a, _, err = s.Store.ClientAndToken(ctx, h, kind, d)
	}
	return a, record, err
}

// TestRefreshBetweenTwoReadsGetsSamePair: a refresh whose token was refreshed while it read gets the same pair.
func TestRefreshBetweenTwoReadsGetsSamePair(t *testing.T) {
	w := newWorld(t)
	first := w.tokens(t)
	var between oauth.Tokens
	store := &torn{Store: w.Store}
	store.refresh = func() { between = w.refresh(t, first.Refresh) }
	w.Store = store

	if got := w.refresh(t, first.Refresh); got != between {
		t.Errorf("got %+v, want %+v", got, between)
	}
}
