package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// refused sends a request and expects a 400 whose error contains want.
func (p *platform) refused(method, target, body, want string) {
	p.t.Helper()
	w := p.ask(method, target, body)
	if w.Code != 400 || !strings.Contains(w.Body.String(), want) {
		p.t.Errorf("%s %s: %d %s, want 400 with %s", method, body, w.Code, w.Body, want)
	}
}

// TestPermissionsOfTables: both forms are accepted and returned; the error for an invalid entry names its position.
func TestPermissionsOfTables(t *testing.T) {
	p := newPlatform(t)
	const tables = "/oserve/v1.8/table/"
	show := func(table map[string]any) string {
		rows := table["default_row_perm"].(map[string]any)
		if fmt.Sprint(rows["_read_perm"], rows["_write_perm"]) != fmt.Sprint(table["row_read_perm"], table["row_write_perm"]) {
			t.Errorf("the two forms differ: %v", table)
		}
		return fmt.Sprint(table["write_perm"], table["row_read_perm"], table["row_write_perm"])
	}
	for i, c := range []struct{ said, want string }{
		{`"row_read_perm":["user:anonymous"]`, "[user:*] [user:anonymous] [user:*]"},
		{`"row_write_perm":["user:{created_by}","gid:7"]`, "[user:*] [user:*] [user:{created_by} gid:7]"},
		{`"write_perm":["user:12"],"row_read_perm":[],"row_write_perm":[]`, "[user:12] [] []"},
		{`"default_row_perm":{"_read_perm":["gid:3"]}`, "[user:*] [gid:3] [user:*]"},
		{`"default_row_perm":{"_write_perm":["gid:3"]},"row_write_perm":["gid:3"]`, "[user:*] [user:*] [gid:3]"},
	} {
		body := fmt.Sprintf(`{"name":"t%d","schema":{"fields":[]},%s}`, i, c.said)
		made := p.must(201, "POST", tables, body)
		if got := show(made); got != c.want {
			t.Errorf("%s: %s, want %s", c.said, got, c.want)
		}
		if got := show(p.must(200, "GET", tables+fmt.Sprintf("t%d/", i), "")); got != c.want {
			t.Errorf("%s, read: %s, want %s", c.said, got, c.want)
		}
	}

	for said, want := range map[string]string{
		`"write_perm":["user:*","everybody"]`:                                   `write_perm[1] is \"everybody\" and must be`,
		`"write_perm":["user:*","user:{created_by}"]`:                           `write_perm[1] is \"user:{created_by}\", which means`,
		`"row_read_perm":["user:"]`:                                             `row_read_perm[0]`,
		`"row_write_perm":["user:-1"]`:                                          `row_write_perm[0]`,
		`"row_write_perm":["user:007"]`:                                         `row_write_perm[0]`,
		`"row_write_perm":["gid:*"]`:                                            `row_write_perm[0]`,
		`"row_write_perm":["gid:9007199254740992"]`:                             `row_write_perm[0]`,
		`"default_row_perm":{"_read_perm":["user:{created by}"]}`:               `default_row_perm._read_perm[0]`,
		`"default_row_perm":{"_write_perm":["User:5"]}`:                         `default_row_perm._write_perm[0]`,
		`"row_read_perm":["` + strings.Repeat(`gid:1","`, 100) + `gid:1"]`:      `row_read_perm has more than 100 entries`,
		`"row_read_perm":["gid:1"],"default_row_perm":{"_read_perm":["gid:2"]}`: `row_read_perm is not what default_row_perm says`,
		`"row_read_perm":"user:*"`:                                              `row_read_perm must be an array`,
	} {
		p.refused("POST", tables, `{"name":"bad","schema":{"fields":[]},`+said+`}`, want)
		p.refused("PUT", tables+"t3/", `{`+said+`}`, want)
	}

	// A client sends a response back with a change in one of its two forms.
	for _, c := range []struct{ said, want string }{
		{`"row_read_perm":["user:5"],"default_row_perm":{"_read_perm":["gid:3"],"_write_perm":["user:*"]}`, "[user:*] [user:5] [user:*]"},
		{`"row_read_perm":["user:5"],"default_row_perm":{"_read_perm":["gid:4"]}`, "[user:*] [gid:4] [user:*]"},
	} {
		if got := show(p.must(200, "PUT", tables+"t3/", `{`+c.said+`}`)); got != c.want {
			t.Errorf("%s: %s, want %s", c.said, got, c.want)
		}
	}
}

// TestAccessOfColumns: the access of a column is stored, and a change that omits it keeps it.
func TestAccessOfColumns(t *testing.T) {
	p := newPlatform(t)
	const path = "/oserve/v1.8/table/access/"
	show := func(table map[string]any) (out string) {
		for _, field := range table["schema"].(map[string]any)["fields"].([]any) {
			acl := field.(map[string]any)["acl"].(map[string]any)
			out += fmt.Sprint(acl["clientVisible"], acl["clientReadOnly"], acl["creatorVisible"], "; ")
		}
		return out
	}
	made := p.must(201, "POST", "/oserve/v1.8/table/", `{"name":"access","schema":{"fields":[
		{"name":"open","type":"string"}, {"name":"hidden","type":"string","acl":{"clientVisibile":false}},
		{"name":"own","type":"string","acl":{"clientVisible":false,"creatorVisible":true}},
		{"name":"fixed","type":"string","acl":{"clientReadOnly":true}}]}}`)
	if got, want := show(made), "true false false; false false false; false false true; true true false; "; got != want {
		t.Errorf("made %s, want %s", got, want)
	}
	changed := p.must(200, "PUT", path, `{"schema":{"fields":[
		{"name":"hidden","type":"string","description":"seldom"}, {"name":"own","type":"string","acl":{}}]}}`)
	if got, want := show(changed), "true false false; false false false; true false false; true true false; "; got != want {
		t.Errorf("changed %s, want %s", got, want)
	}
	if got := show(p.must(200, "GET", path, "")); got != show(changed) {
		t.Errorf("read %s, changed %s", got, show(changed))
	}

	field := `{"schema":{"fields":[{"name":"open","type":"string","acl":%s}]}}`
	p.refused("PUT", path, fmt.Sprintf(field, `{"clientVisible":true,"clientVisibile":false}`), "they differ")
	p.refused("PUT", path, fmt.Sprintf(field, `{"clientVisible":1}`), "clientVisible")
}

// TestAccessOfProfiles: others see the name and the picture of a user, unless the application says otherwise.
func TestAccessOfProfiles(t *testing.T) {
	p := newPlatform(t)
	const path = "/oserve/v1.8/table/_userprofile/"
	show := func() string {
		table := p.must(200, "GET", path, "")
		var open, fixed []string
		for _, field := range table["schema"].(map[string]any)["fields"].([]any) {
			field := field.(map[string]any)
			acl := field["acl"].(map[string]any)
			if acl["creatorVisible"] == false && acl["clientVisible"] == true {
				open = append(open, field["name"].(string))
			}
			if acl["clientReadOnly"] == true {
				fixed = append(fixed, field["name"].(string))
			}
		}
		return fmt.Sprint(open, fixed)
	}
	if got, want := show(), "[avatar nickname] [is_authorized openid unionid user_group]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p.must(200, "PUT", path, `{"schema":{"fields":[{"name":"level","type":"integer"},
		{"name":"city","type":"string","acl":{}}, {"name":"nickname","type":"string","acl":{"clientReadOnly":true}}]}}`)
	if got, want := show(), "[avatar city nickname level] [is_authorized nickname openid unionid user_group]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p.refused("PUT", path, `{"schema":{"fields":[{"name":"city","type":"integer","acl":{}}]}}`, "built in")
}

// TestPermissionsOfRows: user:{created_by} is replaced by the creator in new and changed rows. An invalid entry
// refuses the write, also with legacy writes.
func TestPermissionsOfRows(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", `{"name":"notes","schema":{"fields":[{"name":"n","type":"integer"}]},
		"row_read_perm":["user:anonymous"],"row_write_perm":["user:{created_by}","gid:5"]}`)
	const rows, updates = "/oserve/v2.4/table/notes/record/", "/oserve/v2.6/table/notes/record/"
	show := func(row map[string]any) string { return fmt.Sprint(row["_read_perm"], row["_write_perm"]) }

	made := p.must(201, "POST", rows, `{"n":1}`)
	if got, want := show(made), "[user:anonymous] [user:70 gid:5]"; got != want {
		t.Errorf("by the table's defaults: %s, want %s", got, want)
	}
	own := p.must(201, "POST", rows, `{"n":2,"_read_perm":["user:{created_by}","user:70","user:{created_by}"],"_write_perm":[]}`)
	if got, want := show(own), "[user:70 user:70] []"; got != want {
		t.Errorf("as the row says: %s, want %s", got, want)
	}
	others := p.function(201, "POST", rows, `{"n":3,"created_by":99}`)
	if got, want := show(others), "[user:anonymous] [user:99 gid:5]"; got != want {
		t.Errorf("of another creator: %s, want %s", got, want)
	}

	one := updates + made["id"].(string) + "/"
	changed := p.must(200, "PUT", one, `{"_read_perm":{"$append":["user:{created_by}"]},"_write_perm":{"$remove":["gid:5"]}}`)
	if got, want := show(changed), "[user:anonymous user:70] [user:70]"; got != want {
		t.Errorf("changed: %s, want %s", got, want)
	}
	answer := p.must(200, "PUT", updates+"?where="+escape(`{"n":{"$gt":1}}`), `{"_read_perm":["user:{created_by}"]}`)
	for id, want := range map[string]string{own["id"].(string): "[user:70]", others["id"].(string): "[user:99]"} {
		if got := fmt.Sprint(p.must(200, "GET", rows+id+"/", "")["_read_perm"]); got != want {
			t.Errorf("changed with others: %s, want %s (%v)", got, want, answer)
		}
	}

	for _, body := range []string{
		`{"n":1,"_read_perm":["everybody"]}`, `{"_read_perm":["user:*","user:{creator}"]}`, `{"_read_perm":["user:0"]}`,
		`{"_read_perm":["` + strings.Repeat(`gid:1","`, 100) + `gid:1"]}`,
	} {
		p.refused("POST", rows, body, "_read_perm")
		p.refused("PUT", one, body, "_read_perm")
		p.refused("PUT", updates+"?where={}", body, "_read_perm")
	}
	p.refused("PUT", one, `{"_read_perm":{"$append_unique":["mine"]}}`, "_read_perm[0]")
	p.refused("PUT", one, `{"_read_perm":{"$append":["`+strings.Repeat(`gid:1","`, 98)+`gid:1"]}}`, "more than 100 entries")

	p.must(200, "PUT", "/oserve/v1.8/application-setting/", `{"legacy_writes":true}`)
	p.refused("POST", rows, `{"n":1,"_read_perm":["everybody"]}`, "_read_perm[0]")
}
