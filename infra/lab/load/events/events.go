// Package events is a load of random events of all types: rows, payments, files, chat messages, hooks, timers and
// events that are refused. Triggers of all types hear them, and every run and evaluation is judged. In an application
// of its own, rows have effects: each action and flow control is a trigger's, and every effect is judged.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/story"
	"minicloud/shared/console/deadletter"
)

// The lines of events. A trigger of a line hears the events of it.
const (
	rowCreated  = "row created"
	rowUpdated  = "row updated"
	rowDeleted  = "row deleted"
	paid        = "payment"
	paidOrders  = "paid order"
	timerDue    = "timer"
	fileEvent   = "file"
	chatMessage = "chat message"
	hookCalled  = "hook call"
	badEvent    = "refused event"
	evaluations = "evaluations"
)

// Lines are all lines of events.
var Lines = []string{
	rowCreated, rowUpdated, rowDeleted, paid, paidOrders, timerDue, fileEvent, chatMessage, hookCalled, badEvent,
	evaluations,
}

// ordersPath lists orders.
const ordersPath = "/hserve/v2.2/idp/pay/order/?limit=1000"

// clock ticks for all applications.
type clock struct {
	ticked time.Time // the last minute
	apps   []*events
}

// Parts are applications with events, about one for so many events: their hooks take five calls a second.
func Parts(l *load.Load) (parts []load.Part) {
	const each = 1500
	c := &clock{}
	parts = append(parts, &events{Base: load.Base{Load: l}, clock: c, name: "effect-", acts: true})
	for n := range min(max(l.Events/each, 1), 16) {
		e := &events{Base: load.Base{Load: l}, clock: c, name: fmt.Sprintf("app%d-", n)}
		c.apps, parts = append(c.apps, e), append(parts, e)
	}
	return parts
}

// events is an application with triggers of all types, the clients that make events, and what the triggers must make of
// them.
type events struct {
	load.Base
	clock *clock
	name  string // marks begin with it
	acts  bool   // its events are rows, and its triggers have effects

	rows
	effects
	watches   []*watch
	hook      string // path
	dead      string // path of a hook that is disabled
	marks     atomic.Int64
	busTurns  atomic.Int64
	kindTurns atomic.Int64
	orders    load.Line // payments that must have an order
}

// watch is a trigger and what it must make of events.
type watch struct {
	promise.Watch

	id    int64
	line  string
	hears func(event map[string]any) bool // nil = all events of its line
	holds func(before, after map[string]any) bool
	timer promise.Timer
	last  time.Time // of a timer: the last tick, or when it was made

	effect string         // the line of what its action does; "" = the action fails at once
	asked  promise.Ledger // the effects, by the note of the row that fired

	entries  []entry // of its log
	complete bool    // all its runs are in the log, and those that have an effect have ended
}

func (e *events) mark() string { return fmt.Sprintf("%s%d", e.name, e.marks.Add(1)) }

// saw notes an event with the triggers of its line.
func (e *events) saw(line, mark string, known promise.Need, before, after map[string]any) {
	if known == client.Refused {
		return
	}
	for _, w := range e.watches {
		if w.line != line || w.hears != nil && !w.hears(after) {
			continue
		}
		held := w.holds == nil || w.holds(before, after)
		w.Saw(mark, held, known)
		if held && w.effect != "" {
			w.expect(after["note"].(string), known)
		}
	}
}

// count counts an event.
func (e *events) count(line string, known promise.Need) {
	e.Event()
	e.Lines.Line(line).Request(known, "", "", 0)
}

func (e *events) Clients() []load.Turns {
	const often, seldom = 100 * time.Millisecond, 500 * time.Millisecond
	all := []load.Turns{
		{Pause: often, Once: e.live}, {Pause: often, Once: e.live}, {Pause: 2 * time.Second, Once: e.index},
	}
	if e.acts {
		return append(all, all[0])
	}
	all = append(
		all, load.Turns{Pause: often, Once: e.pay}, load.Turns{Pause: often, Once: e.busEvent},
		load.Turns{Pause: often, Once: e.busEvent}, load.Turns{Pause: seldom, Once: e.callHook},
		load.Turns{Pause: time.Second, Once: e.batch}, load.Turns{Pause: seldom, Once: e.look},
	)
	if e == e.clock.apps[0] {
		all = append(all, load.Turns{Pause: time.Second, Once: e.clock.turn})
	}
	return all
}

// look reads triggers and orders, as their owner does.
func (e *events) look(*rand.Rand) {
	e.App.Send(context.Background(), client.Request{Method: "GET", Path: client.TriggersPath})
	e.App.Service().Send(context.Background(), client.Request{Method: "GET", Path: ordersPath})
}

const (
	merchantKey = "0123456789abcdef0123456789abcdef"
	settingPath = "/oserve/v3/payment-setting/chat/"
)

// notification is what the vendor posts, signed with the merchant's key.
func notification(trade string) []byte {
	fields := map[string]string{
		"appid": "wxapp", "mch_id": "100", "nonce_str": trade, "openid": "o", "out_trade_no": trade,
		"result_code": "SUCCESS",
		"return_code": "SUCCESS", "time_end": "20261121120000", "total_fee": "150", "trade_type": "JSAPI",
		"transaction_id": "T" + trade,
	}
	return client.Notification(merchantKey, fields)
}

// order is the detail of a payment.
func (e *events) order(gateway, trade string, total float64) map[string]any {
	return map[string]any{
		"miniapp": e.App.Scope.App, "gateway_type": gateway, "trade_no": trade, "total_cost": total, "created_by": 70,
		"status": "success",
	}
}

// publish puts an event on the bus once.
func (e *events) publish(ctx context.Context, kind string, detail map[string]any) client.Reply {
	event := map[string]any{"detail-type": kind, "detail": detail}
	return e.App.Send(ctx, client.Request{Method: "POST", Path: "/_local/events", Body: event})
}

// gateways are the vendors of payments that come on the bus.
var gateways = []string{"altpay_wap", "altpay_app", "tpay", "chatpay", "chatpay_native"}

// pay is a payment: vendors notify, others put it on the bus, some twice, some pending.
func (e *events) pay(random *rand.Rand) {
	ctx, order := context.Background(), e.order("chatpay", e.mark(), 1.5)
	trade := order["trade_no"].(string)
	notify := func() client.Reply {
		path := "/hserve/v1/pay/notify/chat/" + string(e.App.Credentials.ClientID) + "/"
		r := e.App.Send(ctx, client.Request{Method: "POST", Path: path, Body: notification(trade)})
		if r.Known() == client.Acknowledged && !strings.Contains(string(r.Body), "SUCCESS") {
			r.Status = 500 // the vendor tries again
		}
		return r
	}
	if random.IntN(2) == 0 {
		order["gateway_type"] = story.Draw(random, gateways...)
		order["status"] = story.Draw(random, "success", "success", "pending")
		notify = func() client.Reply { return e.publish(ctx, "payment", order) }
	}

	known := client.Until(notify)
	if random.IntN(3) == 0 {
		client.Until(notify)
	}
	e.count(paid, known)
	if order["status"] == "success" {
		e.orders.Note(client.Effect{Mark: trade, Known: known})
	}
	e.saw(paid, trade, known, nil, order)
}

// busKinds are the kinds of events of the bus that the story draws, by line.
var busKinds = map[string]story.Bus{fileEvent: story.Files, chatMessage: story.Messages}

// busEvent is a file, a chat message or, one in sixteen, a payment that is refused: of another amount, or of an
// application that does not exist.
func (e *events) busEvent(random *rand.Rand) {
	mark, turn := e.mark(), e.busTurns.Add(1)%16
	if turn == 1 {
		order := e.order("altpay_wap", "held-"+e.name, 9.99)
		if random.IntN(2) == 0 {
			order["miniapp"], order["trade_no"] = 1, mark
		}
		e.refusedEvent("payment", mark, order)
		return
	}

	line := []string{fileEvent, chatMessage}[turn%2]
	kind := busKinds[line]
	x := kind.Event(random, mark, fmt.Sprint("o", random.IntN(9)))
	x.Detail["miniapp"] = e.App.Scope.App
	if x.Refused != "" {
		e.refusedEvent(kind.DetailType, mark, x.Detail)
		return
	}
	known := e.deliver(random, kind.DetailType, x.Detail)
	e.count(line, known)
	e.saw(line, mark, known, nil, x.After)
}

// deliver puts an event on the bus, or into the queue behind it twice, as a bus does that delivers at least once.
func (e *events) deliver(random *rand.Rand, kind string, detail map[string]any) (known promise.Need) {
	if random.IntN(4) > 0 {
		return e.publish(context.Background(), kind, detail).Known()
	}
	event, _ := json.Marshal(map[string]any{ // strings and numbers
		"version": "0", "id": e.mark(), "detail-type": kind, "source": "minicloud", "account": "000000000000",
		"time": time.Now().UTC().Truncate(time.Second), "region": "us-east-1", "resources": []string{}, "detail": detail,
	})
	for range 2 {
		known = client.Until(func() client.Reply {
			_, err := e.Cloud.Queues().Client.SendMessage(context.Background(), &sqs.SendMessageInput{
				QueueUrl: aws.String(e.Cloud.Environment["PLATFORM_EVENT_QUEUE_URL"]), MessageBody: aws.String(string(event)),
			})
			return client.Reply{Status: 200, Err: err}
		})
	}
	return known
}

// refusedEvent sends an event that can never be worked on: it must become a dead letter with a reason, and start no
// trigger. The letter tells the mark.
func (e *events) refusedEvent(kind, mark string, detail map[string]any) {
	detail["merchandise_description"] = mark
	e.Event()
	known := client.Until(func() client.Reply { return e.publish(context.Background(), kind, detail) })
	e.Lines.Line(badEvent).Note(client.Effect{Mark: mark, Known: known})
}

// judgeDeadLetters reads the dead letters: each refused event is there with a reason. It may be there twice, when its
// worker died after it had put it there.
func (e *events) judgeDeadLetters(ctx context.Context) error {
	found := map[string]int{}
	err := e.Cloud.Letters(ctx, "EVENT_DEAD_LETTER_QUEUE_URL", func(got []deadletter.Message) error {
		for _, m := range got {
			var letter struct {
				Reason string `json:"reason"`
				Event  struct {
					Detail struct {
						Mark string `json:"merchandise_description"`
					} `json:"detail"`
				} `json:"event"`
			}
			_ = json.Unmarshal([]byte(m.Body), &letter) // another letter has no mark, which is judged
			mark := letter.Event.Detail.Mark
			if letter.Reason == "" {
				mark = fmt.Sprintf("a letter without a reason, %.400s", m.Body)
			}
			found[mark] = 1
		}
		return nil
	})
	e.Lines.Line(badEvent).Judge(found)
	return err
}

// callHook calls a hook, at times faster than it may be called, at times another that is disabled.
func (e *events) callHook(random *rand.Rand) {
	calls := 1
	if random.IntN(20) == 0 {
		calls = 7
	}
	for range calls {
		path := e.hook
		if random.IntN(10) == 0 {
			path = e.dead
		}

		r := e.App.Send(context.Background(), client.Request{Method: "POST", Path: path, Body: []byte(`{"n":1}`)})
		e.count(hookCalled, r.Known())
		if path == e.hook {
			e.saw(hookCalled, "", r.Known(), nil, nil)
		} else if r.Known() == client.Acknowledged {
			line := e.Lines.Line(hookCalled)
			line.Fail(&line.Doubled, "a hook that is disabled answered %d", r.Status)
		}
	}
}

// turn has the clock tick: a minute after the other, each until the program has answered that it is done, one in seven
// after an outage of some minutes.
func (c *clock) turn(random *rand.Rand) {
	if c.ticked.IsZero() {
		c.ticked = time.Now().UTC().Truncate(time.Minute)
	}
	c.ticked = c.ticked.Add(time.Minute)
	if random.IntN(7) == 0 {
		c.ticked = c.ticked.Add(time.Duration(random.IntN(6)) * time.Minute)
	}

	known := client.Unknown
	for range 5 { // a tick has to outlive three programs, one after the other
		if known = client.Until(c.tick); known == client.Acknowledged {
			break
		}
	}
	for _, app := range c.apps {
		for _, w := range app.watches {
			if w.line == timerDue {
				app.fired(w, known)
			}
		}
	}
}

// fired notes the minutes that a timer must have fired at a tick.
func (e *events) fired(w *watch, known promise.Need) {
	minutes, err := w.timer.Fires(w.last, e.clock.ticked)
	if err != nil {
		line := e.Lines.Line(timerDue)
		line.Fail(&line.Lost, "timer %d: %v", w.id, err)
	}
	for _, minute := range minutes {
		w.Saw(promise.Event(w.id, minute), true, known)
		e.count(timerDue, known)
	}
	w.last = e.clock.ticked
}

// FindLost implements load.Part: the reaper and the other programs of the clock look for lost work at every tick. In a
// hurry, runs are begun with a clock that is ahead.
func (e *events) FindLost(ctx context.Context, hurried bool) error {
	if hurried {
		return e.hurry(ctx)
	}
	if e == e.clock.apps[0] {
		e.clock.tick()
	}
	return nil
}

// tick gives a minute to the programs of the clock. A minute that the program of timers failed is given again.
func (c *clock) tick() client.Reply {
	r := c.apps[0].App.Send(context.Background(), client.Request{
		Method: "POST", Path: "/_local/tick", Body: map[string]any{"time": c.ticked},
	})
	var answer struct {
		Delivered []struct {
			Function string `json:"function"`
			OK       bool   `json:"ok"`
		} `json:"delivered"`
	}
	if err := r.Decode(&answer); err != nil {
		return client.Reply{Status: r.Status, Body: r.Body, Err: err}
	}

	for _, d := range answer.Delivered {
		if strings.HasPrefix(d.Function, "Timertick") && d.OK {
			return r
		}
	}
	r.Status = 500
	return r
}
