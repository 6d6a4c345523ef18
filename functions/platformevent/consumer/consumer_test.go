package consumer_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/platformevent/consumer"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

type applications struct{ down bool }

func (a *applications) Application(_ context.Context, id tenant.AppID) (app.Application, error) {
	switch {
	case a.down:
		return app.Application{}, errs.Unavailable(1, "busy")
	case id != 7:
		return app.Application{}, errs.NotFound("application %d not found", id)
	}
	return app.Application{ID: 7, Environments: map[tenant.EnvID]string{"0123456789abcdef0123": "staging"}}, nil
}

// dead is a fake that records the reasons of refused events.
type dead struct {
	mu      sync.Mutex
	reasons []string
	groups  []string
}

func (d *dead) Refuse(_ context.Context, group, reason string, _ []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reasons, d.groups = append(d.reasons, reason), append(d.groups, group)
	return nil
}

func newGroup(t testing.TB) (*consumer.Group, *applications, *dead) {
	apps, letters := &applications{}, &dead{}
	orders := &order.Service{
		Store: &orderdb.Store{Client: dynamotest.Start(t, "OrdersTable"), Table: "OrdersTable"}, Clock: clock.Fixed(now),
	}
	return &consumer.Group{
		Applications: apps, Orders: orders, Dead: letters, Log: slog.New(slog.DiscardHandler),
	}, apps, letters
}

// event returns an event as a message of the queue.
func event(detailType, detail string) []byte {
	message, err := json.Marshal(events.EventBridgeEvent{
		ID: "e1", DetailType: detailType, Source: "minicloud", Time: now, Detail: json.RawMessage(detail),
	})
	if err != nil {
		panic(err) // the detail is not JSON
	}
	return message
}

const paid = `{"miniapp":7,"gateway_type":"chatpay","trade_no":"T1","total_cost":1.5,"created_by":70,"status":"success"}`

// TestRepeatedPaymentMakesOneOrder: also when it arrives twenty times concurrently.
func TestRepeatedPaymentMakesOneOrder(t *testing.T) {
	g, _, letters := newGroup(t)
	var bus sync.WaitGroup
	for range 20 {
		bus.Go(func() {
			if err := g.Consume(t.Context(), event("payment", paid)); err != nil {
				t.Error(err)
			}
		})
	}
	bus.Wait()
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	got, err := g.Orders.List(t.Context(), scope, order.Filter{}, page.Request{Limit: 10})
	if err != nil || len(got.Objects) != 1 || got.Objects[0].CreatedBy != 70 || got.Objects[0].Status != order.Success {
		t.Errorf("%+v, %v", got, err)
	}
	if len(letters.reasons) > 0 {
		t.Error(letters.reasons)
	}
}

// TestInvalidEventsBecomeDeadLetters: with the reason; they are not redelivered.
func TestInvalidEventsBecomeDeadLetters(t *testing.T) {
	for name, tt := range map[string]struct{ detailType, detail, reason, group string }{
		"another amount":      {"payment", strings.Replace(paid, "1.5", "1.6", 1), "total_cost", "7"},
		"another user":        {"payment", strings.Replace(paid, ":70", ":71", 1), "created_by", "7"},
		"unknown application": {"payment", strings.Replace(paid, ":7,", ":8,", 1), "miniapp 8", "8"},
		"unknown environment": {
			"payment", strings.Replace(paid, `"miniapp"`, `"env":"ffffffffffffffffffff","miniapp"`, 1), "env", "7",
		},
		"no application":  {"payment", strings.Replace(paid, `"miniapp":7,`, "", 1), "miniapp", "unknown"},
		"unknown gateway": {"payment", strings.Replace(paid, "chatpay", "cash", 1), "gateway_type", "7"},
		"no object":       {"payment", `[]`, "object", "unknown"},
		"unknown type":    {"weather", `{}`, "weather", "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			g, _, letters := newGroup(t)
			if err := g.Consume(t.Context(), event("payment", paid)); err != nil {
				t.Fatal(err)
			}
			if err := g.Consume(t.Context(), event(tt.detailType, tt.detail)); err != nil {
				t.Error(err)
			}
			if len(letters.reasons) != 1 || !strings.Contains(letters.reasons[0], tt.reason) || letters.groups[0] != tt.group {
				t.Errorf("%q to %q, want %q to %q", letters.reasons, letters.groups, tt.reason, tt.group)
			}
		})
	}
}

func TestUnreadableMessagesBecomeDeadLetters(t *testing.T) {
	g, _, letters := newGroup(t)
	for _, message := range []string{"", "nonsense", `{"id":7}`, `[]`} {
		if err := g.Consume(t.Context(), []byte(message)); err != nil {
			t.Errorf("%q: %v", message, err)
		}
	}
	if len(letters.reasons) != 4 || !strings.Contains(letters.reasons[1], "no event") || letters.groups[1] != "unknown" {
		t.Errorf("%q to %q", letters.reasons, letters.groups)
	}
}

// TestRetriesTransientErrors: a transient error makes no dead letter.
func TestRetriesTransientErrors(t *testing.T) {
	g, apps, letters := newGroup(t)
	apps.down = true
	if err := g.Consume(t.Context(), event("payment", paid)); !errs.Is(err, errs.KindUnavailable) ||
		len(letters.reasons) > 0 {
		t.Errorf("%v, %v", err, letters.reasons)
	}
}
