package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
)

// codes verifies phone numbers: each number by a client of its own.
type codes struct{ app *client.Application }

const manyPhones = 3

func (c *codes) plant(g *game) (err error) {
	if c.app, err = g.application("codes"); err != nil {
		return err
	}
	return c.app.Call(context.Background(), "PUT", "/oserve/v3/sms-setting/", map[string]any{
		"enabled": true, "signatures": []any{map[string]any{"name": "Tea", "status": "approved"}},
	}, &struct{}{})
}

func (c *codes) clients(g *game) (all []func(sim.Random)) {
	for n := range manyPhones {
		phone := fmt.Sprint("+861380013800", n)
		all = append(all, func(random sim.Random) {
			for turn := range 3 {
				c.turn(g, random, phone, turn)
				g.pause(random, 2*time.Minute) // a number gets one message a minute
			}
		})
	}
	return all
}

// turn gets a code and uses it.
func (c *codes) turn(g *game, random sim.Random, phone string, turn int) {
	g.note("code sent")
	before := len(g.mailbox.to(phone))
	sent := c.until(random, client.Request{
		Method: "POST", Path: "/oserve/v2.1/sms-verification-code/", Body: map[string]any{"phone": phone},
		Key: fmt.Sprint("send ", phone, turn),
	})
	messages := g.mailbox.to(phone)
	switch n := len(messages) - before; {
	case n > 1:
		g.problem("codes: one request sent %d messages to %s", n, phone)
	case n == 0 && sent.Known() == client.Acknowledged:
		g.problem("codes: %s got no message", phone)
	}
	if len(messages) == before {
		return
	}

	g.note("code verified")
	code := regexp.MustCompile(`\d{6}`).FindString(messages[len(messages)-1])
	r := client.Request{
		Method: "POST", Path: "/oserve/v1.8/sms-verification-code/verify/",
		Body: map[string]any{"phone": phone, "code": code}, Key: fmt.Sprint("verify ", phone, turn),
	}
	verified := c.until(random, r)
	if verified.Known() == client.Refused && sent.Known() == client.Acknowledged {
		g.problem("codes: the code of %s was refused: %v", phone, verified.Failure())
	}
	r.Key = ""
	if again := c.app.Send(context.Background(), r); again.Known() == client.Acknowledged && verified.Known() == client.Acknowledged {
		g.problem("codes: a code of %s was accepted twice", phone)
	}
}

// until sends a request by its key a few times, until it is answered. It may never be known whether a message was sent.
func (c *codes) until(random sim.Random, r client.Request) (answer client.Reply) {
	for range 6 {
		answer = c.app.Send(context.Background(), r)
		if answer.Known() != client.Unknown && answer.Status != http.StatusConflict {
			return answer
		}
		time.Sleep(random.Jitter(client.RepeatAfter))
	}
	return client.Reply{Status: http.StatusServiceUnavailable}
}

func (*codes) open(*game) int { return 0 }
func (*codes) judge(*game)    {}

// mailbox is SES and SNS: it keeps what was sent.
type mailbox struct {
	mu   sync.Mutex
	sent []url.Values
}

// ServeHTTP takes a message.
func (m *mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body) // it is in memory
	form, err := url.ParseQuery(string(text))
	if mail := json.Valid(text); mail || err != nil {
		form = url.Values{"Mail": {string(text)}}
	}
	m.mu.Lock()
	m.sent = append(m.sent, form)
	n := len(m.sent)
	m.mu.Unlock()
	if form.Has("Mail") {
		fmt.Fprintf(w, `{"MessageId":"%d"}`, n)
		return
	}
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprintf(w, `<PublishResponse><PublishResult><MessageId>%d</MessageId></PublishResult></PublishResponse>`, n)
}

// to are the texts that a number got.
func (m *mailbox) to(phone string) (all []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, form := range m.sent {
		if form.Get("PhoneNumber") == phone {
			all = append(all, form.Get("Message"))
		}
	}
	return all
}
