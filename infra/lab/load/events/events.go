// Package events is a load of random events of all types: rows, payments, files, chat messages, hooks, timers and
// refused events. It has triggers of all types and judges every run and evaluation. In a separate application rows
// have effects: one trigger for each action and flow control, and every effect is judged.
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

// The report lines of events. A trigger of a line receives the events of that line.
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

// clock advances the minutes for all applications.
type clock struct {
	ticked time.Time // the latest minute
	apps   []*events
}

// Parts returns one application with effects and one application with events for every 1,500 events, at least one and
// at most 16: a hook accepts five calls a second.
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

// events is an application with triggers of all types, the clients that make events, and the expected results of the
// triggers.
type events struct {
	load.Base
	clock *clock
	name  string // prefix of the marks
	acts  bool   // the application with effects: its events are row changes

	rows
	effects
	watches   []*watch
	hook      string // path
	dead      string // path of a hook that is disabled
	marks     atomic.Int64
	busTurns  atomic.Int64
	kindTurns atomic.Int64
	lifeTurns atomic.Int64
	orders    load.Line // payments that must have created an order
}

// watch is a trigger and its expected results.
type watch struct {
	promise.Watch

	id    int64
	line  string
	hears func(event map[string]any) bool // nil = all events of its line
	holds func(before, after map[string]any) bool
	timer promise.Timer
	last  time.Time // of a timer: the last tick, or the time of creation

	effect string         // the line of its action's effect; "" = the action fails at once
	asked  promise.Ledger // expected effects, by the note of the row that fired

	entries  []entry // its log
	complete bool    // all its runs are in the log, and those with an effect have ended
}

func (e *events) mark() string { return fmt.Sprintf("%s%d", e.name, e.marks.Add(1)) }

// saw records an event with the triggers of its line.
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

// count counts an event in the report.
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

// look lists triggers and orders, as their owner does.
func (e *events) look(*rand.Rand) {
	e.App.Send(context.Background(), client.Request{Method: "GET", Path: client.TriggersPath})
	e.App.Service().Send(context.Background(), client.Request{Method: "GET", Path: ordersPath})
}

const (
	merchantKey = "0123456789abcdef0123456789abcdef"
	settingPath = "/oserve/v3/payment-setting/chat/"
)

// notification returns a vendor's payment notification, signed with the merchant's key.
func notification(trade string) []byte {
	fields := map[string]string{
		"appid": "wxapp", "mch_id": "100", "nonce_str": trade, "openid": "o", "out_trade_no": trade,
		"result_code": "SUCCESS",
		"return_code": "SUCCESS", "time_end": "20261121120000", "total_fee": "150", "trade_type": "JSAPI",
		"transaction_id": "T" + trade,
	}
	return client.Notification(merchantKey, fields)
}

// order returns the detail of a payment event.
func (e *events) order(gateway, trade string, total float64) map[string]any {
	return map[string]any{
		"miniapp": e.App.Scope.App, "gateway_type": gateway, "trade_no": trade, "total_cost": total, "created_by": 70,
		"status": "success",
	}
}

// publish puts an event on the bus, in one request.
func (e *events) publish(ctx context.Context, kind string, detail map[string]any) client.Reply {
	event := map[string]any{"detail-type": kind, "detail": detail}
	return e.App.Send(ctx, client.Request{Method: "POST", Path: "/_local/events", Body: event})
}

// gateways lists the vendors whose payments arrive on the bus.
var gateways = []string{"altpay_wap", "altpay_app", "tpay", "chatpay", "chatpay_native"}

// pay makes a payment. Half of them are vendor notifications; the others are events on the bus, of which a third are
// pending. One in three is sent twice.
func (e *events) pay(random *rand.Rand) {
	ctx, order := context.Background(), e.order("chatpay", e.mark(), 1.5)
	trade := order["trade_no"].(string)
	notify := func() client.Reply {
		path := "/hserve/v1/pay/notify/chat/" + string(e.App.Credentials.ClientID) + "/"
		r := e.App.Send(ctx, client.Request{Method: "POST", Path: path, Body: notification(trade)})
		if r.Known() == client.Acknowledged && !strings.Contains(string(r.Body), "SUCCESS") {
			r.Status = 500 // the vendor retries
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

// busKinds maps report lines to the kinds of bus events that package story draws.
var busKinds = map[string]story.Bus{fileEvent: story.Files, chatMessage: story.Messages}

// busEvent sends a file event, a chat message or, once in sixteen, a refused payment: with another amount, or for an
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

// deliver puts an event on the bus. One event in four goes into the queue behind the bus instead, twice, as from a bus
// that delivers at least once.
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

// refusedEvent sends an event that can never be processed. It must become a dead letter with a reason, and fire no
// trigger. The dead letter contains the mark.
func (e *events) refusedEvent(kind, mark string, detail map[string]any) {
	detail["merchandise_description"] = mark
	e.Event()
	known := client.Until(func() client.Reply { return e.publish(context.Background(), kind, detail) })
	e.Lines.Line(badEvent).Note(client.Effect{Mark: mark, Known: known})
}

// judgeDeadLetters checks that each refused event is a dead letter with a reason. Duplicates are allowed: a worker may
// die after it has written the dead letter.
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
			_ = json.Unmarshal([]byte(m.Body), &letter) // a dead letter of another shape has no mark and is reported as unexpected
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

// callHook calls a hook, sometimes faster than allowed, and sometimes a disabled hook.
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

// turn advances the clock by a minute, in one case of seven by up to five more, as after an outage. It repeats each
// tick until the programs acknowledge it.
func (c *clock) turn(random *rand.Rand) {
	if c.ticked.IsZero() {
		c.ticked = time.Now().UTC().Truncate(time.Minute)
	}
	c.ticked = c.ticked.Add(time.Minute)
	if random.IntN(7) == 0 {
		c.ticked = c.ticked.Add(time.Duration(random.IntN(6)) * time.Minute)
	}

	known := client.Unknown
	for range 5 { // one tick runs three programs in sequence, and any of them may be killed
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

// fired records the minutes at which a timer must have fired by this tick.
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

// FindLost implements load.Part: at every tick the reaper and the other scheduled programs look for lost work. In a
// hurry, it begins lost runs with a clock set ahead.
func (e *events) FindLost(ctx context.Context, hurried bool) error {
	if hurried {
		return e.hurry(ctx)
	}
	if e == e.clock.apps[0] {
		e.clock.tick()
	}
	return nil
}

// tick sends the current minute to the scheduled programs. It fails if the timer program failed, so that the minute is
// repeated.
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
