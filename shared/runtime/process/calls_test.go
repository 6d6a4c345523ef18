package process

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// caller is a HostCaller that echoes the name and counts concurrent calls.
type caller struct{ now, most, token atomic.Int64 }

func (c *caller) Call(
	ctx context.Context, host sandbox.Host, op string, payload json.RawMessage,
) (json.RawMessage, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	if host.Token == "run-token" {
		c.token.Add(1)
	}
	var in struct{ Name string }
	json.Unmarshal(payload, &in)
	// Calls named "crowd" wait until maxCalls of them run concurrently.
	for in.Name == "crowd" && c.most.Load() < maxCalls && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if in.Name == "missing" {
		return nil, errors.New(`{"message":"function \"missing\" does not exist","status":404}`)
	}
	if in.Name == "huge" {
		in.Name = strings.Repeat("\x01", 4<<20) // escaped twice as JSON, it exceeds maxFrame
	}
	return json.Marshal(map[string]any{"code": 0, "data": in.Name, "error": map[string]any{}})
}

func TestHostCalls(t *testing.T) {
	c := &caller{}
	s := &Supervisor{Caller: c}
	t.Cleanup(s.Close)

	for _, k := range []struct{ name, code, data, failure string }{
		{"one", `exports.main = async () => (await BaaS.invoke('other', { a: 1 }, true)).data`, `"other"`, ""},
		{
			"fifty at once",
			`exports.main = async () => (await Promise.all(Array.from({ length: 50 }, () => BaaS.invoke('crowd', {}, true)))).length`,
			"50", "",
		},
		{
			"fifty-one at once",
			`exports.main = async () => (await Promise.allSettled(Array.from({ length: 51 }, () => BaaS.invoke('crowd', {}, true)))).filter((r) => r.status === 'rejected').length`,
			"1", "",
		},
		{"fifty, again and again", `exports.main = async () => {
			let refused = 0
			const line = async () => { for (let i = 0; i < 100; i++) await BaaS.invoke('missing', {}, true).catch((e) => { refused += e.status === 404 }) }
			await Promise.all(Array.from({ length: 50 }, line))
			return refused
		}`, "5000", ""},
		{
			"refused",
			`exports.main = async () => { try { await BaaS.invoke('missing', {}, true) } catch (e) { return [e.name, e.message, e.status] } }`,
			`["BaaSError","404: function \"missing\" does not exist",404]`, "",
		},
		{
			"answer of no frame",
			`exports.main = async () => { try { await BaaS.invoke('huge', {}, true) } catch (e) { return e.message } }`,
			`"600: the answer is too large"`, "",
		},
		{
			"token out of reach",
			`exports.main = async () => JSON.stringify([Object.getOwnPropertyNames(BaaS), String(BaaS.invoke), process.env]).includes('run-token')`,
			"false", "",
		},
		{
			"call when the time is up", `exports.main = async () => { for (;;) await BaaS.invoke('f', {}, true) }`, "",
			"TimeoutError",
		},
	} {
		t.Run(k.name, func(t *testing.T) {
			req := sandboxtest.Request(k.code)
			if k.failure == "TimeoutError" {
				req.TimeoutMS = 100
			}
			c.most.Store(0)
			req.Host = &sandbox.Host{BaseURL: "http://platform.invalid", Token: "run-token"}
			r := s.must(t, req)
			kind := ""
			if r.Error != nil {
				kind = r.Error.Type
			}
			if string(r.Data) != k.data || kind != k.failure {
				t.Errorf("gave %s %+v, want %s %s", r.Data, r.Error, k.data, k.failure)
			}
			if most := c.most.Load(); strings.Contains(k.code, "crowd") && most != maxCalls {
				t.Errorf("%d at once", most)
			}
		})
	}

	if c.token.Load() == 0 || c.now.Load() != 0 {
		t.Errorf("%d with token, %d left over", c.token.Load(), c.now.Load())
	}
}
