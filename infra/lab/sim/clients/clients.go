// Package clients has what the parts of a game (package game) need that are played by end users: mini programs and web
// pages. The parts stand below it:
//
//	uploads     send files to the receiver, to S3 and in parts, delete them             files
//	orders      create orders at the payment vendors and pay them                       orders
//	people      register, log in, convert, link, close; administrators block           people
//	proofs      codes by SMS, links in mails, web logins: each proves once               proofs
//	notes       lists, reads, writes and bulk writes under row permissions              rows/rows.go write.go read.go
//	uniques     rows that want the same values of a unique column                       rows/uniques.go
//	starters    bulk operations in the background, as the user who started them         rows/starters.go
//
// The model knows only what callers know: when a request was sent, and when its answer came. What happened lies between
// the two (Span), so of two requests at the same time either may have been first.
//
//	Span        when something happened                                                 span.go
//	Timeline    values that one caller changes: permissions, memberships, blocks        span.go
//	Holders     who has a name, an identity or a unique value                           holders.go
package clients

import (
	"context"
	"net/http"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
)

// As is the application as an end user with a session calls it, "" = nobody.
func As(a *client.Application, token string) *client.Application {
	user := a.With(token).Service()
	user.Header = http.Header{"X-Service-Client-Id": {string(a.Credentials.ClientID)}}
	return user
}

// Settled is how long after a request no program works on it any more: the time limit of its program and a margin.
const Settled = 35 * time.Second

// Send sends a request, and returns when it happened. If nobody knows whether it did, it returns when it is over.
func Send(a *client.Application, r client.Request) (client.Reply, Span) {
	from := time.Now()
	answer := a.Send(context.Background(), r)
	if answer.Known() == client.Unknown {
		time.Sleep(time.Until(from.Add(Settled)))
	}
	return answer, Span{from, time.Now()}
}

// Keyed sends a request, by its key or without it, and returns when it happened.
func Keyed(random sim.Random, a *client.Application, r client.Request) (client.Reply, Span, string) {
	if random.IntN(2) == 0 {
		r.Key = ""
	}
	return Repeat(random, a, r)
}

// Repeat sends a request by its key until it is answered, or once if it has none, and returns when it happened and what
// is wrong with its answers.
func Repeat(random sim.Random, a *client.Application, r client.Request) (client.Reply, Span, string) {
	if r.Key == "" {
		answer, asked := Send(a, r)
		return answer, asked, ""
	}
	from := time.Now()
	answer, x := a.Repeat(random.Rand, r)
	if answer.Known() != client.Acknowledged { // an earlier try may go on
		time.Sleep(Settled)
		x.Wrong = "" // the caller judges refusals
	}
	return answer, Span{from, time.Now()}, x.Wrong
}

// Until sends a request by its key a few times, until it is answered. A budget that is used up is an answer.
func Until(random sim.Random, a *client.Application, r client.Request) (answer client.Reply) {
	for range 5 {
		answer, _ = Send(a, r)
		if answer.Known() != client.Unknown && answer.Status != http.StatusConflict {
			break
		}
		time.Sleep(random.Jitter(time.Second))
	}
	return answer
}

// Login logs in or registers a user while nothing goes wrong.
func Login(a *client.Application, path string, body map[string]any) (id int64, token string, err error) {
	var got Entered
	err = As(a, "").Call(context.Background(), "POST", path, body, &got)
	return got.ID, got.Token, err
}

// Entered is the answer of every login.
type Entered struct {
	ID    int64  `json:"user_id"`
	Token string `json:"token"`
}

// The paths of logins.
const (
	AnonymousPath = "/hserve/v2.0/login/anonymous/"
	SilentPath    = "/hserve/v2.5/idp/chat/silent-login/"
)

// AllowVendor stores the setting with which users log in by their identities at chat.
func AllowVendor(a *client.Application) error {
	return a.Call(context.Background(), "PUT", "/oserve/v3/message-setting/chat/", map[string]any{
		"app_id": "app", "app_secret": "secret",
	}, &struct{}{})
}
