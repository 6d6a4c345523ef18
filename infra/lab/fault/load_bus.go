package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/promise"
)

// order is the detail of a payment.
func (a *loadedApp) order(gateway, trade string, total float64) map[string]any {
	return map[string]any{
		"miniapp": a.scope.App, "gateway_type": gateway, "trade_no": trade, "total_cost": total, "created_by": 70,
		"status": "success",
	}
}

// onBus puts an event on the bus once.
func (a *loadedApp) onBus(ctx context.Context, kind string, detail map[string]any) reply {
	event := map[string]any{"detail-type": kind, "detail": detail}
	return a.send(ctx, request{method: "POST", path: "/_local/events", body: event})
}

// until repeats what has one effect however often it is done.
func until(once func() reply) promise.Need {
	for begun := time.Now(); ; time.Sleep(repeatAfter) {
		if r := once(); r.known() == acknowledged || time.Since(begun) > repeatFor {
			return r.known()
		}
	}
}

// payment is a client of payments: vendors notify, others put them on the bus, some twice, some pending.
func (a *loadedApp) payment() turn {
	gateways := []string{"altpay_wap", "altpay_app", "tpay", "chatpay", "chatpay_native"}
	return func(random *rand.Rand) int {
		defer a.load.busy()()
		ctx, order := context.Background(), a.order("chatpay", a.mark(), 1.5)
		trade := order["trade_no"].(string)
		notify := func() reply {
			r := a.raw(ctx, "/hserve/v1/pay/notify/chat/"+string(a.credentials.ClientID)+"/", notification(trade))
			if r.known() == acknowledged && !strings.Contains(string(r.body), "SUCCESS") {
				r.status = 500 // the vendor tries again
			}
			return r
		}
		if random.IntN(2) == 0 {
			order["gateway_type"] = gateways[random.IntN(len(gateways))]
			order["status"] = []string{"success", "success", "pending"}[random.IntN(3)]
			notify = func() reply { return a.onBus(ctx, "payment", order) }
		}

		known := until(notify)
		if random.IntN(3) == 0 {
			until(notify)
		}
		a.load.count(paid, known)
		if order["status"] == "success" {
			a.load.count(paidOrders, known)
			a.orders.Ask(trade, known)
		}
		a.saw(paid, trade, known, order, func(*watcher) bool { return true })
		return 1
	}
}

// busEvent is a client of files, chat messages and events that are refused.
func (a *loadedApp) busEvent() turn {
	return func(random *rand.Rand) int {
		defer a.load.busy()()
		mark := a.mark()
		switch n := random.IntN(20); {
		case n == 0:
			a.refusedEvent(random, mark)
		case n < 10:
			a.file(random, mark)
		default:
			a.message(random, mark)
		}
		return 1
	}
}

func (a *loadedApp) file(random *rand.Rand, mark string) {
	e := fileEvents[random.IntN(len(fileEvents))]
	detail := map[string]any{
		"miniapp": a.scope.App, "operation": e[0], "result": e[1], "file": map[string]any{"id": mark, "name": "a.png"},
	}
	known := a.deliver(random, "file", detail)
	a.load.count(fileEvent, known)
	a.saw(fileEvent, mark, known, detail, func(w *watcher) bool { return w.holds(detail) })
}

func (a *loadedApp) message(random *rand.Rand, mark string) {
	detail := map[string]any{
		"miniapp": a.scope.App, "_AppId": []string{"wx1", "wx2"}[random.IntN(2)], "MsgId": mark,
		"FromUserName": fmt.Sprint("o", random.IntN(9)), "Content": drawText(random),
		"MsgType": []string{"text", "image"}[random.IntN(2)],
	}
	known := a.deliver(random, "chat-message", detail)
	a.load.count(chatMessage, known)
	a.saw(chatMessage, mark, known, detail, func(w *watcher) bool { return w.holds(detail) })
}

// deliver puts an event on the bus, or into the queue behind it twice, as a bus does that delivers at least once.
func (a *loadedApp) deliver(random *rand.Rand, kind string, detail map[string]any) promise.Need {
	if random.IntN(4) > 0 {
		return a.onBus(context.Background(), kind, detail).known()
	}

	event, _ := json.Marshal(map[string]any{ // of texts and numbers
		"version": "0", "id": a.mark(), "detail-type": kind, "source": "minicloud", "account": "000000000000",
		"time": time.Now().UTC().Truncate(time.Second), "region": "us-east-1", "resources": []string{}, "detail": detail,
	})
	client, known := a.load.platform.sqs(), unknown
	for range 2 {
		known = until(func() reply {
			_, err := client.SendMessage(context.Background(), &sqs.SendMessageInput{
				QueueUrl: aws.String(a.load.platform.Queues["PlatformEventQueue"]), MessageBody: aws.String(string(event)),
			})
			return reply{status: 200, err: err}
		})
	}
	return known
}

// refusedEvent sends what can never be worked on: it must be a dead letter with a reason, and fire nothing.
func (a *loadedApp) refusedEvent(random *rand.Rand, mark string) {
	kind, detail := "payment", a.order("altpay_wap", "held-"+a.name, 9.99) // another amount
	detail["merchandise_description"] = mark
	switch random.IntN(3) {
	case 0: // an application that does not exist
		detail["miniapp"], detail["trade_no"] = 1, mark
	case 1: // there is no such event of files
		kind, detail = "file", map[string]any{
			"miniapp": a.scope.App, "operation": "delete", "result": "fail",
			"file": map[string]any{"id": mark}, "merchandise_description": mark,
		}
	}

	known := until(func() reply { return a.onBus(context.Background(), kind, detail) })
	a.load.count(badEvent, known)
	a.load.refused.Ask(mark, known)
}

// hookCall is a client that calls a hook some four times a second, at times faster than it may, at times another that
// is disabled.
func (a *loadedApp) hookCall() turn {
	return func(random *rand.Rand) int {
		calls := 1
		if random.IntN(20) == 0 {
			calls = 7
		}
		for range calls {
			path := a.hook
			if random.IntN(10) == 0 {
				path = a.dead
			}

			done := a.load.busy()
			r := a.raw(context.Background(), path, []byte(`{"n":1}`))
			done()
			a.load.count(hookCalled, r.known())
			if path == a.hook {
				a.saw(hookCalled, "", r.known(), nil, func(*watcher) bool { return true })
			} else if r.known() == acknowledged {
				a.load.fail("a hook that is disabled answered %d", r.status)
			}
		}
		time.Sleep(250 * time.Millisecond)
		return calls
	}
}
