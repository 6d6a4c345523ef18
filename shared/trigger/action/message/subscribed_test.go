package message_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// requested returns the work of a function's request: a message to all users who have subscribed.
func requested(name string) action.Work {
	s := &trigger.TemplateMessageSettings{
		Vendor: "chat", Recipient: trigger.Recipient{Kind: trigger.SomeUsers}, TemplateID: "t1", Page: "pages/index",
		FormIDSource: trigger.Subscription, Keywords: map[string]string{"thing1": "{{ created_by.nickname }}"},
	}
	r := run.NewRequest(shop, 99, name, trigger.Action{Type: trigger.TemplateMessage, Settings: s}, trace.Link{}, noon)
	t, _ := r.Requested()
	a, _ := t.Action(1)
	return action.Work{Run: r, Trigger: t, Action: a, Attempt: 1}
}

// subscribe reports subscriptions of a user to the template.
func (p *platform) subscribe(u, times int) {
	p.Helper()
	for i := range times {
		_, err := p.doer.Tickets.AddTicket(p.Context(), shop, ticketOf(u), fmt.Sprint(i), p.now.Add(time.Hour))
		if err != nil {
			p.Fatal(err)
		}
	}
}

func ticketOf(u int) consent.Ticket {
	return consent.Ticket{User: user.ID(u), Vendor: messaging.Chat, Template: "t1"}
}

func (p *platform) tickets(u int) int {
	p.Helper()
	counts, err := p.doer.Tickets.Tickets(p.Context(), shop, user.ID(u), "t1", noon)
	if err != nil {
		p.Fatal(err)
	}
	return counts[messaging.Chat]
}

// TestSubscribedMessageSpendsTicket spends a ticket if there is one. Without a ticket the vendor decides. Text from a
// function is not a template.
func TestSubscribedMessageSpendsTicket(t *testing.T) {
	p := newPlatform(t, 8)
	p.subscribe(1, 2)
	r, _, err := p.play(requested("a"))
	p.want(r, err, `{"sent":7,"skipped":1,"failed":0}`)
	if got := p.tickets(1); got != 1 || len(p.sent) != 7 {
		t.Errorf("%d tickets are left, %d were sent", got, len(p.sent))
	}
	m := p.sent[0]
	if m.FormID != "" || m.To != "person1" || m.TemplateID != "t1" || m.Keywords["thing1"] != "{{ created_by.nickname }}" {
		t.Errorf("%+v", m)
	}
	if _, _, err := p.play(replayed(requested("a"), "")); err != nil || p.tickets(1) != 1 || len(p.sent) != 7 {
		t.Errorf("the same once more: %v, %d tickets, %d sent", err, p.tickets(1), len(p.sent))
	}
}

// TestRefusedMessageKeepsTicket keeps the ticket of a refused message, unless the vendor reports no subscription.
func TestRefusedMessageKeepsTicket(t *testing.T) {
	for verdict, want := range map[templatemessage.Verdict]int{
		templatemessage.BadUser: 0, templatemessage.Never: 3, templatemessage.Later: 3,
	} {
		p := newPlatform(t, 1)
		p.subscribe(1, 3)
		p.fail[""] = []error{&templatemessage.Refusal{Verdict: verdict, Code: "1", Message: "no"}}
		if _, err := p.doer.Do(t.Context(), requested("a")); err == nil || p.tickets(1) != want || len(p.sent) != 0 {
			t.Errorf("verdict %d: %v, %d tickets, %d sent", verdict, err, p.tickets(1), len(p.sent))
		}
	}

	p := newPlatform(t, 1)
	p.subscribe(1, 3)
	p.fail[""] = []error{errors.New("the connection broke")}
	if _, err := p.doer.Do(t.Context(), requested("a")); err == nil || p.tickets(1) != 2 {
		t.Errorf("nobody knows: %v, %d tickets", err, p.tickets(1))
	}
}

// TestCrashSendsSubscribedMessageOnce kills the program at each call.
func TestCrashSendsSubscribedMessageOnce(t *testing.T) {
	for at := 1; ; at++ {
		p := newPlatform(t, 3)
		for u := range 3 {
			p.subscribe(u+1, 2)
		}
		p.dieAt = at
		_, _, err := p.play(requested("a"))
		if p.calls < at {
			return
		}

		got := map[string]int{}
		for _, m := range p.sent {
			got[m.To]++
		}
		left := p.tickets(1) + p.tickets(2) + p.tickets(3)
		for who, times := range got {
			if times > 1 {
				t.Errorf("killed at %d: %s got %d", at, who, times)
			}
		}
		if err != nil && !errs.Is(err, errs.KindInternal) || left < 3 || left > 4 || len(p.sent) < 2 {
			t.Errorf("killed at %d: %v, %d sent, %d tickets are left", at, err, len(p.sent), left)
		}
	}
}
