package api_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

const (
	userGroups  = "/oserve/v1/user-group/"
	superGroups = "/oserve/v1/user-supergroup/"
)

// names returns the names in a list, in its order.
func names(list any) string {
	var all []string
	for _, one := range list.([]any) {
		all = append(all, fmt.Sprint(one.(map[string]any)["name"]))
	}
	return strings.Join(all, ",")
}

// TestSuperGroupsContainGroups: a group belongs to at most one super group, given children replace the stored ones,
// and deleting a super group keeps its groups.
func TestSuperGroupsContainGroups(t *testing.T) {
	p := newPlatform(t)
	ids := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		ids[name] = formatID(t, p.function(t, "POST", userGroups, `{"name":"`+name+`"}`, 201))
	}
	made := p.function(t, "POST", superGroups, `{"name":"north","children":[`+ids["a"]+`,`+ids["b"]+`]}`, 201)
	north := formatID(t, made)
	if made["children"] != 2.0 || names(made["user_group"]) != "b,a" || made["name"] != "north" {
		t.Errorf("made %v", made)
	}
	south := formatID(t, p.function(t, "POST", superGroups, `{"name":"south"}`, 201))

	// Changes of a group: created in one super group, moved to another, removed from it.
	d := p.function(t, "POST", userGroups, `{"name":"d","parent":`+south+`}`, 201)
	if fmt.Sprint(d["parent"].(map[string]any)["name"]) != "south" {
		t.Errorf("made %v", d)
	}
	moved := p.function(t, "PUT", userGroups+ids["c"]+"/", `{"name":"c2","parent":`+south+`}`, 200)
	if moved["name"] != "c2" || moved["parent"].(map[string]any)["name"] != "south" {
		t.Errorf("moved %v", moved)
	}
	if list := p.function(t, "GET", userGroups+"?parent_id="+south, "", 200); names(list["objects"]) != "d,c2" {
		t.Errorf("in south are %v", list)
	}
	if out := p.function(t, "PUT", userGroups+ids["c"]+"/", `{"parent":null}`, 200); out["parent"] != nil || out["name"] != "c2" {
		t.Errorf("taken out %v", out)
	}

	// Changes of a super group.
	changed := p.function(t, "PUT", superGroups+north+"/", `{"name":"far north","children":[`+ids["b"]+`,`+formatID(t, d)+`]}`, 200)
	if changed["name"] != "far north" || names(changed["user_group"]) != "d,b" {
		t.Errorf("changed %v", changed)
	}
	list := p.function(t, "GET", superGroups+"?limit=5", "", 200)
	if names(list["objects"]) != "south,far north" || list["meta"].(map[string]any)["total_count"] != 2.0 {
		t.Errorf("listed %v", list)
	}
	first := p.function(t, "GET", superGroups+"?limit=1", "", 200)
	next, _ := first["meta"].(map[string]any)["next"].(string)
	if rest := p.function(t, "GET", next, "", 200); names(rest["objects"]) != "far north" {
		t.Errorf("next %v", rest)
	}
	if read := p.function(t, "GET", superGroups+south+"/", "", 200); read["children"] != 0.0 || len(read["user_group"].([]any)) != 0 {
		t.Errorf("read %v", read)
	}

	p.function(t, "DELETE", superGroups+north+"/", "", 204)
	p.function(t, "DELETE", superGroups+north+"/", "", 404)
	p.function(t, "DELETE", superGroups+"?id__in="+north+","+south, "", 204)
	for _, g := range p.function(t, "GET", userGroups, "", 200)["objects"].([]any) {
		if g.(map[string]any)["parent"] != nil {
			t.Errorf("left %v", g)
		}
	}
	if read := p.function(t, "GET", userGroups+ids["b"]+"/", "", 200); read["parent"] != nil {
		t.Errorf("left %v", read)
	}
}

// TestRefusesInvalidSuperGroups: the error names the field; super groups of other applications are not found.
func TestRefusesInvalidSuperGroups(t *testing.T) {
	p := newPlatform(t)
	north := formatID(t, p.function(t, "POST", superGroups, `{"name":"north"}`, 201))
	group := formatID(t, p.function(t, "POST", userGroups, `{"name":"a"}`, 201))
	for _, c := range []struct{ method, path, body string }{
		{"POST", superGroups, `{}`}, {"POST", superGroups, `{"name":" x"}`}, {"POST", superGroups, `{"name":"x","children":[77]}`},
		{"POST", superGroups, `{"name":"x","children":"all"}`}, {"PUT", superGroups + north + "/", `{"children":[77]}`},
		{"PUT", superGroups + north + "/", `{"name":""}`}, {"DELETE", superGroups, ``},
		{"POST", userGroups, `{"name":"b","parent":77}`}, {"POST", userGroups, `{"name":"b","parent":"x"}`},
		{"PUT", userGroups + group + "/", `{"parent":77}`}, {"PUT", userGroups + group + "/", `{}`},
		{"GET", userGroups + "?parent_id=x", ``},
	} {
		p.function(t, c.method, c.path, c.body, 400)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		p.function(t, method, superGroups+"77/", `{"name":"x"}`, 404)
		r := httptest.NewRequest(method, superGroups+north+"/", strings.NewReader(`{"name":"x"}`))
		r.Header.Set("Authorization", "Bearer bank")
		w := httptest.NewRecorder()
		if p.ServeHTTP(w, r); w.Code != 404 {
			t.Errorf("a stranger's %s: %d %s", method, w.Code, w.Body)
		}
	}
	p.function(t, "GET", superGroups+"x/", "", 404)
}
