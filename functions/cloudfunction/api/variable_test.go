package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/secret/sealed/sealedtest"
)

// sealer counts the keys that it opens.
type sealer struct {
	sealedtest.Sealer
	opened atomic.Int64
}

func (s *sealer) OpenKey(ctx context.Context, bound string, sealed []byte) ([]byte, error) {
	s.opened.Add(1)
	return s.Sealer.OpenKey(ctx, bound, sealed)
}

func TestVariables(t *testing.T) {
	p := withFunction(t)
	const path = functions + "pay/variable/"
	for _, s := range []step{
		{
			method: "GET", path: path, status: 200,
			want: `{"meta":{"limit":20,"offset":0,"next":null,"previous":null,"total_count":0},"objects":[]}`,
		},
		{
			method: "PUT", path: path + "HOST/", body: `{"value":"a.example"}`, status: 200,
			want: `{"key":"HOST","value":"a.example","secret":false}`,
		},
		{
			method: "PUT", path: path + "TOKEN/", body: `{"value":"hush","secret":true}`, status: 200,
			want: `{"key":"TOKEN","value":null,"secret":true}`,
		},
		{
			method: "PUT", path: path, body: `{"key":"EMPTY","value":""}`, status: 200,
			want: `{"key":"EMPTY","value":"","secret":false}`,
		},
		{
			method: "GET", path: path, status: 200,
			want: `~"total_count":3},"objects":[{"key":"EMPTY","value":"","secret":false},{"key":"HOST","value":"a.example","secret":false},{"key":"TOKEN","value":null,"secret":true}]}`,
		},
		{method: "GET", path: path + "?limit=1&offset=1", status: 200, want: `~"objects":[{"key":"HOST"`},
		{method: "GET", path: path + "TOKEN/", status: 200, want: `{"key":"TOKEN","value":null,"secret":true}`},
		{method: "GET", path: path + "NONE/", status: 404},
		{method: "PUT", path: path + "low/", body: `{"value":"1"}`, status: 400, want: "~key must be"},
		{method: "PUT", path: path + "1A/", body: `{"value":"1"}`, status: 400},
		{method: "PUT", path: path + strings.Repeat("A", 65) + "/", body: `{"value":"1"}`, status: 400},
		{method: "PUT", path: path + "A/", body: `{}`, status: 400, want: failure("value is required")},
		{
			method: "PUT", path: path + "A/", body: `{"value":1}`, status: 400,
			want: failure("value must be a string, not a number"),
		},
		{
			method: "PUT", path: path + "A/", body: `{"value":"` + strings.Repeat("a", 4097) + `"}`, status: 400,
			want: failure("value must be at most 4096 bytes, it has 4097"),
		},
		{method: "DELETE", path: path + "NONE/", status: 404},
		{method: "PUT", path: functions + "none/variable/A/", body: `{"value":"1"}`, status: 404},
		{method: "GET", path: path, header: "Authorization: Bearer bank", status: 404},
		{method: "PUT", path: path + "A/", header: "Authorization: Bearer bank", body: `{"value":"1"}`, status: 404},
		{method: "DELETE", path: path + "HOST/", header: "X-Service-Env-ID: " + string(testEnv), status: 404},
		{method: "GET", path: path, header: "Authorization: ", status: 401},
	} {
		p.play(t, s)
	}
	run := func() map[string]string {
		t.Helper()
		p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200})
		return p.runner.last(t).Variables
	}
	if diff := cmp.Diff(map[string]string{"HOST": "a.example", "TOKEN": "hush", "EMPTY": ""}, run()); diff != "" {
		t.Errorf("variables of a run:\n%s", diff)
	}
	if secrets := p.runner.last(t).Secrets; !slices.Equal(secrets, []string{"TOKEN"}) {
		t.Errorf("secrets %v", secrets)
	}
	opened := p.sealer.opened.Load()
	if calls := p.counting(func() { run() }); len(calls) != 4 || p.sealer.opened.Load() != opened {
		t.Errorf("the next run costs %v and opens %d keys", calls, p.sealer.opened.Load()-opened)
	}
	p.play(t, step{method: "PUT", path: path + "TOKEN/", body: `{"value":"open now"}`, status: 200})
	if got := run(); got["TOKEN"] != "open now" || len(p.runner.last(t).Secrets) != 0 {
		t.Errorf("a run sees an old value: %v", got)
	}
	// Other changes to the function keep its variables; deleting the last one leaves none.
	p.play(t, step{method: "PATCH", path: functions + "pay/", body: `{"name":"buy"}`, status: 202})
	p.play(t, step{method: "PATCH", path: functions + "buy/", body: `{"name":"pay"}`, status: 202})
	for _, key := range []string{"HOST", "TOKEN", "EMPTY"} {
		p.play(t, step{method: "DELETE", path: path + key + "/", status: 204})
	}
	if got := run(); len(got) != 0 {
		t.Errorf("deleted variables are still there: %v", got)
	}
}

func TestVariablesAtTheirLimitUnderConcurrency(t *testing.T) {
	p := withFunction(t)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for j := range 18 {
				s := step{
					method: "PUT", path: fmt.Sprintf("%spay/variable/V_%d_%d/", functions, i, j),
					body: `{"value":"` + strings.Repeat("é", 2048) + `","secret":true}`,
				}
				answer := p.send(t, s)
				if answer.StatusCode != 200 && answer.StatusCode != 400 {
					t.Errorf("%d %s", answer.StatusCode, text(t, answer))
				}
			}
		})
	}
	wg.Wait()
	p.play(t, step{method: "GET", path: functions + "pay/variable/?limit=100", status: 200, want: `~"total_count":50}`})
	p.play(
		t,
		step{
			method: "PUT", path: functions + "pay/variable/ONE_MORE/", body: `{"value":"1"}`, status: 400,
			want: failure("a function has at most 50 variables"),
		},
	)
	p.play(t, step{method: "DELETE", path: functions + "pay/", status: 204})
	p.play(t, step{method: "POST", path: functions, body: `{"name":"pay","function_code":"1"}`, status: 201})
	p.play(t, step{method: "GET", path: functions + "pay/variable/", status: 200, want: `~"total_count":0}`})
}
