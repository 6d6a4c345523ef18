package api_test

import (
	"strings"
	"testing"

	"minicloud/shared/file"
)

// stored stores a file with its content.
func (p *platform) stored(t *testing.T, by int64, name string) (id, key string) {
	t.Helper()
	id, key = p.uploaded(t, inShop, by, name, "", 1), "7/production/r-"+name
	p.objects.Set(key, []byte("x"), file.Meta{})
	return id, key
}

func (p *platform) has(t *testing.T, id, key string) (record, object bool) {
	t.Helper()
	status := p.status(t, "GET /oserve/v2.2/file/"+id+"/", "", bearer...)
	_, object = p.objects.Object(key)
	return status == 200, object
}

func TestDeletesFiles(t *testing.T) {
	p := newPlatform(t)
	ada, guest := p.logIn(5, false), p.logIn(6, true)
	for i, version := range []string{"v1.3", "v2.1", "v2.2"} {
		path := "DELETE /hserve/" + version + "/uploaded-file/"
		id, key := p.stored(t, 5, version+".png")
		other, otherKey := p.stored(t, 6, version+"-guest.png")

		for _, wrong := range []struct {
			request string
			header  []string
			status  int
		}{
			{path + id + "/", guest, 401},
			{path + id + "/", []string{"X-Service-Client-ID", string(shop.ClientID)}, 401},
			{path + strings.Repeat("0", 24) + "/", ada, 404},
			{path + "x/", ada, 404},
			{"DELETE /oserve/v2.2/file/" + id + "/", []string{"Authorization", "Bearer bank"}, 404},
		} {
			if status := p.status(t, wrong.request, "", wrong.header...); status != wrong.status {
				t.Errorf("%s: %d, want %d", wrong.request, status, wrong.status)
			}
		}
		if record, object := p.has(t, id, key); !record || !object {
			t.Errorf("%s: a refused deletion took effect: %v %v", version, record, object)
		}

		for _, want := range []int{204, 404} {
			if status := p.status(t, path+id+"/", "", ada...); status != want {
				t.Errorf("%s: %d, want %d", version, status, want)
			}
		}
		if record, object := p.has(t, id, key); record || object {
			t.Errorf("%s: record %v, object %v", version, record, object)
		}

		// Many: files of others and unknown ids are skipped.
		mine, mineKey := p.stored(t, 5, version+"-2.png")
		body := `{"id__in":["` + mine + `","` + other + `","` + strings.Repeat("1", 24) + `","x"]}`
		if status := p.status(t, path, body, ada...); status != 204 {
			t.Errorf("%s: %d", version, status)
		}
		if record, object := p.has(t, mine, mineKey); record || object {
			t.Errorf("%s: record %v, object %v", version, record, object)
		}
		if record, object := p.has(t, other, otherKey); !record || !object {
			t.Errorf("%s: another's: record %v, object %v", version, record, object)
		}
		for _, body := range []string{`{}`, `{"id__in":[]}`, `{"id__in":"x"}`, `{"id__in":[` + strings.Repeat(`"x",`, 1000) + `"x"]}`} {
			if status := p.status(t, path, body, ada...); status != 400 {
				t.Errorf("%.30s: %d", body, status)
			}
		}

		prefix := []string{"/oserve", "/userve", "/oserve"}[i] + "/v2.2/file/"
		if status := p.status(t, "DELETE "+prefix+other+"/", "", bearer...); status != 204 {
			t.Errorf("%s: %d", prefix, status)
		}
		a, aKey := p.stored(t, 5, version+"-a.png")
		b, bKey := p.stored(t, 0, version+"-b.png")
		if status := p.status(t, "DELETE "+prefix+"?id__in="+a+","+b+","+strings.Repeat("1", 24), "", bearer...); status != 204 {
			t.Errorf("%s: %d", prefix, status)
		}
		for id, key := range map[string]string{a: aKey, b: bKey, other: otherKey} {
			if record, object := p.has(t, id, key); record || object {
				t.Errorf("%s: record %v, object %v", prefix, record, object)
			}
		}
		for _, query := range []string{"", "?id__in=", "?id__in=x", "?id__in=" + a + ",,"} {
			if status := p.status(t, "DELETE "+prefix+query, "", bearer...); status != 400 {
				t.Errorf("%s%s: %d", prefix, query, status)
			}
		}
	}
}

// TestInterruptedDeletionIsFinished: the store of objects fails, and the sweep deletes what is left.
func TestInterruptedDeletionIsFinished(t *testing.T) {
	p := newPlatform(t)
	ada := p.logIn(5, false)
	id, key := p.stored(t, 5, "a.png")
	p.objects.Before = func(call string) bool { return call != "Delete" }
	if status := p.status(t, "DELETE /hserve/v2.1/uploaded-file/"+id+"/", "", ada...); status != 204 {
		t.Errorf("%d", status)
	}
	if record, object := p.has(t, id, key); record || !object {
		t.Errorf("record %v, object %v", record, object)
	}

	p.objects.Before = nil
	p.mu.Lock()
	p.now = p.now.Add(2 * file.Valid)
	p.mu.Unlock()
	if done, err := p.files.Sweep(t.Context()); done != 1 || err != nil {
		t.Errorf("swept %d, %v", done, err)
	}
	if _, object := p.has(t, id, key); object {
		t.Error("the content is still there")
	}
}
