package event

import (
	"strings"
	"testing"

	"minicloud/shared/tenant"
)

var shop = tenant.Scope{App: 7, Env: tenant.Production}

// TestEventNamesTheCaller; events without a caller have no member for it.
func TestEventNamesTheCaller(t *testing.T) {
	run := Run{ID: 1, Source: "timer", Scope: shop}
	for _, c := range []struct {
		meta Meta
		want string
	}{
		{Meta{}, `"request":{},`},
		{Meta{IP: "192.0.2.7"}, `"request":{"meta":{"ip_address":"192.0.2.7","user_agent":""}},`},
		{Meta{IP: "192.0.2.7", Nobody: true}, `"request":{"meta":{"ip_address":"192.0.2.7","user_agent":""},"user":null},`},
		{Meta{User: &User{ID: 7, Nickname: "Ada"}}, `"request":{"user":{"id":7,"nickname":"Ada"}},`},
	} {
		event, err := Of(run, Input{Meta: c.meta})
		if err != nil || !strings.Contains(string(event), c.want) || !strings.Contains(string(event), `"signKey":""`) {
			t.Errorf("%s, %v, want %s", event, err, c.want)
		}
	}
}

// TestEventAddsFewBytesToData, since the sandbox limits its payload (D49: data up to 4 MB).
func TestEventAddsFewBytesToData(t *testing.T) {
	data := `{"html":"` + strings.Repeat("<&>\u2028", 1000) + `"}`
	event, err := Of(Run{ID: 1, Source: "sdk", Scope: shop}, Input{Data: []byte(data)})
	if err != nil || !strings.Contains(string(event), data) || len(event) > len(data)+500 {
		t.Errorf("%d bytes of data make an event of %d, %v", len(data), len(event), err)
	}
}

// TestEventNamesTestEnvironment; events of production have no env. Missing data becomes an empty object.
func TestEventNamesTestEnvironment(t *testing.T) {
	test := tenant.Scope{App: 7, Env: "00112233445566778899"}
	for _, c := range []struct {
		scope tenant.Scope
		in    Input
		want  string
	}{
		{shop, Input{}, `{"data":{},"eventType":"sdk","jobId":"4","memoryLimitInMB":`},
		{shop, Input{Data: []byte(`[1]`), Meta: Meta{UserAgent: "curl"}}, `"request":{"meta":{"ip_address":"","user_agent":"curl"}},"timezone":"Asia/Shanghai"`},
		{test, Input{Meta: Meta{EnvName: "staging"}}, `"request":{},"env":{"id":"00112233445566778899","name":"staging"},"timezone"`},
	} {
		event, err := Of(Run{ID: 4, Source: "sdk", Scope: c.scope}, c.in)
		if err != nil || !strings.Contains(string(event), c.want) {
			t.Errorf("%s, %v, want %s", event, err, c.want)
		}
	}
}
