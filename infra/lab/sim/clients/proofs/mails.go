package proofs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
)

// member is a user with an address and a session.
type member struct {
	address string
	session *client.Application
}

const (
	verifyPath = "/hserve/v2.0/user/email-verify/"
	resetPath  = "/hserve/v2.0/user/password/reset/"
)

// plantMembers registers users by their addresses.
func (p *proofs) plantMembers() (err error) {
	for n := range 2 {
		address := fmt.Sprintf("member%d@example.com", n)
		_, token, failed := clients.Login(p.app, "/hserve/v2.1/register/email/", map[string]any{
			"email": address, "password": "a long password",
		})
		err = errors.Join(err, failed)
		p.members = append(p.members, member{address, clients.As(p.app, token)})
	}
	return err
}

// mails are the texts of mails to an address, "" = to all members.
func (p *proofs) mails(g *game.Requests, address string) []string {
	return g.Mailbox.Sent(func(to, text string) bool {
		return to == "" && strings.Contains(text, "@example.com") && strings.Contains(text, "member") && strings.Contains(text, address)
	})
}

var (
	verifyLink = regexp.MustCompile(verifyPath + `[0-9a-f]{64}/`)
	resetToken = regexp.MustCompile(`token=([0-9a-f]{64})`)
)

// mail verifies the address of a member, and resets the password twice.
func (p *proofs) mail(g *game.Requests, random sim.Random, m member) {
	verified := p.linked(g, random, m.session, client.Request{Method: "POST", Path: verifyPath, Body: map[string]any{}}, m, "verify", func(text string) func(int) client.Reply {
		link := verifyLink.FindString(text)
		return func(int) client.Reply {
			answer, _ := clients.Send(p.app.With(""), client.Request{Method: "GET", Path: link})
			return answer
		}
	})
	if !verified {
		return
	}
	for turn := range 2 {
		g.Pause(random, 2*time.Minute)
		time.Sleep(random.Jitter(time.Minute)) // a mailbox gets one a minute
		p.reset(g, random, m, turn)
	}
}

// linked has a mail sent and its link used by several at once: one succeeds. It reports whether one did.
func (p *proofs) linked(
	g *game.Requests, random sim.Random, by *client.Application, r client.Request, m member, name string,
	use func(text string) func(n int) client.Reply,
) bool {
	g.Note("mail to " + name)
	before, asked := len(p.mails(g, m.address)), time.Now()
	r.Key = name + m.address
	clients.Until(random, by, r)
	mails := p.mails(g, m.address)
	if len(mails)-before > 1+int(time.Since(asked)/time.Minute) {
		g.Problem("proofs: %d mails were sent too early to %s", len(mails)-before, m.address)
	}
	if len(mails) == before {
		return false
	}
	done := p.atOnce(g, r.Key, 1+random.IntN(3), use(mails[len(mails)-1]))
	if done > 1 {
		g.Problem("proofs: a link of %s was used %d times", m.address, done)
	}
	return done == 1
}

// reset sets a new password by a mail, which several use with passwords of their own: one of them is the password.
func (p *proofs) reset(g *game.Requests, random sim.Random, m member, turn int) {
	nobody := clients.As(p.app, "")
	word := func(n int) string { return fmt.Sprintf("a new password %d %d", turn, n) }
	var mu sync.Mutex
	won := -1
	r := client.Request{Method: "POST", Path: resetPath, Body: map[string]any{"email": m.address}}
	if !p.linked(g, random, nobody, r, m, fmt.Sprint("reset ", turn), func(text string) func(int) client.Reply {
		found := resetToken.FindStringSubmatch(text)
		if found == nil {
			return func(int) client.Reply { return client.Reply{Status: http.StatusNotFound} }
		}
		return func(n int) client.Reply {
			answer, _ := clients.Send(nobody, client.Request{
				Method: "POST", Path: resetPath + "confirm/", Body: map[string]any{"token": found[1], "new_password": word(n)},
			})
			if answer.Known() == client.Acknowledged {
				mu.Lock()
				defer mu.Unlock()
				won = n
			}
			return answer
		}
	}) {
		return
	}
	if answer := nobody.Send(context.Background(), client.Request{
		Method: "POST", Path: "/hserve/v2.1/login/email/", Body: map[string]any{"email": m.address, "password": word(won)},
	}); answer.Known() == client.Refused && answer.Status != 429 && answer.Status != 409 {
		g.Problem("proofs: the new password of %s is refused: %v", m.address, answer.Failure())
	}
}
