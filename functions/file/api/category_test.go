package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestManagesCategories(t *testing.T) {
	p := newPlatform(t)
	guest := p.logIn(6, true)
	const categories = "/userve/v2.2/file-category/"
	status, animals := p.send(t, "POST "+categories, `{"name":" animals "}`, bearer...)
	if status != 201 || animals["name"] != "animals" || animals["parent"] != nil || animals["files"] != 0.0 ||
		fmt.Sprint(animals["subcategories"]) != "[]" {
		t.Fatalf("%d %v", status, animals)
	}
	top := animals["id"].(string)
	cats := p.category(t, `{"name":"cats","parent":"`+top+`"}`)
	p.uploaded(t, inShop, 5, "a.png", cats, 1)
	p.uploaded(t, inShop, 5, "b.png", cats, 1)

	for _, path := range []string{"/hserve/v1.3/file-category/", "/hserve/v2.2/file-category/"} {
		_, got := p.send(t, "GET "+path+top+"/", "", guest...)
		if below := fmt.Sprint(got["subcategories"]); below != "[map[id:"+cats+" name:cats]]" || got["parent"] != nil {
			t.Errorf("%v", got)
		}
		_, got = p.send(t, "GET "+path+cats+"/", "", guest...)
		if above := fmt.Sprint(got["parent"]); above != "map[id:"+top+" name:animals]" || got["files"] != 2.0 {
			t.Errorf("%v", got)
		}
		_, list := p.send(t, "GET "+path+"?order_by=name", "", guest...)
		if found := names(list); !slices.Equal(found, []string{"animals", "cats"}) || strings.Contains(fmt.Sprint(list), "files") {
			t.Errorf("%v", list)
		}
		_, list = p.send(t, "GET "+path+"?return_total_count=1&limit=1", "", guest...)
		first := list["objects"].([]any)[0].(map[string]any)
		if first["files"] != 2.0 || list["meta"].(map[string]any)["total_count"] != 2.0 {
			t.Errorf("%v", list)
		}
	}

	for body, want := range map[string]int{
		`{}`: 400, `{"name":""}`: 400, `{"name":"   "}`: 400, `{"name":null}`: 400, `{"name":5}`: 400,
		`{"name":"` + strings.Repeat("é", 65) + `"}`: 400, `{"name":"x","parent":"` + strings.Repeat("0", 24) + `"}`: 400,
		`{"name":"x","parent":"x"}`: 400, `{"name":"` + strings.Repeat("é", 64) + `","parent":null}`: 201,
	} {
		if status := p.status(t, "POST "+categories, body, bearer...); status != want {
			t.Errorf("%s: %d, want %d", body, status, want)
		}
	}
	for body, want := range map[string]int{
		`{}`: 400, `{"name":""}`: 400, `{"parent":"` + top + `"}`: 400, `{"parent":"` + cats + `"}`: 400,
		`{"parent":null}`: 200, `{"name":"beasts"}`: 200,
	} {
		if status := p.status(t, "PUT "+categories+top+"/", body, bearer...); status != want {
			t.Errorf("%s: %d, want %d", body, status, want)
		}
	}
	_, got := p.send(t, "GET "+categories+cats+"/", "", bearer...)
	if above := fmt.Sprint(got["parent"]); above != "map[id:"+top+" name:beasts]" {
		t.Errorf("%v", got)
	}

	// A category goes: its files and subcategories stay, without it.
	for _, want := range []int{204, 404} {
		if status := p.status(t, "DELETE "+categories+top+"/", "", bearer...); status != want {
			t.Errorf("%d, want %d", status, want)
		}
	}
	_, got = p.send(t, "GET "+categories+cats+"/", "", bearer...)
	if parent, there := got["parent"]; parent != nil || !there {
		t.Errorf("%v", got)
	}
	for _, request := range []string{"GET " + categories + "x/", "PUT " + categories + top + "/", "GET " + categories + top + "/"} {
		if status := p.status(t, request, `{"name":"a"}`, bearer...); status != 404 {
			t.Errorf("%s: %d", request, status)
		}
	}
	for _, request := range []string{"POST /hserve/v2.2/file-category/", "DELETE /hserve/v2.2/file-category/" + cats + "/"} {
		if status := p.status(t, request, `{"name":"a"}`, guest...); status != 405 {
			t.Errorf("%s: %d", request, status)
		}
	}
	if status := p.status(t, "GET "+categories+cats+"/", "", "Authorization", "Bearer bank"); status != 404 {
		t.Errorf("another application: %d", status)
	}
}

// TestLimitsLevelsOfCategories: a chain of parents has an end, and no cycle.
func TestLimitsLevelsOfCategories(t *testing.T) {
	p := newPlatform(t)
	first := p.category(t, `{"name":"1"}`)
	last := first
	for level := 2; level <= 10; level++ {
		last = p.category(t, fmt.Sprintf(`{"name":"%d","parent":"%s"}`, level, last))
	}
	if status := p.status(t, "POST /oserve/v2.2/file-category/", `{"name":"11","parent":"`+last+`"}`, bearer...); status != 400 {
		t.Errorf("level 11: %d", status)
	}
	if status := p.status(t, "PUT /oserve/v2.2/file-category/"+first+"/", `{"parent":"`+last+`"}`, bearer...); status != 400 {
		t.Errorf("a cycle: %d", status)
	}
}
