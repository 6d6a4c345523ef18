package api_test

import (
	"fmt"
	"testing"
)

// TestIndexes: an index is made, listed and deleted by its name; a repeated value is refused alone and among others.
func TestIndexes(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", "/oserve/v1.8/table/", `{"name":"members","schema":{"fields":[
		{"name":"email","type":"string"},{"name":"city","type":"string","indexed":true},{"name":"no","type":"integer"}]}}`)
	const indexes, rows, updates = "/oserve/v2.6/schema/members/index/", "/oserve/v2.4/table/members/record/", "/oserve/v2.6/table/members/record/"
	show := func(body any) string { return fmt.Sprint(body) }

	if got, want := show(p.must(201, "POST", indexes, `{"fields":["email"],"unique":true}`)),
		"map[fields:[email] name:email_1 ready:false unique:true]"; got != want {
		t.Errorf("made %s, want %s", got, want)
	}
	p.must(201, "POST", indexes, `{"fields":["city","no"]}`)
	listed := p.must(200, "GET", indexes+"?limit=2", "")
	if got, want := show(listed["objects"]), "[map[fields:[no] name:no_1 ready:false unique:false] "+
		"map[fields:[email] name:email_1 ready:false unique:true]]"; got != want {
		t.Errorf("listed %s, want %s", got, want)
	}
	next := p.must(200, "GET", listed["meta"].(map[string]any)["next"].(string), "")
	if got, want := show(next["objects"]), "[map[fields:[city no] name:city_1_no_1 ready:false unique:false] "+
		"map[fields:[city] name:city_1 ready:true unique:false]]"; got != want {
		t.Errorf("next %s, want %s", got, want)
	}

	p.must(201, "POST", rows, `{"email":"a@example.com"}`)
	p.refused("POST", rows, `{"email":"a@example.com"}`, `field \"email\" must be unique: another row has this value`)
	other := p.must(201, "POST", rows, `{"email":"b@example.com"}`)
	p.refused("PUT", updates+other["id"].(string)+"/", `{"email":"a@example.com"}`, `must be unique`)
	many := p.must(201, "POST", rows, `[{"email":"b@example.com"},{"email":"c@example.com"},{"email":7},{"email":"c@example.com"}]`)
	var codes []any
	for _, result := range many["operation_result"].([]any) {
		failed, _ := result.(map[string]any)["error"].(map[string]any)
		codes = append(codes, failed["code"])
	}
	if got, want := show(codes), "[11000 <nil> 400 11000]"; got != want {
		t.Errorf("codes %s, want %s", got, want)
	}
	// A function and a bulk write pass by nothing.
	if w := p.ask("POST", rows, `{"email":"a@example.com"}`, "Authorization: Run run"); w.Code != 400 {
		t.Errorf("a function: %d %s", w.Code, w.Body)
	}
	changed := p.must(200, "PUT", updates+"?where={}", `{"email":"z@example.com"}`)
	if changed["succeed"] != 1.0 {
		t.Errorf("%v", changed)
	}

	p.refused("POST", indexes, `{"fields":["email"],"unique":true}`, `index \"email_1\" exists`)
	p.refused("POST", indexes, `{"fields":"email"}`, `fields must be an array`)
	p.refused("POST", indexes, `{}`, `fields`)
	p.must(404, "DELETE", indexes+"phone_1/", "")
	p.must(204, "DELETE", indexes+"email_1/", "")
	p.must(201, "POST", rows, `{"email":"z@example.com"}`)
	p.refused("POST", indexes, `{"fields":["email"],"unique":true}`, `rows have the same values`)

	// A repeated request finds what its first try made.
	for range 2 {
		w := p.ask("POST", indexes, `{"fields":["no"],"unique":true}`, "Idempotency-Key: k")
		if w.Code != 201 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}
