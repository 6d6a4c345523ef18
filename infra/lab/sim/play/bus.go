package play

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// deliver puts an event on the bus and waits until it is delivered. refused is why it must become a dead letter.
func (g *Game) deliver(t *tenant, id, detailType string, detail map[string]any, refused string) {
	detail["miniapp"] = int64(t.scope.App)
	if t.scope.Env != scopesPlayed[0].Env {
		detail["env"] = string(t.scope.Env)
	}
	encoded, err := json.Marshal(detail)
	if err != nil {
		g.problem("detail: %v", err)
		return
	}
	if refused != "" {
		g.mu.Lock()
		g.refused[t.scope.String()+" "+id] = refused
		g.mu.Unlock()
	}
	g.world.Bring("PlatformEventQueue", sim.Put{ID: id, Source: "minicloud", DetailType: detailType, Detail: string(encoded)})
}

// busSource makes events of one kind, which come on the bus.
type busSource struct {
	index, detailType string
	least             int // triggers
	trigger           func(t *tenant, random sim.Random) (trigger.Trigger, *modelTrigger)
	draw              func(t *tenant, random sim.Random, n int) busEvent
}

// busEvent is one event of the bus: its detail, what conditions see of it and what its payload must say.
type busEvent struct {
	detail, after, data map[string]any
	refused             string // why it must become a dead letter, "" = it must not
}

func (s busSource) plant(g *Game, t *tenant, random sim.Random) error {
	return g.insertSome(t, s.least+random.IntN(2), func() (trigger.Trigger, *modelTrigger) { return s.trigger(t, random) })
}

func (s busSource) play(g *Game, t *tenant, random sim.Random) {
	g.churnBeside(t, random, func() (trigger.Trigger, *modelTrigger) { return s.trigger(t, random) }, func() {
		var all sync.WaitGroup
		defer all.Wait()
		for n := range 4 + random.IntN(8) {
			g.pause(random, 10)
			id, e := fmt.Sprintf("%s-%d", s.detailType, n), s.draw(t, random, n)
			if e.refused == "" {
				g.noteOccurrence(occurrence{
					tenant: t, index: s.index, event: id, at: time.Now(), seen: time.Now(), after: e.after, need: promise.Must,
					data: e.data,
				})
			}
			all.Go(func() { g.deliver(t, id, s.detailType, e.detail, e.refused) })
		}
	})
}

func (busSource) settle(*Game, *tenant) {}

// messages pushes chat messages.
var messages = busSource{
	index: "chat_message", detailType: "chat-message", least: 1, trigger: messageTrigger, draw: drawMessage,
}

func messageTrigger(t *tenant, random sim.Random) (trigger.Trigger, *modelTrigger) {
	c := promise.Condition{Match: "all"}
	if random.IntN(2) == 0 {
		c.Rules = []promise.Rule{{Field: "Content", Operator: "=", Value: "help"}}
	}
	return t.add(random, trigger.Trigger{
		Type: trigger.TypeChatMessage, Condition: &trigger.MessageCondition{Match: trigger.Match(c.Match), Rules: rulesOf(c)},
	}, "chat_message", c.Holds)
}

func drawMessage(t *tenant, random sim.Random, n int) (e busEvent) {
	number, content := fmt.Sprintf("%02d", n), []string{"hello", "help"}[random.IntN(2)]
	e.detail = map[string]any{"_AppId": "wx1", "MsgId": number, "From": t.mark, "Content": content}
	if random.IntN(10) == 0 {
		delete(e.detail, "_AppId")
		e.refused = "_AppId"
	}
	e.data = map[string]any{"MsgId": number, "From": t.mark, "Content": content, "miniapp": nil, "env": nil}
	e.after = e.data
	return e
}

// files tells of what happened to files.
var files = busSource{index: "file_operation", detailType: "file", least: 2, trigger: fileTrigger, draw: drawFile}

func fileTrigger(t *tenant, random sim.Random) (trigger.Trigger, *modelTrigger) {
	operation := []trigger.FileOperation{"upload", "delete", "image_check"}[random.IntN(3)]
	c := &trigger.FileCondition{Operation: operation, Result: "success"}
	if operation != "delete" && random.IntN(3) == 0 {
		c.Result = "fail"
	}
	holds := func(_, after map[string]any) bool {
		return after["operation"] == string(c.Operation) && after["result"] == c.Result
	}
	return t.add(random, trigger.Trigger{Type: trigger.TypeFileOperation, Condition: c}, "file_operation", holds)
}

func drawFile(t *tenant, random sim.Random, n int) (e busEvent) {
	e.after = map[string]any{
		"operation": []string{"upload", "delete", "image_check"}[random.IntN(3)],
		"result":    []string{"success", "success", "fail"}[random.IntN(3)],
	}
	file := map[string]any{"id": fmt.Sprintf("file-%d", n), "name": t.mark, "size": 12, "mime_type": "image/png"}
	e.detail = map[string]any{"operation": e.after["operation"], "result": e.after["result"], "file": file}
	e.data = map[string]any{"id": file["id"], "name": t.mark, "size": 12}
	switch {
	case e.after["result"] == "success":
	case e.after["operation"] == "delete":
		e.refused = "delete"
	case e.after["operation"] == "upload":
		e.data["size"] = nil // of an upload that failed nobody knows the size
	}
	return e
}

// letter is a dead letter.
type letter struct {
	Reason string          `json:"reason"`
	Event  json.RawMessage `json:"event"`
}

// letters are the dead letters of a queue.
func (g *Game) letters(queue string) (all []letter) {
	for _, m := range g.world.Messages(queue) {
		var one letter
		if err := json.Unmarshal([]byte(m.Body), &one); err != nil || one.Reason == "" {
			g.problem("dead letter %s: %v", m.Body, err)
		}
		all = append(all, one)
	}
	return all
}

// checkRefused checks the dead letters: every event that must be refused is there with its reason, and nothing else.
func (g *Game) checkRefused() {
	var asked promise.Ledger
	for name := range g.refused {
		asked.Ask(name, promise.Must)
	}
	found := map[string]int{}
	for _, one := range g.letters("EventDeadLetterQueue") {
		event := struct {
			ID     string `json:"id"`
			Detail struct {
				App json.Number  `json:"miniapp"`
				Env scopes.EnvID `json:"env"`
			} `json:"detail"`
		}{}
		_ = json.Unmarshal(one.Event, &event) // another event has no name, which is judged
		name := fmt.Sprintf("%s.%s %s", event.Detail.App, cmp.Or(event.Detail.Env, scopes.Production), event.ID)
		if !strings.Contains(one.Reason, g.refused[name]) {
			name += ", for " + one.Reason
		}
		found[name] = 1
	}
	g.judge("dead letter", &asked, promise.Found{Times: found, Why: g.refused})
}
