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
	g.world.Bring("events", sim.Put{ID: id, Source: "minicloud", DetailType: detailType, Detail: string(encoded)})
}

// messages pushes chat messages.
type messages struct{}

func messageTrigger(t *tenant, random sim.Random) (trigger.Trigger, *modelTrigger) {
	c := promise.Condition{Match: "all"}
	if random.IntN(2) == 0 {
		c.Rules = []promise.Rule{{Field: "Content", Operator: "=", Value: "help"}}
	}
	return t.add(random, trigger.Trigger{
		Type: trigger.TypeChatMessage, Condition: &trigger.MessageCondition{Match: trigger.Match(c.Match), Rules: rulesOf(c)},
	}, "chat_message", c.Holds)
}

func (messages) plant(g *Game, t *tenant, random sim.Random) error {
	for range 1 + random.IntN(2) {
		planted, _ := messageTrigger(t, random)
		if err := g.insert(t, planted, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

func (messages) play(g *Game, t *tenant, random sim.Random) {
	g.churnBeside(t, random, func() (trigger.Trigger, *modelTrigger) { return messageTrigger(t, random) }, func() {
		var all sync.WaitGroup
		defer all.Wait()
		for n := range 4 + random.IntN(8) {
			g.pause(random, 10)
			detail := map[string]any{
				"_AppId": "wx1", "MsgId": fmt.Sprintf("%02d", n), "From": t.mark,
				"Content": []string{"hello", "help"}[random.IntN(2)],
			}
			if random.IntN(10) == 0 {
				delete(detail, "_AppId")
				all.Go(func() { g.deliver(t, fmt.Sprintf("refused-%d", n), "chat-message", detail, "_AppId") })
				continue
			}

			id := fmt.Sprintf("message-%d", n)
			data := map[string]any{
				"MsgId": fmt.Sprintf("%02d", n), "From": t.mark, "Content": detail["Content"], "miniapp": nil, "env": nil,
			}
			g.noteOccurrence(occurrence{
				tenant: t, index: "chat_message", event: id, at: time.Now(), seen: time.Now(), after: data,
				need: promise.Must, data: data,
			})
			all.Go(func() { g.deliver(t, id, "chat-message", detail, "") })
		}
	})
}

func (messages) settle(*Game, *tenant) {}

// files tells of what happened to files.
type files struct{}

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

func (files) plant(g *Game, t *tenant, random sim.Random) error {
	for range 2 + random.IntN(2) {
		planted, _ := fileTrigger(t, random)
		if err := g.insert(t, planted, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

func (files) play(g *Game, t *tenant, random sim.Random) {
	var all sync.WaitGroup
	defer all.Wait()
	for n := range 4 + random.IntN(8) {
		g.pause(random, 10)
		what := map[string]any{
			"operation": []string{"upload", "delete", "image_check"}[random.IntN(3)],
			"result":    []string{"success", "success", "fail"}[random.IntN(3)],
		}
		file := map[string]any{"id": fmt.Sprintf("file-%d", n), "name": t.mark, "size": 12, "mime_type": "image/png"}
		detail := map[string]any{"operation": what["operation"], "result": what["result"], "file": file}
		id := fmt.Sprintf("file-event-%d", n)
		if what["operation"] == "delete" && what["result"] == "fail" {
			all.Go(func() { g.deliver(t, id, "file", detail, "delete") })
			continue
		}

		// The contract's table: of an upload that failed nobody knows the size.
		data := map[string]any{"id": file["id"], "name": t.mark, "size": 12}
		if what["operation"] == "upload" && what["result"] == "fail" {
			data["size"] = nil
		}
		g.noteOccurrence(occurrence{
			tenant: t, index: "file_operation", event: id, at: time.Now(), seen: time.Now(), after: what, need: promise.Must,
			data: data,
		})
		all.Go(func() { g.deliver(t, id, "file", detail, "") })
	}
}

func (files) settle(*Game, *tenant) {}

// letter is a dead letter.
type letter struct {
	Reason string          `json:"reason"`
	Event  json.RawMessage `json:"event"`
}

// letters are the dead letters of a queue.
func (g *Game) letters(queue string) (all []letter) {
	for _, m := range g.world.Queue(queue).All() {
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
	for _, one := range g.letters("dead") {
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
