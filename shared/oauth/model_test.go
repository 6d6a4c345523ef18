package oauth_test

import (
	"flag"
	"testing"
	"time"

	"pgregory.net/rapid"

	"minicloud/shared/errs"
	"minicloud/shared/oauth"
)

// model is the reference model of the tokens of one client: which are valid, and which responses are correct, according
// to the documents.
type model struct {
	*world
	t          *testing.T
	generation int
	secrets    int // number of secret resets
	codes      []*modelCode
	pairs      []*modelPair
}

type modelCode struct {
	code    string
	secret  int
	until   time.Time
	spent   bool
	revoked bool
}

type modelPair struct {
	tokens     oauth.Tokens
	grant      *modelCode
	generation int
	issued     time.Time
	spentAt    time.Time // zero: not spent
	next       *modelPair
}

func (m *model) valid(p *modelPair) bool {
	return p.generation == m.generation && !p.grant.revoked && m.time().Before(p.issued.Add(oauth.AccessLifetime))
}

func (m *model) Authorize(*rapid.T) {
	m.codes = append(
		m.codes, &modelCode{code: m.code(m.t, m.client), secret: m.secrets, until: m.time().Add(oauth.CodeLifetime)},
	)
}

func (m *model) Exchange(rt *rapid.T) {
	if len(m.codes) == 0 {
		rt.Skip()
	}
	c := rapid.SampledFrom(m.codes).Draw(rt, "code")
	tokens, err := m.Service.Exchange(m.t.Context(), m.client, c.code)
	switch {
	case c.secret == m.secrets && !c.spent && m.time().Before(c.until):
		if err != nil {
			rt.Fatalf("a good code: %v", err)
		}
		c.spent = true
		m.pairs = append(m.pairs, &modelPair{tokens: tokens, grant: c, generation: m.generation, issued: m.time()})
	case !errs.Is(err, errs.KindForbidden):
		rt.Fatalf("a bad code: %v", err)
	case c.spent && c.secret == m.secrets:
		c.revoked = true
	}
}

func (m *model) Refresh(rt *rapid.T) {
	if len(m.pairs) == 0 {
		rt.Skip()
	}
	p := rapid.SampledFrom(m.pairs).Draw(rt, "pair")
	tokens, err := m.Service.Refresh(m.t.Context(), m.client, p.tokens.Refresh)
	switch {
	case !p.spentAt.IsZero() && m.time().Sub(p.spentAt) > oauth.ReplayWindow:
		m.generation++
	case !p.spentAt.IsZero():
		if m.valid(p.next) && p.next.spentAt.IsZero() {
			if err != nil || tokens.Access != p.next.tokens.Access || tokens.Refresh != p.next.tokens.Refresh {
				rt.Fatalf("a lost answer: %v", err)
			}
			return
		}
	case m.valid(p):
		if err != nil {
			rt.Fatalf("a good refresh token: %v", err)
		}
		m.generation++
		p.spentAt = m.time()
		p.next = &modelPair{tokens: tokens, grant: p.grant, generation: m.generation, issued: m.time()}
		m.pairs = append(m.pairs, p.next)
		return
	}
	if !errs.Is(err, errs.KindForbidden) {
		rt.Fatalf("a bad refresh token: %v", err)
	}
}

func (m *model) ResetSecret(rt *rapid.T) {
	if rapid.IntRange(0, 4).Draw(rt, "seldom") > 0 {
		rt.Skip()
	}
	secret, err := m.apps.ResetSecret(m.t.Context(), m.app.ID)
	if err != nil {
		rt.Fatal(err)
	}
	m.client.Secret = secret
	m.generation++
	m.secrets++
}

func (m *model) Pass(rt *rapid.T) {
	m.pass(rapid.SampledFrom([]time.Duration{
		time.Second, 30 * time.Second, 61 * time.Second, 10 * time.Minute,
	}).Draw(rt, "time"))
}

// Check compares the validity of every access token with the model.
func (m *model) Check(rt *rapid.T) {
	for i, p := range m.pairs {
		_, err := m.auth.Authenticate(m.t.Context(), p.tokens.Access)
		if got := err == nil; got != m.valid(p) {
			rt.Fatalf("access token %d: valid %v (%v), want %v", i, got, err, !got)
		}
	}
}

func TestTokensMatchModel(t *testing.T) {
	if err := flag.Set("rapid.checks", "30"); err != nil { // every step makes several calls
		t.Fatal(err)
	}
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		w.app, w.client = w.newApp(t)
		m := &model{world: w, t: t, generation: 1}
		rt.Repeat(map[string]func(*rapid.T){
			"authorize": m.Authorize, "exchange": m.Exchange, "refresh": m.Refresh, "refresh again": m.Refresh,
			"reset secret": m.ResetSecret, "time passes": m.Pass, "": m.Check,
		})
	})
}
