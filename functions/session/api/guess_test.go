package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/secret/password"
	"minicloud/shared/user/login"
)

func from(address string) caller { return caller{"address": address} }

// guess logs in with a wrong password, n times, and returns how often each status was answered.
func (p *platform) guess(t testing.TB, from caller, request, body string, n int) map[int]int {
	t.Helper()
	got := map[int]int{}
	for range n {
		got[p.send(t, from, request, body).status]++
	}
	return got
}

// TestLimitsGuesses: after 10 wrong passwords for a name from an address, both are refused together; the name from
// elsewhere, and others from there, are not (C10).
func TestLimitsGuesses(t *testing.T) {
	for what, name := range map[string]string{"a user": "Ada", "nobody": "Nobody"} {
		t.Run(what, func(t *testing.T) {
			p := newPlatform(t)
			token := p.want(t, nil, registerUsername, ada, 201).text("token")
			wrong := fmt.Sprintf(`{"username":%q,"password":"wrong horse"}`, name)
			if got := p.guess(t, nil, loginUsername, wrong, login.PerPair+5); got[400] != login.PerPair || got[429] != 5 {
				t.Fatalf("statuses %v", got)
			}
			refused := p.want(t, nil, loginUsername, strings.Replace(wrong, "wrong horse", "correct horse", 1), 429)
			if after, err := strconv.Atoi(refused.header.Get("Retry-After")); err != nil || after < 1 || after > 900 {
				t.Errorf("Retry-After %q", refused.header.Get("Retry-After"))
			}
			// Another spelling is the same name.
			p.want(t, nil, loginUsername, strings.ToLower(wrong), 429)
			if !p.live(t, nil, token) {
				t.Error("the guesses ended a session")
			}

			want := 201
			if name != "Ada" {
				want = 400
			}
			p.want(t, from("192.0.2.77"), loginUsername, strings.Replace(wrong, "wrong horse", "correct horse", 1), want)
			p.want(t, nil, loginUsername, `{"username":"somebody else","password":"wrong horse"}`, 400)
			p.later(login.Period)
			p.want(t, nil, loginUsername, strings.Replace(wrong, "wrong horse", "correct horse", 1), want)
		})
	}
}

// TestRefusedGuessesCountNothing: somebody who goes on guessing after the limit locks out neither the owner at another
// address nor the other users at theirs.
func TestRefusedGuessesCountNothing(t *testing.T) {
	p := newPlatform(t)
	p.want(t, nil, registerUsername, ada, 201)
	p.guess(t, from("192.0.2.66"), loginUsername, wrongAda, login.PerName+login.PerAddress)
	p.want(t, from("192.0.2.2"), loginUsername, ada, 201)
	p.want(t, from("192.0.2.66"), loginUsername, `{"username":"eve","password":"wrong horse"}`, 400)
}

// TestRightPasswordsDoNotCount: users who log in often are not refused, and 10 wrong ones still are.
func TestRightPasswordsDoNotCount(t *testing.T) {
	p := newPlatform(t)
	p.want(t, nil, registerUsername, ada, 201)
	if got := p.guess(t, nil, loginUsername, ada, login.PerPair+2); got[201] != login.PerPair+2 {
		t.Errorf("statuses %v", got)
	}
	if got := p.guess(t, nil, loginUsername, wrongAda, login.PerPair+1); got[400] != login.PerPair {
		t.Errorf("statuses %v", got)
	}
}

// TestLimitsGuessesFromManyAddresses: a name has 100 wrong passwords from all addresses together, and an address 100
// for all names together.
func TestLimitsGuessesFromManyAddresses(t *testing.T) {
	p := newPlatform(t)
	p.want(t, nil, registerUsername, ada, 201)
	total := map[int]int{}
	for i := range login.PerName/login.PerPair + 2 {
		for status, n := range p.guess(t, from(fmt.Sprintf("198.51.100.%d", i)), loginUsername, wrongAda, login.PerPair) {
			total[status] += n
		}
	}
	if total[400] != login.PerName || total[429] != 2*login.PerPair {
		t.Errorf("guesses of one name: %v", total)
	}
	p.want(t, from("203.0.113.1"), loginUsername, ada, 429)

	total = map[int]int{}
	for i := range login.PerAddress + 7 {
		body := fmt.Sprintf(`{"username":"user %d","password":"wrong horse"}`, i)
		total[p.send(t, from("192.0.2.5"), loginUsername, body).status]++
	}
	if total[400] != login.PerAddress || total[429] != 7 {
		t.Errorf("guesses from one address: %v", total)
	}
	// Tenants count apart.
	p.want(t, from("192.0.2.5").set("X-Service-Client-ID", string(bank.ClientID)), loginUsername, wrongAda, 400)
	p.want(t, from("192.0.2.5").set("X-Service-Env-ID", string(testEnv)), loginUsername, wrongAda, 400)
}

// TestConcurrentGuesses: guesses at once have the limit of guesses one after another.
func TestConcurrentGuesses(t *testing.T) {
	p := newPlatform(t)
	p.want(t, nil, registerUsername, ada, 201)
	statuses := make(chan int, 3*login.PerPair)
	for range cap(statuses) {
		go func() { statuses <- p.send(t, nil, loginUsername, wrongAda).status }()
	}
	got := map[int]int{}
	for range cap(statuses) {
		got[<-statuses]++
	}
	if got[400] != login.PerPair || got[429] != 2*login.PerPair {
		t.Errorf("statuses %v", got)
	}
}

// TestLimitsGuessesOfTheCurrentPassword: a stolen session does not serve to guess the password.
func TestLimitsGuessesOfTheCurrentPassword(t *testing.T) {
	p := newPlatform(t)
	here := caller{}.with(p.want(t, nil, registerUsername, ada, 201).text("token"))
	got := p.guess(t, here, account, `{"new_password":"longer horse","password":"wrong horse"}`, 6)
	for status, n := range p.guess(t, here, closing, `{"password":"wrong horse"}`, 6) {
		got[status] += n
	}
	if got[400] != login.PerPair || got[429] != 2 {
		t.Errorf("statuses %v", got)
	}
	p.want(t, here, closing, `{"password":"correct horse"}`, 429)
}

// TestUnknownNamesCostTheSame: a login with an unknown name makes the same calls to the database as one with a wrong
// password, computes a hash as well, and has the same answer.
func TestUnknownNamesCostTheSame(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "UsersTable", "IdempotencyTable")
	recorder := dynamotest.Record(client)
	p := platformOn(recorder.Client)
	p.want(t, nil, registerUsername, ada, 201)
	p.want(t, nil, registerPhone, `{"phone":"13800138000","password":"correct horse"}`, 201)
	p.want(t, nil, loginAnonymous, "", 201)
	cases := []struct{ request, body string }{
		{loginUsername, wrongAda},
		{loginUsername, `{"username":"nobody","password":"wrong horse"}`},
		{loginUsername, `{"username":"","password":"wrong horse"}`},
		{loginPhone, `{"phone":"13800138000","password":"wrong horse"}`},
		{loginPhone, `{"phone":"13800138001","password":"wrong horse"}`},
		{loginPhone, `{"phone":"no phone","password":"wrong horse"}`},
		{loginEmail, `{"email":"no address","password":"wrong horse"}`},
	}

	var calls []string
	var text string
	for i, c := range cases {
		recorder.Take()
		got := p.want(t, from(fmt.Sprintf("192.0.2.%d", 100+i)), c.request, c.body, 400)
		took := recorder.Take()
		slices.Sort(took) // some are made at once
		if calls == nil {
			calls, text = took, got.body
		} else if !slices.Equal(took, calls) || got.body != text {
			t.Errorf("%s: calls %v and %s, want %v and %s", c.body, took, got.body, calls, text)
		}
	}

	// A name that is too long to exist has the same answer.
	endless := p.want(t, nil, loginUsername, `{"username":"`+strings.Repeat("x", 3000)+`","password":"wrong horse"}`, 400)
	if endless.body != text {
		t.Errorf("%s", endless.body)
	}

	// With no room for a hash, every login waits for it until its time is over.
	p.logins.Users.Passwords = password.New(0)
	for _, c := range cases {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, path, _ := strings.Cut(c.request, " ")
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader(c.body))
		r.Header.Set("X-Service-Client-ID", string(shop.ClientID))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if cancel(); w.Code != http.StatusGatewayTimeout {
			t.Errorf("%s computed no hash: %d %s", c.body, w.Code, w.Body)
		}
	}
}

// TestLimitsNewUsers: an address has a number of new users per hour.
func TestLimitsNewUsers(t *testing.T) {
	p := newPlatform(t)
	p.logins.PerHour = 3
	p.want(t, nil, registerUsername, ada, 201)
	p.want(t, nil, loginAnonymous, "", 201)
	p.want(t, nil, registerUsername, `{"username":"x","password":"short"}`, 400) // not counted
	p.want(t, nil, loginAnonymous, "", 201)
	p.want(t, nil, loginAnonymous, "", 429)
	if got := p.want(t, nil, registerEmail, `{"email":"a@example.com","password":"correct horse"}`, 429); got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	p.want(t, from("192.0.2.2"), loginAnonymous, "", 201)
	p.want(t, nil, loginUsername, ada, 201)
	p.later(time.Hour)
	p.want(t, nil, loginAnonymous, "", 201)
}
