package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/file"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

var bearer = []string{"Authorization", "Bearer shop"}

// uploaded stores the row of a file of a user, a second after the one before.
func (p *platform) uploaded(t *testing.T, scope tenant.Scope, by int64, name, category string, size int) string {
	t.Helper()
	p.mu.Lock()
	p.now = p.now.Add(time.Second)
	p.mu.Unlock()
	fields := map[string]any{
		"name": name, "cdn_path": "r-" + name, "size": float64(size), "mime_type": "image/png", "media_type": "image", "etag": "e",
		"creator": float64(by),
	}
	if category != "" {
		fields["category_id"] = category
	}
	made := p.files.Tables.Insert(t.Context(), scope, file.Table(), []map[string]any{fields}, table.Author{UserID: by})[0]
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	return string(made.Row.ID)
}

// status sends a request without an interest in the response.
func (p *platform) status(t *testing.T, request, body string, header ...string) int {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code
}

// category makes a category and returns its id.
func (p *platform) category(t *testing.T, body string) string {
	t.Helper()
	status, made := p.send(t, "POST /oserve/v2.2/file-category/", body, bearer...)
	if status != 201 {
		t.Fatalf("%d %v", status, made)
	}
	return made["id"].(string)
}

// names returns the names of the objects of a list.
func names(list map[string]any) (all []string) {
	objects, _ := list["objects"].([]any)
	for _, o := range objects {
		all = append(all, fmt.Sprint(o.(map[string]any)["name"]))
	}
	return all
}

func TestListsFiles(t *testing.T) {
	p := newPlatform(t)
	guest := p.logIn(6, true)
	pets, gone := p.category(t, `{"name":"pets"}`), p.category(t, `{"name":"gone"}`)
	cat := p.uploaded(t, inShop, 5, "cat.png", pets, 10)
	p.uploaded(t, inShop, 6, "dog.png", pets, 30)
	p.uploaded(t, inShop, 5, "sea.png", "", 20)
	p.uploaded(t, inShop, 0, "old.png", gone, 40)
	p.uploaded(t, tenant.Scope{App: 8, Env: tenant.Production}, 5, "other.png", "", 1)
	p.uploaded(t, tenant.Scope{App: 7, Env: testEnv}, 5, "test.png", "", 1)
	if status := p.status(t, "DELETE /oserve/v2.2/file-category/"+gone+"/", "", bearer...); status != 204 {
		t.Fatal(status)
	}

	for where, want := range map[string]string{
		``:                                   "old sea dog cat",
		`{"id":"` + cat + `"}`:               "cat",
		`{"name":{"$contains":"o"}}`:         "old dog",
		`{"size":{"$gt":10,"$lte":30}}`:      "sea dog",
		`{"category_id":"` + pets + `"}`:     "dog cat",
		`{"category_id":{"$isnull":true}}`:   "sea",
		`{"category_name":"pets"}`:           "dog cat",
		`{"category_name":{"$regex":"^p"}}`:  "dog cat",
		`{"category_name":"none"}`:           "",
		`{"category_name":{"$ne":"pets"}}`:   "old sea",
		`{"category_name":{"$isnull":true}}`: "old sea",
		`{"$or":[{"category_name":"pets"},{"name":"old.png"}],"size":{"$gt":20}}`: "old dog",
		`{"created_at":{"$lte":1795262401}}`:                                      "cat",
	} {
		status, got := p.send(t, "GET /hserve/v2.2/uploaded-file/?where="+url.QueryEscape(where), "", guest...)
		if found := strings.Join(names(got), " "); status != 200 || strings.ReplaceAll(found, ".png", "") != want {
			t.Errorf("%s: %d %q, want %q", where, status, found, want)
		}
	}
	for order, want := range map[string]string{
		"name": "cat dog old sea", "-size": "old dog sea cat", "created_at": "cat dog sea old", "": "old sea dog cat",
	} {
		_, got := p.send(t, "GET /hserve/v1.3/uploaded-file/?order_by="+order, "", guest...)
		if found := strings.Join(names(got), " "); strings.ReplaceAll(found, ".png", "") != want {
			t.Errorf("%s: %q, want %q", order, found, want)
		}
	}

	for _, refused := range []string{
		`where={"created_by":5}`, `where={"mime_type":"image/png"}`, `where={"etag":"e"}`, `where={"cdn_path":"x"}`,
		`where={"_read_perm":"x"}`, `where={"size":"x"}`, `where=x`, `where={"category_name":5}`,
		`order_by=id`, `order_by=category_id`, `order_by=created_by`, `order_by=category_name`, `limit=0`, `limit=1001`,
	} {
		name, value, _ := strings.Cut(refused, "=")
		if status := p.status(t, "GET /hserve/v2.2/uploaded-file/?"+name+"="+url.QueryEscape(value), "", guest...); status != 400 {
			t.Errorf("%s: %d", refused, status)
		}
	}
	if status := p.status(t, "GET /hserve/v2.2/uploaded-file/", "", "X-Service-Client-ID", string(shop.ClientID)); status != 401 {
		t.Errorf("without a session: %d", status)
	}
}

// TestPagesThroughFiles: by next, with totals where they are asked for, in v1.3 always.
func TestPagesThroughFiles(t *testing.T) {
	p := newPlatform(t)
	guest := p.logIn(6, true)
	pets := p.category(t, `{"name":"pets"}`)
	for i := range 5 {
		p.uploaded(t, inShop, 5, fmt.Sprintf("%d.png", i), pets, i)
	}

	var found []string
	path := "/hserve/v2.2/uploaded-file/?limit=2&order_by=size&where=%7B%22category_name%22%3A%22pets%22%7D"
	for path != "" {
		_, got := p.send(t, "GET "+path, "", guest...)
		found = append(found, names(got)...)
		meta := got["meta"].(map[string]any)
		if _, counted := meta["total_count"]; counted {
			t.Errorf("%s is counted", path)
		}
		path, _ = meta["next"].(string)
	}
	if want := []string{"0.png", "1.png", "2.png", "3.png", "4.png"}; !slices.Equal(found, want) {
		t.Errorf("found %v", found)
	}
	for path, want := range map[string]any{
		"/hserve/v1.3/uploaded-file/?limit=1": 5.0, "/hserve/v2.2/uploaded-file/?limit=1&return_total_count=1": 5.0,
		"/hserve/v1.3/uploaded-file/?limit=1&where=%7B%22size%22%3A3%7D": 1.0,
	} {
		_, got := p.send(t, "GET "+path, "", guest...)
		if total := got["meta"].(map[string]any)["total_count"]; total != want {
			t.Errorf("%s: total %v", path, total)
		}
	}
}

// TestFilesOfAUserAreRead: a filter by the creator reads that user's files and no others.
func TestFilesOfAUserAreRead(t *testing.T) {
	p := newPlatform(t)
	for i := range 60 {
		p.uploaded(t, inShop, int64(5+i%20), fmt.Sprintf("%02d.png", i), "", i)
	}
	for where, want := range map[string][]string{
		`{"created_by":7}`: {"42.png", "22.png", "02.png"},
		`{"created_by":{"$in":[7,8]},"mime_type":"image/png"}`: {"43.png", "42.png", "23.png", "22.png", "03.png", "02.png"},
		`{"created_by":{"$range":[7,8]}}`:                      {"42.png", "22.png", "02.png"},
		`{"created_by":99}`:                                    {},
	} {
		found, err := p.files.List(t.Context(), inShop, file.Query{Where: where, Page: page.Request{Limit: 20}, All: true})
		if err != nil {
			t.Fatal(where, err)
		}
		got := []string{}
		for _, f := range found.Objects {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, want) || found.Scanned > 2*len(want) { // an entry and a row each
			t.Errorf("%s: %v of %d rows by %s", where, got, found.Scanned, found.Plan)
		}
	}
}

// TestAdministratorsSeeFiles: under both prefixes, with the creator, by which they filter.
func TestAdministratorsSeeFiles(t *testing.T) {
	p := newPlatform(t)
	pets := p.category(t, `{"name":"pets"}`)
	id := p.uploaded(t, inShop, 5, "cat.png", pets, 10)
	p.uploaded(t, inShop, 6, "dog.png", "", 30)
	for _, prefix := range []string{"/oserve", "/userve"} {
		files := prefix + "/v2.2/file/"
		_, got := p.send(t, "GET "+files+"?where="+url.QueryEscape(`{"created_by":5,"mime_type":"image/png"}`), "", bearer...)
		if found := names(got); !slices.Equal(found, []string{"cat.png"}) {
			t.Errorf("%s: %v", prefix, found)
		}
		_, asked := p.send(t, "POST "+files+"query/", `{"where":{"category_name":"pets"},"return_total_count":1}`, bearer...)
		if found := names(asked); !slices.Equal(found, []string{"cat.png"}) || asked["meta"].(map[string]any)["total_count"] != 1.0 {
			t.Errorf("%s: %v", prefix, asked)
		}
		status, one := p.send(t, "GET "+files+id+"/", "", bearer...)
		category, _ := one["category"].(map[string]any)
		if status != 200 || one["created_by"] != 5.0 || one["media_type"] != "image" || category["name"] != "pets" {
			t.Errorf("%s: %d %v", prefix, status, one)
		}
		if status := p.status(t, "GET "+files+id+"/", "", "Authorization", "Bearer bank"); status != http.StatusNotFound {
			t.Errorf("another application: %d", status)
		}
		if status := p.status(t, "GET "+files, "", p.logIn(5, false)...); status != http.StatusUnauthorized {
			t.Errorf("an end user: %d", status)
		}
	}
}
