package triggers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/infra/lab/story"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// deliver puts an event on the bus and waits until it is delivered. refused is why it must become a dead letter.
func (g *Game) deliver(t *model.Tenant, id, detailType string, detail map[string]any, refused string) {
	detail["miniapp"] = int64(t.Scope.App)
	if t.Scope.Env != model.ScopesPlayed[0].Env {
		detail["env"] = string(t.Scope.Env)
	}
	encoded, err := json.Marshal(detail)
	if err != nil {
		g.Problem("detail: %v", err)
		return
	}
	if refused != "" {
		g.mu.Lock()
		g.refused[t.Scope.String()+" "+id] = refused
		g.mu.Unlock()
	}
	g.World.Bring("PlatformEventQueue", events.EventBridgeEvent{
		ID: id, Source: "minicloud", DetailType: detailType, Detail: encoded,
	})
}

// busSource makes events of one kind, which come on the bus.
type busSource struct {
	index string
	least int // triggers
	story.Bus
}

func (s busSource) add(t *model.Tenant, random sim.Random) (trigger.Trigger, *model.Trigger) {
	planted, holds := s.Trigger(random.Rand)
	return t.Add(random, planted, s.index, holds)
}

func (s busSource) plant(g *Game, t *model.Tenant, random sim.Random) error {
	return g.insertSome(t, s.least+random.IntN(2), func() (trigger.Trigger, *model.Trigger) { return s.add(t, random) })
}

func (s busSource) play(g *Game, t *model.Tenant, random sim.Random) {
	g.churnBeside(t, random, func() (trigger.Trigger, *model.Trigger) { return s.add(t, random) }, func() {
		var all sync.WaitGroup
		defer all.Wait()
		for n := range 4 + random.IntN(8) {
			g.Pause(random, 10*time.Second)
			id, e := fmt.Sprintf("%s-%d", s.DetailType, n), s.Event(random.Rand, fmt.Sprintf("%02d", n), t.Mark)
			if e.Refused == "" {
				g.NoteOccurrence(model.Occurrence{
					Tenant: t, Index: s.index, Event: id, At: time.Now(), Seen: time.Now(), After: e.After, Need: promise.Must,
					Data: e.Data,
				})
			}
			all.Go(func() { g.deliver(t, id, s.DetailType, e.Detail, e.Refused) })
		}
	})
}

func (busSource) settle(*Game, *model.Tenant) {}

// The sources of chat messages and files.
var (
	messages = busSource{index: "chat_message", least: 1, Bus: story.Messages}
	files    = busSource{index: "file_operation", least: 2, Bus: story.Files}
)

// letter is a dead letter.
type letter struct {
	Reason string          `json:"reason"`
	Event  json.RawMessage `json:"event"`
}

// letters are the dead letters of a queue.
func (g *Game) letters(queue string) (all []letter) {
	for _, m := range g.World.Messages(queue) {
		var one letter
		if err := json.Unmarshal([]byte(m.Body), &one); err != nil || one.Reason == "" {
			g.Problem("dead letter %s: %v", m.Body, err)
		}
		all = append(all, one)
	}
	return all
}

// checkRefused checks the dead letters: every event that must be refused is there with its reason, and nothing else.
func (g *Game) checkRefused() {
	var asked promise.Ledger
	for name := range g.refused {
		asked.Expect(name, promise.Must)
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
	g.Compare("dead letter", &asked, promise.Found{Times: found, Why: g.refused})
}
