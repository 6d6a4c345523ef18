package units

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const (
	triggers    = "/oserve/v3/trigger/"
	triggerLog  = "/oserve/v3/trigger-log/"
	holds       = `{"table":"watched","event":"create","rules":[{"field":"height","operator":">=","value":0}]}`
	neverHolds  = `{"table":"ignored","event":"create","rules":[{"field":"height","operator":"<","value":0}]}`
	uploads     = `{"operation":"upload","result":"success"}`
	everyMinute = `{"cron":"* * * * *"}`
	anyMessage  = `{"match":"all","rules":[{"field":"MsgType","value":"text"}]}`
)

// hookPace is the pause between hook calls; it stays below an application's limit of five a second (G25).
const hookPace = 210 * time.Millisecond

// made is the API's answer to the creation of a trigger.
type made struct {
	ID      int64  `json:"id"`
	HookURL string `json:"hook_url"`
}

// makeTrigger creates a trigger with one action.
func (b *Bench) makeTrigger(ctx context.Context, kind, condition string, traced bool) (m made, err error) {
	err = b.client.Send(ctx, "POST", triggers, json.RawMessage(triggerBody(kind, condition, traced)), &m)
	return m, err
}

func triggerBody(kind, condition string, traced bool) string {
	return fmt.Sprintf(`{"name":"priced","type":%q,"condition":%s,"trace":%t,
		"actions":[{"type":"cloud_function","settings":{"function":"trivial"}}]}`, kind, condition, traced)
}

// events returns an event of each type that fires one trigger with one action, and the requests that read triggers.
// They run after requests, which is measured without triggers.
func (b *Bench) events(ctx context.Context) ([]Request, error) {
	for _, name := range []string{"watched", "ignored", "traced"} {
		if _, err := b.makeTable(ctx, name, false); err != nil {
			return nil, err
		}
	}
	made := map[string]made{}
	for name, t := range map[string]struct {
		kind, condition string
		traced          bool
	}{
		"watched": {"table", holds, false}, "ignored": {"table", neverHolds, false},
		"traced": {"table", strings.Replace(holds, "watched", "traced", 1), true},
		"hook":   {"incoming_webhook", `{}`, false}, "paid": {"chat_pay", `{}`, false}, "due": {"timer", everyMinute, false},
		"file": {"file_operation", uploads, false}, "message": {"chat_message", anyMessage, false},
	} {
		m, err := b.makeTrigger(ctx, t.kind, t.condition, t.traced)
		if err != nil {
			return nil, fmt.Errorf("trigger %s: %w", name, err)
		}
		made[name] = m
	}

	n := history
	create := func() any { n++; return draft(n) }
	row := func(table string) func(context.Context) error {
		return b.call("POST", fmt.Sprintf(rows, table), create)
	}
	address := made["hook"].HookURL[strings.Index(made["hook"].HookURL, "/oserve/"):]
	one := fmt.Sprint(triggers, made["watched"].ID, "/")
	return []Request{
		{Name: "event: row that one trigger waits for", send: row("watched")},
		{Name: "event: row, the condition does not hold", send: row("ignored")},
		{Name: "event: row, the trigger is traced", send: row("traced")},
		{Name: "event: hook call", send: b.hookCall(address)},
		{Name: "event: payment of a new order", send: b.pay},
		{Name: "event: minute of a timer", send: b.tick()},
		{Name: "event: file", send: b.happen("file", `"operation":"upload","result":"success","file":{"id":"f%d","name":"a.png"}`)},
		{Name: "event: chat message", send: b.happen("chat-message", `"_AppId":"wx","MsgType":"text","MsgId":"m%d","Content":"hi"`)},
		{Name: "trigger create", send: b.call("POST", triggers, fixed(triggerBody("table", neverHolds, false)))},
		{Name: "trigger read", send: b.call("GET", one, nil)},
		{Name: "trigger change", send: b.call("PUT", one, fixed(`{"description":"changed"}`))},
		{Name: "trigger list", send: b.call("GET", triggers, nil)},
		{Name: "trigger check", send: b.call("POST", "/oserve/v3/trigger-check/", fixed(triggerBody("table", neverHolds, false)))},
		{Name: "trigger fire", send: b.call("POST", one+"fire/", fixed(`{}`))},
		{Name: "log of a trigger, first page", send: b.call("GET", one+"log/", nil)},
		{Name: "log of all triggers, first page", send: b.call("GET", triggerLog, nil)},
		{Name: "evaluations of a trigger", send: b.call("GET", fmt.Sprint(triggers, made["traced"].ID, "/evaluation/"), nil)},
	}, nil
}

// hookCall returns a request that calls a hook, at most as fast as allowed.
func (b *Bench) hookCall(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		time.Sleep(hookPace)
		_, err := b.client.Call(ctx, "POST", address, `{"n":1}`)
		return err
	}
}

// happen returns a request that puts an event on the bus; detail is a format with one verb, for a number.
func (b *Bench) happen(kind, detail string) func(context.Context) error {
	n := 0
	return func(ctx context.Context) error {
		n++
		_, err := b.client.Call(ctx, "POST", "/_local/events", fmt.Sprintf(
			`{"detail-type":%q,"detail":{"miniapp":%d,`+detail+`}}`, kind, b.cloud.Credentials.Miniapp, n))
		return err
	}
}

// tick returns a request that advances the clock by a minute. Its cost includes all other work done every minute.
func (b *Bench) tick() func(context.Context) error {
	at := time.Now().Truncate(time.Minute)
	return func(ctx context.Context) error {
		at = at.Add(time.Minute)
		_, err := b.client.Call(ctx, "POST", "/_local/tick", fmt.Sprintf(`{"time":%q}`, at.UTC().Format(time.RFC3339)))
		return err
	}
}
