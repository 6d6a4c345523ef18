package bench

import (
	"fmt"
	"testing"
)

// BenchmarkLogins logs end users in. A login by password takes ≤ 60 ms of processor time, most of it for the hash; an
// anonymous and a silent login ≤ 10 ms beside the vendor's answer, which comes at once from the local cloud.
func BenchmarkLogins(b *testing.B) {
	p := start(b)
	p.open(b)
	p.register(b, "known")
	vendor := object{"app_id": "wx1", "app_secret": "right"}
	p.call(b, "PUT", "/oserve/v3/message-setting/chat/", vendor, nil)
	n := 0
	for _, login := range []struct {
		name, path string
		body       func() object
	}{
		{"password", "/hserve/v2.1/login/username/", func() object { return known("known") }},
		{"anonymous", "/hserve/v2.0/login/anonymous/", func() object { return object{} }},
		{"silent", "/hserve/v2.5/idp/chat/silent-login/", func() object { return object{"code": "known"} }},
		{"silent_first", "/hserve/v2.5/idp/chat/silent-login/", func() object {
			n++
			return object{"code": fmt.Sprint("first-", n)}
		}},
	} {
		b.Run(login.name, func(b *testing.B) {
			anyone := p.anyone()
			once := func() { must(b, anyone.Send(b.Context(), "POST", login.path, login.body(), nil)) }
			once()
			before, used := p.Stats(), processor("session")
			times := loop(b, once)
			p.cost(b, before, len(times))
			b.ReportMetric(ms(processor("session")-used)/float64(len(times)), "cpu-ms/op")
		})
	}
}
