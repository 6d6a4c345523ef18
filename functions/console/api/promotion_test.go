package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/tenant"
)

// twoEnvironments creates a function "pay" with the code new() in test and old() in production. It returns the path
// of the application.
func twoEnvironments(p *platform) string {
	p.Helper()
	for env, code := range map[tenant.EnvID]string{p.test: "new()", tenant.Production: "old()"} {
		_, err := p.functions.Create(p.Context(), tenant.Scope{App: p.shop.ID, Env: env}, "Ada",
			cloudfunction.New{Name: "pay", Code: code})
		p.must(err)
	}
	return fmt.Sprintf("%s%d/", applications, p.shop.ID)
}

func (p *platform) code() string {
	p.Helper()
	f, err := p.functions.Read(p.Context(), tenant.Scope{App: p.shop.ID, Env: tenant.Production}, "pay")
	p.must(err)
	source, err := f.Code.Source()
	p.must(err)
	return source
}

func TestPromotion(t *testing.T) {
	p := newPlatform(t)
	path := twoEnvironments(p)
	b := p.signIn("dev")
	compare := fmt.Sprintf("%scompare/?from=%s&to=production", path, p.test)
	found := b.want(200, "GET", compare, "")
	items := found.field(t, "objects").([]any)
	pay := items[0].(map[string]any)
	if len(items) != 2 || pay["change"] != "changed" || strings.Contains(found.body, "new()") {
		t.Errorf("compared: %s", found.body)
	}

	body := fmt.Sprintf(`{"from":%q,"to":"production","items":[{"kind":"function","name":"pay","expect":%q}]`, p.test, pay["digest"])
	foreseen := b.want(200, "POST", path+"promote/", body+`,"dry_run":true}`)
	if p.code() != "old()" || !strings.Contains(foreseen.body, `"done":true`) || foreseen.field(t, "id").(float64) != 0 {
		t.Errorf("a look: %s, production has %s", foreseen.body, p.code())
	}
	b.header = http.Header{"Idempotency-Key": {"k"}}
	made := b.want(200, "POST", path+"promote/", body+"}")
	b.want(200, "POST", path+"promote/", body+"}")
	b.header = nil
	if p.code() != "new()" || !strings.Contains(made.body, `"was":{"digest":`) || !strings.Contains(made.body, `"version":1}`) {
		t.Errorf("promoted: %s, production has %s", made.body, p.code())
	}
	b.want(400, "POST", path+"promote/", strings.Replace(body, "function", "row", 1)+"}")

	list := b.want(200, "GET", path+"promotion/?limit=1", "")
	if strings.Count(list.body, `"by":"dev"`) != 1 {
		t.Errorf("listed: %s", list.body)
	}
	one := fmt.Sprintf("%spromotion/%.0f/revert/", path, made.field(t, "id"))
	b.want(400, "POST", one, `{"items":[{"kind":"table","name":"pay"}]}`)
	back := b.want(200, "POST", one, "{}")
	if p.code() != "old()" || !strings.Contains(back.body, `"reverted":true`) || !strings.Contains(back.body, `"reverted_by":"dev"`) {
		t.Errorf("reverted: %s, production has %s", back.body, p.code())
	}

	log := p.signIn("keeper").want(200, "GET", path+"audit/", "")
	if strings.Count(log.body, `"function pay"`) != 2 || !strings.Contains(log.body, "promotion "+string(p.test)+" → production") ||
		strings.Contains(log.body, "new()") {
		t.Errorf("audit log: %s", log.body)
	}
}

// TestPromotionNeedsItsRole: viewers can only read, and objects of other applications are not found.
func TestPromotionNeedsItsRole(t *testing.T) {
	p := newPlatform(t)
	path := twoEnvironments(p)
	other, _, err := p.apps.Create(t.Context(), "other", p.shop.Owner)
	p.must(err)
	foreign, err := p.apps.AddEnvironment(t.Context(), other.ID, "test")
	p.must(err)
	compare, body := "compare/?to=production&from=", `{"from":%q,"to":"production","items":[{"kind":"function","name":"pay"}]}`
	made := p.signIn("dev").want(200, "POST", path+"promote/", fmt.Sprintf(body, p.test))
	one := fmt.Sprintf("promotion/%.0f/revert/", made.field(t, "id"))

	viewer := p.signIn("viewer")
	viewer.want(200, "GET", path+compare+string(p.test), "")
	viewer.want(200, "GET", path+"promotion/", "")
	viewer.want(403, "POST", path+"promote/", fmt.Sprintf(body, p.test))
	viewer.want(403, "POST", path+one, "{}")

	dev := p.signIn("dev")
	dev.want(400, "GET", path+compare+string(foreign), "")
	dev.want(400, "GET", path+compare, "")
	dev.want(400, "GET", path+compare+"production", "")
	dev.want(400, "POST", path+"promote/", fmt.Sprintf(body, foreign))
	dev.want(404, "POST", path+"promotion/x/revert/", "{}")
	dev.want(404, "POST", path+"promotion/1/revert/", "{}")
	elsewhere := fmt.Sprintf("%s%d/", applications, other.ID)
	dev.want(404, "GET", elsewhere+compare+string(foreign), "")
	dev.want(404, "GET", elsewhere+"promotion/", "")
	dev.want(404, "POST", elsewhere+"promote/", fmt.Sprintf(body, foreign))
	p.signIn("owner").want(404, "POST", elsewhere+one, "{}") // another application's promotion
	if p.code() != "new()" {
		t.Errorf("production has %s", p.code())
	}
}
