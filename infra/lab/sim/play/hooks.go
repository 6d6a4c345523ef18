package play

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// hooks calls incoming webhooks.
type hooks struct{}

func hookID(t *tenant, n int) string {
	return fmt.Sprintf("Hook%d%d%s", t.scope.App, n, string(t.scope.Env)[:1])
}

func (hooks) plant(g *Game, t *tenant, random sim.Random) error {
	for n := range 2 {
		id := hookID(t, n)
		planted, _ := t.add(random, trigger.Trigger{
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
	err, alive := g.world.Do(program, start, func(ctx context.Context, handlers any) error {
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

func (hooks) play(g *Game, t *tenant, random sim.Random) {
	var all sync.WaitGroup
	defer all.Wait()
	n := 0
	for range 2 + random.IntN(3) {
		g.pause(random, 20)
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

// depths signs and verifies how deep requests are, without keys.
type depths struct{}

const signedDepth = ".signed"

func (depths) DepthHeader(_ context.Context, _ scopes.AppID, depth int) (string, error) {
	return fmt.Sprint(depth) + signedDepth, nil
}

func (depths) VerifyDepth(_ context.Context, header string) (int, error) {
	text, signed := strings.CutSuffix(header, signedDepth)
	depth, err := strconv.Atoi(text)
	if !signed || err != nil {
		return 0, nil
	}
	return depth, nil
}

func (g *Game) callHook(t *tenant, hook string, n, depth int) {
	h := occurrence{
		tenant: t, index: "hook#" + hook, event: fmt.Sprint("call ", n), at: time.Now(), seen: time.Now(), depth: depth,
	}
	header := http.Header{"Content-Type": {"application/json"}, "X-Service-Mark": {t.mark}}
	if depth > 0 {
		header.Set("X-Service-Trigger-Depth", fmt.Sprint(depth)+signedDepth)
	}
	status, _ := g.request("incomingwebhook", g.platform.incomingWebhook, "/oserve/v1/incoming-webhook/"+hook+"/",
		fmt.Sprintf(`{"n":%d,"mark":%q}`, n, t.mark), header)

	switch {
	case status == http.StatusOK:
		h.need = promise.Must
	case status == http.StatusTooManyRequests:
		h.need = promise.Never
	default:
		h.need = promise.May
	}
	g.noteOccurrence(h)
}

// settle looks at the rate: no second has more calls that fire than it may.
func (hooks) settle(g *Game, t *tenant) {
	seconds := map[string]int{}
	for _, it := range g.world.DB.Items("TriggersTable") {
		if strings.HasPrefix(text(it, "pk"), t.scope.String()+"#hook#") && text(it, "fires") != "" {
			seconds[text(it, "sk")[:10]]++
		}
	}
	for second, n := range seconds {
		if n > 5 {
			g.problem("hooks: %d calls of %s in second %s", n, t.scope, second)
		}
	}
}
