package requests

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
)

// codes verifies phone numbers: each number by a client of its own.
type codes struct{ app *client.Application }

const manyPhones = 3

func (c *codes) Plant(g *game.Requests) (err error) {
	if c.app, err = g.Application("codes"); err != nil {
		return err
	}
	return c.app.Call(context.Background(), "PUT", "/oserve/v3/sms-setting/", map[string]any{
		"enabled": true, "signatures": []any{map[string]any{"name": "Tea", "status": "approved"}},
	}, &struct{}{})
}

func (c *codes) Clients(g *game.Requests) (all []func(sim.Random)) {
	for n := range manyPhones {
		phone := fmt.Sprint("+861380013800", n)
		turn := func(random sim.Random, n int) { c.turn(g, random, phone, n) }
		all = append(all, g.Turns(3, 2*time.Minute, turn)) // a number gets one message a minute
	}
	return all
}

// turn gets a code and uses it.
func (c *codes) turn(g *game.Requests, random sim.Random, phone string, turn int) {
	g.Note("code sent")
	before := len(g.Mailbox.To(phone))
	sent := clients.Until(random, c.app, client.Request{
		Method: "POST", Path: "/oserve/v2.1/sms-verification-code/", Body: map[string]any{"phone": phone},
		Key: fmt.Sprint("send ", phone, turn),
	})
	messages := g.Mailbox.To(phone)
	switch n := len(messages) - before; {
	case n > 1:
		g.Problem("codes: one request sent %d messages to %s", n, phone)
	case n == 0 && sent.Known() == client.Acknowledged:
		g.Problem("codes: %s got no message", phone)
	}
	if len(messages) == before {
		return
	}

	g.Note("code verified")
	code := regexp.MustCompile(`\d{6}`).FindString(messages[len(messages)-1])
	r := client.Request{
		Method: "POST", Path: "/oserve/v1.8/sms-verification-code/verify/",
		Body: map[string]any{"phone": phone, "code": code}, Key: fmt.Sprint("verify ", phone, turn),
	}
	verified := clients.Until(random, c.app, r)
	if verified.Known() == client.Refused && sent.Known() == client.Acknowledged {
		g.Problem("codes: the code of %s was refused: %v", phone, verified.Failure())
	}
	r.Key = ""
	if again := c.app.Send(context.Background(), r); again.Known() == client.Acknowledged && verified.Known() == client.Acknowledged {
		g.Problem("codes: a code of %s was accepted twice", phone)
	}
}

func (*codes) Open(*game.Requests) int { return 0 }
func (*codes) Judge(*game.Requests)    {}
