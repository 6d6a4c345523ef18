package proofs

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
)

const (
	codePath  = "/hserve/v2.2/sms-verification-code/"
	loginPath = "/hserve/v2.1/login/sms/"
	// numbers begin the phones of this application.
	numbers = "+86138007"
	// mostGuesses is how many codes may be tried.
	mostGuesses = 5
)

// texts are the messages to phones that begin so, "" = to all of the application.
func (p *proofs) texts(g *game.Requests, number string) []string {
	return g.Mailbox.Sent(func(to, _ string) bool { return strings.HasPrefix(to, numbers+number) })
}

// ask has a code sent to a number, by its key until it is answered.
func (p *proofs) ask(random sim.Random, number, key string) client.Reply {
	r := client.Request{Method: "POST", Path: codePath, Body: map[string]any{"phone": numbers + number}, Key: key}
	return clients.Until(random, clients.As(p.app, ""), r)
}

// enter logs in by a code.
func (p *proofs) enter(g *game.Requests, number, code string) client.Reply {
	answer, _ := clients.Send(clients.As(p.app, ""), client.Request{
		Method: "POST", Path: loginPath, Body: map[string]any{"phone": numbers + number, "code": code},
	})
	p.found(g, "phone "+number, answer)
	return answer
}

var sixDigits = regexp.MustCompile(`\d{6}`)

// phone gets a code and uses it, alone, twice at once, or after too many wrong guesses.
func (p *proofs) phone(g *game.Requests, random sim.Random, n, turn int) {
	number := fmt.Sprintf("0000%d", n)
	before, asked := len(p.texts(g, number)), time.Now()
	p.ask(random, number, fmt.Sprint("phone ", n, turn))
	texts := p.texts(g, number)
	// A number gets one message a minute; nobody's request has no key, so its repetitions may send the next.
	if len(texts)-before > 1+int(time.Since(asked)/time.Minute) {
		g.Problem("proofs: %d messages were sent too early to %s", len(texts)-before, number)
	}
	if len(texts) == before { // the budget is used up, or nobody knows
		return
	}

	code := sixDigits.FindString(texts[len(texts)-1])
	times, name := 1+random.IntN(3), fmt.Sprint("code ", n, turn)
	if guessed := random.IntN(3) == 0; guessed {
		g.Note("code guessed")
		refused := 0
		for guess := range mostGuesses + 1 {
			if p.enter(g, number, fmt.Sprintf("%06d", guess)).Status == 400 {
				refused++
			}
		}
		if p.atOnce(g, name, times, func(int) client.Reply { return p.enter(g, number, code) }) > 0 && refused > mostGuesses {
			g.Problem("proofs: %d guesses did not void the code of %s", refused, number)
		}
		return
	}
	g.Note("code entered")
	done := p.atOnce(g, name, times, func(int) client.Reply { return p.enter(g, number, code) })
	if p.enter(g, number, code).Known() == client.Acknowledged {
		done++
	}
	if done > 1 {
		g.Problem("proofs: a code of %s was accepted %d times", number, done)
	}
}

// pump has codes sent to many numbers at once, more than the budget has.
func (p *proofs) pump(g *game.Requests, random sim.Random) {
	g.Pause(random, 4*time.Minute)
	g.Note("codes for many numbers")
	p.atOnce(g, "pump", textBudget+4, func(n int) client.Reply {
		own := g.World.Random(fmt.Sprint("pump of ", n))
		return p.ask(own, fmt.Sprintf("1%04d", n), fmt.Sprint("pump ", n))
	})
}
