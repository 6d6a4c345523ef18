package action_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
)

var (
	shop = tenant.Scope{App: 1001}
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// profiles is a fake user.Reader with user 12 of the shop. It counts reads.
type profiles struct {
	asked int
	err   error
}

func (p *profiles) Profile(_ context.Context, scope tenant.Scope, id user.ID, _ string) (user.Profile, error) {
	p.asked++
	switch {
	case p.err != nil:
		return nil, p.err
	case id != 12 || scope != shop:
		return nil, errs.NotFound("user %d not found", id)
	}
	return user.Profile{"id": int64(12), "nickname": "<Ada>", "created_at": int64(1763812800)}, nil
}

// rowWork returns the work of an event of a new row.
func rowWork(kind trigger.ActionType, s trigger.Settings, row map[string]any) action.Work {
	a := trigger.Action{ID: 1, Type: kind, Settings: s}
	return action.Work{
		Run: run.Run{ID: "r", Scope: shop, Event: trigger.Event{
			Scope: shop, Type: trigger.TypeTable, Kind: trigger.OnCreate, At: noon, After: row, Payload: row,
		}},
		Trigger: trigger.Trigger{ID: 7, Type: trigger.TypeTable, Timezone: "Asia/Shanghai", Actions: []trigger.Action{a}},
		Action:  a,
	}
}

// TestRendersMail checks escaped values in HTML, dates in the trigger's time zone, and one read of the creator.
func TestRendersMail(t *testing.T) {
	mail := &trigger.EmailSettings{
		To: []string{"{{mail}}", "b@example.com"}, Subject: `{{ title }} by {{ created_by.nickname }}{{ gone }} \{{`,
		Body:   `<p>{{ title }} {{ payload.created_by.nickname }} {{ created_by.created_at | date:"Y-m-d H:i" }} {{ tags }}</p>`,
		Format: trigger.FormatHTML,
	}

	row := map[string]any{"title": "a & b", "mail": "a@example.com", "created_by": 12.0, "tags": []any{"x", 1.0}}
	users := &profiles{}
	got, err := action.Rendered[*trigger.EmailSettings](t.Context(), users, rowWork(trigger.Email, mail, row))
	want := &trigger.EmailSettings{
		To: []string{"a@example.com", "b@example.com"}, Subject: "a & b by <Ada> {{",
		Body:   `<p>a &amp; b &lt;Ada&gt; 2025-11-22 20:00 [&#34;x&#34;,1]</p>`,
		Format: trigger.FormatHTML,
	}

	if diff := cmp.Diff(want, got); err != nil || diff != "" || users.asked != 1 {
		t.Errorf("asked %d times, %v, -want +got:\n%s", users.asked, err, diff)
	}
	if mail.To[0] != "{{mail}}" {
		t.Error("the trigger's own settings were changed")
	}
}

// TestCreatorIsReadWhenNamed checks that the creator is read only if a template names it. A deleted user renders empty,
// and a failed read fails the action.
func TestCreatorIsReadWhenNamed(t *testing.T) {
	for _, row := range []struct {
		page  string
		by    any
		users profiles
		want  string
		asked int
		fails bool
	}{
		{page: "p/{{ created_by }}", by: 12.0, want: "p/12"},
		{page: "p/{{ created_by.nickname }}", by: 12.0, want: "p/<Ada>", asked: 1},
		{page: "p/{{ created_by.nickname }}", by: 13.0, want: "p/", asked: 1},
		{page: "p/{{ created_by.nickname }}", by: 0.0, want: "p/"},
		{page: "p/{{ created_by.nickname }}", by: "x", want: "p/"},
		{
			page: "p/{{ created_by.nickname }}", by: 12.0, users: profiles{err: errors.New("throttled")}, asked: 1, fails: true,
		},
	} {
		s := &trigger.TemplateMessageSettings{Page: row.page, Recipient: trigger.Recipient{Kind: trigger.TriggeringUser}}
		w := rowWork(trigger.TemplateMessage, s, map[string]any{"created_by": row.by})
		got, err := action.Rendered[*trigger.TemplateMessageSettings](t.Context(), &row.users, w)
		if row.fails {
			if err == nil || errs.KindOf(err) == errs.KindInvalid {
				t.Errorf("%s: %v, want what passes", row.page, err)
			}
			continue
		}
		if err != nil || got.Page != row.want || row.users.asked != row.asked {
			t.Errorf("%s by %v: %q, asked %d times, %v", row.page, row.by, got.Page, row.users.asked, err)
		}
	}
}

// TestRendersOperands checks that operands keep their type. An object becomes text without operators, and a missing
// value is an error.
func TestRendersOperands(t *testing.T) {
	row := map[string]any{
		"n": 5.0, "text": `{"$ne":""}`, "evil": map[string]any{"$ne": ""}, "list": []any{1.0, 2.0}, "empty": nil,
		"author": map[string]any{"_table": "authors", "id": "ab"},
	}

	for _, r := range []struct {
		where map[string]any
		want  map[string]any
		wrong string
	}{
		{where: map[string]any{"a": "{{ n }}", "b": 7.0}, want: map[string]any{"a": 5.0, "b": 7.0}},
		{where: map[string]any{"a": " {{ n }}"}, want: map[string]any{"a": " 5"}},
		{where: map[string]any{"a": "{{ text }}"}, want: map[string]any{"a": `{"$ne":""}`}},
		{where: map[string]any{"a": "{{ evil }}"}, want: map[string]any{"a": `{"$ne":""}`}},
		{where: map[string]any{"a": map[string]any{"$in": "{{ list }}"}}, want: map[string]any{
			"a": map[string]any{"$in": []any{1.0, 2.0}},
		}},
		{where: map[string]any{"$or": []any{map[string]any{"a": map[string]any{"$gt": "{{ n }}"}}}}, want: map[string]any{
			"$or": []any{map[string]any{"a": map[string]any{"$gt": 5.0}}},
		}},
		{where: map[string]any{"author": "{{ author }}"}, want: map[string]any{"author": "ab"}},
		{where: map[string]any{"a": "{{ empty }}"}, wrong: "where.a: {{ empty }} has no value"},
		{where: map[string]any{"a": map[string]any{"$ne": "{{ gone }}"}}, wrong: "where.a.$ne: {{ gone }} has no value"},
	} {
		s := &trigger.TableOperationSettings{Table: "5", Operation: trigger.Delete, Where: r.where}
		w := rowWork(trigger.TableOperation, s, row)
		got, err := action.Rendered[*trigger.TableOperationSettings](t.Context(), &profiles{}, w)
		if r.wrong != "" {
			if !errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), r.wrong) {
				t.Errorf("%v: %v, want %s", r.where, err, r.wrong)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", r.where, err)
			continue
		}
		if diff := cmp.Diff(r.want, got.Where); diff != "" {
			t.Errorf("%v: -want +got:\n%s", r.where, diff)
		}
	}
}

// TestPreviewShowsReasons checks that reasons replace invalid values.
func TestPreviewShowsReasons(t *testing.T) {
	s := &trigger.TableOperationSettings{
		Table: "5", Operation: trigger.Update, Where: map[string]any{"a": "{{ gone }}", "b": "{{ n }}"},
		Assign: []trigger.Assignment{{Field: "x", Operator: trigger.IncBy, Value: "{{ n }}"}},
	}
	w := rowWork(trigger.TableOperation, s, map[string]any{"n": 5.0})
	got := action.Preview(w.Trigger, w.Action, w.Run.Event, func() map[string]any { panic("nobody is asked for") })
	want := map[string]any{
		"table": 5.0, "operation": "update",
		"where":  map[string]any{"a": "{{ gone }} has no value, and chooses nothing", "b": 5.0},
		"assign": []any{map[string]any{"field": "x", "operator": "inc_by", "value": 5.0}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRefusesLongRenderings checks the limit of 256 KB (D35).
func TestRefusesLongRenderings(t *testing.T) {
	s := &trigger.EmailSettings{To: []string{"a@example.com"}, Subject: "s", Body: strings.Repeat("{{ t }}", 3)}
	w := rowWork(trigger.Email, s, map[string]any{"t": strings.Repeat("x", 100<<10)})
	_, err := action.Rendered[*trigger.EmailSettings](t.Context(), &profiles{}, w)
	if !errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), "body: ") {
		t.Errorf("%v", err)
	}
}
