package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/hook"
	"minicloud/shared/trigger/run"
)

// backTest runs a trigger's back-test over the last days.
func (p *platform) backTest(made map[string]any, days int) string {
	p.Helper()
	got := p.must(200, "POST", path(p.T, made, "back-test/"), fmt.Sprintf(`{"days":%d}`, days))
	if covers, _ := got["covers"].(string); len(covers) < 20 {
		p.Errorf("what it covers: %v", got)
	}
	var subjects []string
	for _, object := range got["sample"].([]any) {
		subjects = append(subjects, at(p.T, object, "subject_id").(string))
	}
	return fmt.Sprintf("%.0f of %.0f: %s", got["held"], got["events"], strings.Join(subjects, " "))
}

func trying(kind, condition string) string {
	return fmt.Sprintf(`{"name":"n","type":%q,"condition":%s,"actions":[%s]}`, kind, condition, hooked)
}

// TestBackTestOfPayments: it uses the paid orders of the trigger's vendor.
func TestBackTestOfPayments(t *testing.T) {
	p := newPlatform(t)
	orders := &orderdb.Store{Client: p.client, Table: "OrdersTable"}
	add := func(scope tenant.Scope, n int, gateway order.Gateway, status order.Status, ago time.Duration) {
		t.Helper()
		at := noon.Add(-ago)
		err := orders.Insert(t.Context(), scope, order.Order{
			ID: id.First(at) + id.ID(n), Gateway: gateway, Status: status, TradeNo: fmt.Sprint("T", n),
			TransactionNo: fmt.Sprint("N", n), Total: 100, CreatedAt: at, UpdatedAt: at, PaidAt: at,
		}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
	}
	day := 24 * time.Hour
	add(shop, 1, order.ChatpayNative, order.Success, time.Hour)
	add(shop, 2, order.Altpay, order.Success, 2*time.Hour)
	add(shop, 3, order.Chatpay, order.Pending, 3*time.Hour)
	add(shop, 4, order.Chatpay, order.Success, 3*day)
	add(shop, 5, order.Chatpay, order.Success, 8*day)
	add(tenant.Scope{App: 8, Env: tenant.Production}, 6, order.Chatpay, order.Success, time.Hour)

	chat := p.must(201, "POST", triggers, trying("chat_pay", `{"result":"success"}`))
	alt := p.must(201, "POST", triggers, trying("alt_pay", `{}`))
	for _, c := range []struct {
		made map[string]any
		days int
		want string
	}{{chat, 1, "1 of 1: T1"}, {chat, 7, "2 of 2: T1 T4"}, {alt, 7, "1 of 1: T2"}} {
		if got := p.backTest(c.made, c.days); got != c.want {
			t.Errorf("%v of %d days: %s, want %s", c.made["type"], c.days, got, c.want)
		}
	}
}

// TestBackTestOfHooks: it uses the calls that fired the trigger.
func TestBackTestOfHooks(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, trying("incoming_webhook", `{}`))
	one := p.stored(made)
	h := hook.Hook{ID: one.HookID, Scope: shop, Trigger: one.ID, Enabled: true}
	for n, ago := range []time.Duration{time.Hour, 2 * time.Hour, 48 * time.Hour} {
		call := trigger.HookCall{
			ID: fmt.Sprint("c", n), Hook: h.ID, Method: "POST", At: noon.Add(-ago), Payload: map[string]any{"n": 1.0},
		}
		if err := p.triggers.Keep(t.Context(), h, call, 9); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.triggers.Refuse(t.Context(), h, hook.ReceivedCall{ID: "no", At: noon.UnixMilli()}); err != nil {
		t.Fatal(err)
	}
	if got := p.backTest(made, 1); got != "2 of 2: c0 c1" {
		t.Error(got)
	}
	if got := p.backTest(made, 7); got != "3 of 3: c0 c1 c2" {
		t.Error(got)
	}
}

// TestBackTestOfLoggedEvents: events of deletions, files and messages are stored in the log only. A second trigger
// finds the events of the first, each once, and no simulated ones.
func TestBackTestOfLoggedEvents(t *testing.T) {
	p := newPlatform(t)
	for kind, c := range map[string]struct{ first, second, forever, want string }{
		"table": {
			`{"table":"books","event":"delete"}`,
			`{"table":"books","event":"delete","rules":[{"field":"pages","operator":">","value":2}]}`,
			`{"table":"books","event":"create"}`, "1 of 2: row3",
		},
		"file_operation": {
			`{"operation":"upload","result":"success"}`, `{"operation":"upload","result":"success"}`,
			`{"operation":"delete","result":"success"}`, "2 of 2: file3 file1",
		},
		"chat_message": {
			`{}`, `{"rules":[{"field":"Content","value":"3"}]}`, `{"app_id":"none"}`, "1 of 2: m3",
		},
	} {
		t.Run(kind, func(t *testing.T) {
			first := p.must(201, "POST", triggers, trying(kind, c.first))
			second := p.must(201, "POST", triggers, trying(kind, c.second))
			one := p.stored(first)
			for _, n := range []int{1, 3} {
				e := p.happens(kind, n)
				for range 2 { // one run for each of two actions
					action := one.Actions[0]
					r := run.Run{
						ID: run.IDOf(shop, one.ID, e.ID, action.ID), Scope: shop, Trigger: one.ID, Action: action.ID,
						ActionType: action.Type, Event: e, Status: run.Succeeded, CreatedAt: e.At,
					}
					if _, err := p.runs.Start(t.Context(), r, trigger.Frequency{}, noon); err != nil {
						t.Fatal(err)
					}
					one.Actions[0].ID++
				}
			}
			p.must(200, "POST", path(t, first, "fire/"), `{}`)

			if got := p.backTest(second, 1); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			other := p.must(201, "POST", triggers, trying(kind, c.forever))
			if got := p.backTest(other, 1); !strings.HasPrefix(got, "0 of ") {
				t.Errorf("another condition: %s", got)
			}
		})
	}
}

// happens returns an event of the kind, as the log stores it; n orders the events by time.
func (p *platform) happens(kind string, n int) trigger.Event {
	p.Helper()
	at := noon.Add(-time.Duration(10-n) * time.Hour)
	name := fmt.Sprintf("bus-%d", n)
	switch kind {
	case "chat_message":
		return trigger.MessageEvent(shop, name, at, map[string]any{"Content": fmt.Sprint(n), "MsgId": fmt.Sprint("m", n)})
	case "file_operation":
		e, err := trigger.FileEvent(shop, name, at, map[string]any{
			"operation": "upload", "result": "success", "file": map[string]any{"id": fmt.Sprint("file", n)},
		})
		if err != nil {
			p.Fatal(err)
		}
		return e
	}
	record := map[string]any{"id": fmt.Sprint("row", n), "pages": float64(n)}
	return trigger.Event{
		ID: name, Scope: shop, Type: trigger.TypeTable, Kind: trigger.OnDelete, At: at, Subject: fmt.Sprint("row", n),
		Table: p.book.ID, Before: record, Payload: record,
	}
}
