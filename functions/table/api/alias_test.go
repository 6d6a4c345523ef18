package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSecondNames (C18): rows have and accept _id, read_perm and write_perm beside the first names, in every place
// that names a field. A table's own column of such a name takes precedence.
func TestSecondNames(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", customers)
	const rows, updates = "/oserve/v2.4/table/customers/record/", "/oserve/v2.6/table/customers/record/"

	made := p.must(201, "POST", rows, `{"name":"Ada","read_perm":["user:5"]}`)
	id := made["id"].(string)
	for first, second := range map[string]string{"id": "_id", "_read_perm": "read_perm", "_write_perm": "write_perm"} {
		if made[first] == nil || fmt.Sprint(made[first]) != fmt.Sprint(made[second]) {
			t.Errorf("%s is %v, %s is %v", first, made[first], second, made[second])
		}
	}
	if fmt.Sprint(made["_read_perm"]) != "[user:5]" {
		t.Errorf("read_perm was ignored: %v", made)
	}

	changed := p.must(200, "PUT", updates+id+"/", `{"$set":{"write_perm":["gid:3"]},"read_perm":{"$append":["user:6"]}}`)
	if fmt.Sprint(changed["_read_perm"], changed["write_perm"]) != "[user:5 user:6] [gid:3]" {
		t.Errorf("changed to %v", changed)
	}
	p.must(200, "PUT", updates+"?limit=5&where="+escape(`{"_id":"`+id+`"}`), `{"write_perm":["gid:4"]}`)
	found := p.must(200, "GET", rows+"?keys=_id,write_perm&order_by=-_id&where="+escape(`{"read_perm":{"$all":["user:6"]}}`), "")
	if got := fmt.Sprint(found["objects"]); got != fmt.Sprintf("[map[_id:%s _write_perm:[gid:4] id:%s write_perm:[gid:4]]]", id, id) {
		t.Errorf("found %s", got)
	}
	if got := p.must(200, "GET", rows+id+"/?keys=-_id,-read_perm", ""); got["id"] != nil || got["_read_perm"] != nil || got["read_perm"] != nil {
		t.Errorf("hidden fields are shown: %v", got)
	}
	if got := p.must(200, "GET", rows+id+"/?keys=name,-age", ""); len(got) != len(made) {
		t.Errorf("keys of mixed signs have an effect: %v", got)
	}

	const both = `fields \"_read_perm\" and \"read_perm\" are the same field, but have different values`
	p.refused("POST", rows, `{"name":"x","read_perm":["user:5"],"_read_perm":[]}`, both)
	p.refused("PUT", updates+id+"/", `{"$set":{"read_perm":["user:5"],"_read_perm":[]}}`, both)
	p.must(201, "POST", rows, `{"name":"x","read_perm":["user:5"],"_read_perm":["user:5"]}`)
	p.refused("POST", rows, `{"name":"x","_id":"y"}`, `field \"id\" is the platform's`)
	if w := p.ask("POST", rows, `[{"name":"x","read_perm":[],"_read_perm":["user:1"]},{"name":"y"}]`); !strings.Contains(w.Body.String(), both) ||
		!strings.Contains(w.Body.String(), `"succeed":1`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}

	p.must(201, "POST", "/oserve/v1.8/table/", `{"name":"own","schema":{"fields":[{"name":"read_perm","type":"string"}]}}`)
	own := p.must(201, "POST", "/oserve/v2.4/table/own/record/", `{"read_perm":"column"}`)
	if own["read_perm"] != "column" || fmt.Sprint(own["_read_perm"]) != "[user:*]" {
		t.Errorf("a column named read_perm: %v", own)
	}
}
