package triggers

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/infra/seed/demo"
	"minicloud/shared/oauth"
	"minicloud/shared/trigger"
)

// hooks calls incoming webhooks.
type hooks struct{}

func hookID(t *model.Tenant, n int) string {
	return fmt.Sprintf("Hook%d%d%s", t.Scope.App, n, string(t.Scope.Env)[:1])
}

func (hooks) plant(g *Game, t *model.Tenant, random sim.Random) error {
	for n := range 2 {
		id := hookID(t, n)
		planted, _ := t.Add(random, trigger.Trigger{
			Type: trigger.TypeIncomingWebhook, Condition: &trigger.HookCondition{}, HookID: id,
		}, "hook#"+id, nil)
		if err := g.insert(t, planted, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

func (hooks) play(g *Game, t *model.Tenant, random sim.Random) {
	var all sync.WaitGroup
	defer all.Wait()
	n := 0
	for range 2 + random.IntN(3) {
		g.Pause(random, 20*time.Second)
		burst := 1 + random.IntN(3)
		if random.IntN(3) == 0 {
			burst = 8 // more than a second may have
		}

		for range burst {
			number, depth, hook := n, []int{0, 0, 0, 3, 8}[random.IntN(5)], hookID(t, random.IntN(2))
			n++
			time.Sleep(random.Jitter(10 * time.Millisecond))
			all.Go(func() { g.callHook(t, hook, number, depth) })
		}
	}
}

func (g *Game) callHook(t *model.Tenant, hook string, n, depth int) {
	h := model.Occurrence{
		Tenant: t, Index: "hook#" + hook, Event: fmt.Sprint("call ", n), At: time.Now(), Seen: time.Now(), Depth: depth,
	}
	caller := client.Over(g.World, demo.Credentials{})
	caller.Header = http.Header{"X-Service-Mark": {t.Mark}}
	if depth > 0 {
		caller.Header.Set("X-Service-Trigger-Depth", oauth.DepthHeader(t.App, depth, time.Now()))
	}
	h.Need = caller.Send(context.Background(), client.Request{
		Method: "POST", Path: "/oserve/v1/incoming-webhook/" + hook + "/", Body: map[string]any{"n": n, "mark": t.Mark},
	}).Known()
	g.NoteOccurrence(h)
}

// settle looks at the rate: no second has more calls that fire than it may.
func (hooks) settle(g *Game, t *model.Tenant) {
	seconds := map[string]int{}
	for _, it := range g.World.DB.Items("TriggersTable") {
		if strings.HasPrefix(game.Text(it, "pk"), t.Scope.String()+"#hook#") && game.Text(it, "fires") != "" {
			seconds[game.Text(it, "sk")[:10]]++
		}
	}
	for second, n := range seconds {
		if n > 5 {
			g.Problem("hooks: %d calls of %s in second %s", n, t.Scope, second)
		}
	}
}
