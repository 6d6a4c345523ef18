package scenario_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// largeQueries sends the longest possible where in a body, because a URL cannot hold it. Functions need not care
// about the length.
func largeQueries(t *testing.T, c stage) {
	owner := c.owner(t)
	made := owner.ask(
		t, "POST", "/oserve/v1.8/table/", `{"name":"letters","schema":{"fields":[{"name":"text","type":"string"}]}}`,
	)
	rows := "/oserve/v2.4/table/" + find(t, made, "id") + "/record/"
	owner.ask(t, "POST", rows, `[{"text":"a"},{"text":"b"},{"text":"c"}]`)

	where := text(t, map[string]any{"text": map[string]any{"$in": []string{"a", "b", strings.Repeat("x", 16_350)}}})
	if len(where) < 16_370 || len(where) > 16<<10 {
		t.Fatalf("the where has %d bytes", len(where))
	}
	if got := owner.ask(t, "GET", rows+"?where="+url.QueryEscape(where), ""); got.status != 431 ||
		!strings.Contains(got.body, "query string") {
		t.Errorf("in the URL: %d %.300s", got.status, got.body)
	}
	if got := owner.ask(t, "POST", rows+"query/", `{"where":`+where+`}`); got.status != http.StatusOK ||
		strings.Count(got.body, `"text"`) != 2 {
		t.Errorf("in the body: %d %.300s", got.status, got.body)
	}
	for _, list := range []string{"/userve", "/oserve"} {
		users := strings.ReplaceAll(where, `"text"`, `"nickname"`)
		if got := owner.ask(t, "POST", list+"/v2.2/miniapp/user_profile/query/", `{"where":`+users[:len(users)-8]+
			`"]}}}`); got.status != http.StatusOK {
			t.Errorf("users by %s: %d %.300s", list, got.status, got.body)
		}
	}
	if got := owner.ask(t, "POST", rows+"query/", `{"where":{"text":"`+strings.Repeat("x", 17_000)+
		`"}}`); got.status != http.StatusBadRequest || !strings.Contains(got.body, "where is longer than 16 KB") {
		t.Errorf("longer: %d %.300s", got.status, got.body)
	}

	upload(t, owner, "asks", `exports.main = async ({ data }) => {
  const { data: list } = await new BaaS.TableObject('letters').setQuery(new BaaS.Query().in('text', data.texts)).find();
  return list.objects.length;
}`)
	run := owner.ask(
		t, "POST", functions+"asks/job/",
		text(t, map[string]any{"data": map[string]any{"texts": []string{"a", strings.Repeat("x", 16_000)}}}),
	)
	if run.body != `{"code":0,"data":1,"error":{}}` {
		t.Errorf("a function: %d %.300s", run.status, run.body)
	}
}

const functions = "/oserve/v1.3/cloud-function/"

// upload creates a function with the code.
func upload(t *testing.T, owner caller, name, code string) {
	t.Helper()
	if made := owner.ask(
		t, "POST", functions, text(t, map[string]any{"name": name, "function_code": code}),
	); made.status != http.StatusCreated {
		t.Fatalf("create %s: %d %.300s", name, made.status, made.body)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// largeResults runs a function whose result is 4 MB of quotes, with logs and errors of every kind.
func largeResults(t *testing.T, c stage) {
	owner := c.owner(t)
	upload(t, owner, "large", `exports.main = async ({ data }) => {
  console.log(data.unit.repeat(1.1e6));
  if (data.fails) throw new Error(data.unit.repeat(1e5));
  return '"'.repeat(2097151);
}`)
	result := `"` + strings.Repeat(`\"`, 2097151) + `"` // 4 MB
	run := owner.ask(t, "POST", functions+"large/job/", `{"data":{"unit":"x"}}`)
	if want := `{"code":0,"data":` + result + `,"error":{}}`; run.status != http.StatusOK || run.body != want {
		t.Errorf("run: %d, %d bytes %.300s", run.status, len(run.body), run.body)
	}
	for _, run := range []struct {
		unit  string
		fails bool
	}{{"x", false}, {`"`, true}, {"\x01", false}} {
		debug := owner.ask(
			t, "POST", functions+"large/debug/",
			text(t, map[string]any{"data": map[string]any{"unit": run.unit, "fails": run.fails}}),
		)
		var got struct {
			Data  json.RawMessage
			Error struct{ Type, Message string }
			JobID string `json:"job_id"`
			Log   string
		}
		if err := json.Unmarshal([]byte(debug.body), &got); err != nil || debug.status != http.StatusOK ||
			len(debug.body) > httpapi.MaxAnswer {
			t.Fatalf("debug of %+v: %d, %d bytes %.300s", run, debug.status, len(debug.body), debug.body)
		}
		if run.fails && (got.Error.Type != "Error" ||
			!strings.HasPrefix(got.Error.Message, strings.Repeat(run.unit, 5000))) {
			t.Errorf("debug of %+v: error %s, %d bytes", run, got.Error.Type, len(got.Error.Message))
		}
		if !run.fails && string(got.Data) != result {
			t.Errorf("debug of %+v: the result has %d bytes, not %d, error %.300s", run, len(got.Data), len(result), got.Error)
		}
		sameLog(t, got.Log, owner.ask(t, "GET", functions+"large/job/"+got.JobID+"/log/", ""))
	}
}

// sameLog expects the log of a debug result to be a prefix of the stored one, with a note if it is truncated.
func sameLog(t *testing.T, told string, kept reply) {
	t.Helper()
	if kept.status != http.StatusOK || len(kept.body) < 1_000_000 || len(kept.body) > 1<<20 {
		t.Errorf("log: %d, %d bytes %.300s", kept.status, len(kept.body), kept.body)
	}
	if told == kept.body {
		return
	}
	told, note, cut := strings.Cut(told, "\nthe log is cut here")
	if !cut || !strings.HasSuffix(note, "/log/ has all of it\n") || !strings.HasPrefix(kept.body, told) ||
		len(told) < 50_000 {
		t.Errorf("debug tells %d bytes of %d, %q", len(told), len(kept.body), note)
	}
}

// largeFunctions lists functions of 1 MB each.
func largeFunctions(t *testing.T, c stage) {
	owner := c.owner(t)
	for n, unit := range []string{`\\`, `"'`, "\n", "\x01", "漢"} {
		upload(
			t, owner, fmt.Sprintf("code-%d", n),
			"exports.main = async () => null /*"+strings.Repeat(unit, 640_000/len(unit))+"*/",
		)
	}
	names := everyPage(t, owner, functions+"?limit=1000", "name")
	for n := range 5 {
		if name := fmt.Sprintf("code-%d", n); names[name] != 1 {
			t.Errorf("%s is on the pages %d times", name, names[name])
		}
	}
}

// largeRows lists rows that are small in the store and six times as long in responses, then a few rows of the maximum
// size.
func largeRows(t *testing.T, c stage) {
	owner := c.owner(t)
	made := owner.ask(
		t, "POST", "/oserve/v1.8/table/", `{"name":"large","schema":{"fields":[{"name":"text","type":"string"}]}}`,
	)
	rows := "/oserve/v2.4/table/" + find(t, made, "id") + "/record/"
	insert := func(size, n int, unit string) {
		row := text(t, map[string]any{"text": strings.Repeat(unit, size/len(unit))})
		body := "[" + strings.Repeat(row+",", n-1) + row + "]"
		if got := owner.ask(t, "POST", rows+"?enable_trigger=0", body); got.status != http.StatusCreated ||
			!strings.Contains(got.body, fmt.Sprintf(`"succeed":%d`, n)) {
			t.Fatalf("insert: %d %.300s", got.status, got.body)
		}
	}
	insert(900, 800, "\x01")
	for _, unit := range []string{`"`, "\n", "a"} {
		// A request is also a JSON string inside the event: a larger one would be 413.
		insert(340<<10, 3, unit)
	}
	for _, order := range []string{"", "&order_by=-text"} {
		if seen := everyPage(t, owner, rows+"?limit=1000"+order, "id"); len(seen) != 809 {
			t.Errorf("the pages%s show %d rows of 809", order, len(seen))
		}
	}
}

// everyPage counts the objects on all pages of a list by the value of a field.
func everyPage(t *testing.T, owner caller, path, field string) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for next := &path; next != nil; {
		list := owner.ask(t, "GET", *next, "")
		var got struct {
			Meta    meta
			Objects []map[string]any
		}
		if err := json.Unmarshal([]byte(list.body), &got); err != nil || list.status != http.StatusOK ||
			len(got.Objects) == 0 {
			t.Fatalf("%s: %d, %d bytes %.300s", *next, list.status, len(list.body), list.body)
		}
		if len(list.body) > page.MaxBytes+1000 || got.Meta.Next != nil && got.Meta.Limit != len(got.Objects) {
			t.Errorf("%s: %d bytes, limit %d of %d objects", *next, len(list.body), got.Meta.Limit, len(got.Objects))
		}
		for _, object := range got.Objects {
			seen[fmt.Sprint(object[field])]++
		}
		next = got.Meta.Next
	}
	return seen
}
