package triggers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/infra/lab/sim/triggers/outside"
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

// request has a program answer a request. status is 0 where it died: then nobody knows what was done.
func (g *Game) request(
	program string, start sim.Program, target, body string, header http.Header,
) (status int, answer string) {
	err, alive := g.World.Do(program, start, func(ctx context.Context, handlers any) error {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(body))
		for name, values := range header {
			r.Header[name] = values
		}
		w := httptest.NewRecorder()
		httpHandler(handlers).ServeHTTP(w, r)
		status, answer = w.Code, w.Body.String()
		return nil
	})
	if err != nil || !alive {
		return 0, ""
	}
	return status, answer
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
	header := http.Header{"Content-Type": {"application/json"}, "X-Service-Mark": {t.Mark}}
	if depth > 0 {
		header.Set("X-Service-Trigger-Depth", fmt.Sprint(depth)+outside.SignedDepth)
	}
	status, _ := g.request("incomingwebhook", g.platform.incomingWebhook, "/oserve/v1/incoming-webhook/"+hook+"/",
		fmt.Sprintf(`{"n":%d,"mark":%q}`, n, t.Mark), header)

	switch {
	case status == http.StatusOK:
		h.Need = promise.Must
	case status == http.StatusTooManyRequests:
		h.Need = promise.Never
	default:
		h.Need = promise.May
	}
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
