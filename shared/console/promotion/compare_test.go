package promotion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/bulk"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console/promotion"
	"minicloud/shared/table"
)

// TestCompare compares all kinds of objects of two environments, with their requirements, problems and warnings.
func TestCompare(t *testing.T) {
	w := newWorld(t)
	items := w.shop()
	w.promote(items)
	secret := "geheim"
	variables := func(in promotion.Environment, function string, keys ...string) {
		for _, key := range keys {
			w.must(w.variables.Put(t.Context(), in.Scope, function, cloudfunction.Variable{Key: key, Value: &secret, Secret: true}))
		}
	}
	permitted := func(in promotion.Environment, name, entry string, columns ...table.Column) {
		_, err := w.Tables.Create(t.Context(), in.Scope, table.Definition{Name: &name, Columns: columns, WritePerm: []string{entry}})
		w.must(err)
	}
	both := []promotion.Environment{w.test, w.prod}

	// Functions, and objects of other kinds with the same names.
	for _, env := range both {
		w.function(env, "same", "1")
		variables(env, "same", strings.ToUpper(env.Name))
		for _, name := range []string{"half", "none", "bare"} {
			w.function(env, name, env.Name)
		}
	}
	variables(w.test, "half", "A", "B")
	variables(w.prod, "half", "A")
	variables(w.test, "none", "A")
	variables(w.prod, "bare", "A")
	variables(w.test, "pay", "KEY")
	w.function(w.test, "new", "1")
	variables(w.test, "new", "KEY", "LOCK")
	for _, name := range []string{"only", "unused"} {
		w.function(w.prod, name, "1")
	}
	variables(w.prod, "only", "KEY")
	w.table(w.prod, "only", "n integer")
	timer := `{"name":%q,"type":"timer","condition":{"cron":"0 8 * * *"},"actions":[{"type":"cloud_function","settings":{"function":%q}}]}`
	w.trigger(w.prod, fmt.Sprintf(timer, "only", "only"))
	w.trigger(w.prod, fmt.Sprintf(timer, "nightly", "only"))

	// Tables.
	for _, env := range both {
		permitted(env, "club", "user:7")
		w.table(env, "types", "n integer")
		w.table(env, "users", "n integer")
	}
	w.table(w.test, "lists", "a array string")
	w.table(w.prod, "lists", "a array integer")
	w.table(w.test, "links", "a pointer users")
	w.table(w.prod, "links", "a pointer club")
	w.table(w.test, "kinds", "n integer")
	w.alter(w.prod, "types", table.Definition{Columns: fieldsOf([]string{"m string"})})
	required := fieldsOf([]string{"full string", "usual string", "free string"})
	required[0].Required, required[1].Required, required[1].Default = true, true, "x"
	w.alter(w.test, "types", table.Definition{Columns: required, WritePerm: []string{"user:7", "user:*"}})
	permitted(w.test, "fresh", "user:*", append(required, fieldsOf([]string{"of pointer types", "in pointer kinds", "me pointer fresh"})...)...)

	// Triggers.
	hook := `{"name":%q,"type":"incoming_webhook","actions":[{"type":"webhook","settings":{"url":"https://example.com"}}]}`
	w.trigger(w.test, fmt.Sprintf(hook, "hook"))
	w.trigger(w.prod, fmt.Sprintf(hook, "old hook"))
	calls := `{"name":%q,"type":"table","condition":{"table":"books","event":"delete"},"actions":[{"type":"webhook","settings":{"url":"https://example.com"}}]}`
	w.trigger(w.prod, fmt.Sprintf(calls, "calls"))
	w.trigger(w.prod, fmt.Sprintf(timer, "other", "pay"))
	w.trigger(w.test, fmt.Sprintf(hook, "other"))
	for range 2 {
		w.trigger(w.test, fmt.Sprintf(timer, "twice", "pay"))
	}
	group, err := w.groups.CreateGroup(t.Context(), w.test.Scope, "friends", 0)
	w.must(err)
	w.trigger(w.test, fmt.Sprintf(`{"name":"lost","type":"timer","condition":{"cron":"0 8 * * *"},"actions":[{"type":"template_message",
		"settings":{"vendor":"chat","template_id":"t","recipient":{"kind":"group","group":%d}}}]}`, group.ID))
	w.must(w.groups.Groups.DeleteGroup(t.Context(), w.test.Scope, group.ID, bulk.Operation{ID: 1}))
	books, err := w.Tables.Named(t.Context(), w.test.Scope, "books")
	w.must(err)
	_, err = w.Triggers.Change(t.Context(), w.test.Scope, w.triggers(w.test, "paid")[0].ID, map[string]any{
		"condition": map[string]any{"table": fmt.Sprint(books.ID), "event": "create", "rules": []any{
			map[string]any{"field": "title", "operator": "=", "value": "x"},
		}},
	}, anyTrigger)
	w.must(err)
	films := w.table(w.test, "films", "title string")
	w.trigger(w.test, strings.Replace(fmt.Sprintf(paid, fmt.Sprint(films.ID), "films"), "paid", "shown", 1))

	all := w.compare()
	got := map[string]string{}
	for name, i := range all {
		parts := []string{string(i.Change)}
		for _, need := range i.Needs {
			parts = append(parts, "needs "+need.String())
		}
		if len(i.OwnFields) > 0 {
			parts = append(parts, "own "+strings.Join(i.OwnFields, ","))
		}
		if i.Problem != "" {
			parts = append(parts, "problem: "+i.Problem)
		}
		got[name] = strings.Join(append(parts, i.Warnings...), "; ")
	}
	const disabled = "it is disabled after the promotion unless you choose to enable it"
	const key = "its webhook gets a new key in production: create another key there to see it"
	const lost = "so its values would be lost: remove the column there first"
	if diff := cmp.Diff(map[string]string{
		"function bare": "changed",
		"function half": "changed; its variables are not promoted: set B in production",
		"function new":  "added; its variables are not promoted: set KEY, LOCK in production",
		"function none": "changed; its variables are not promoted: set A in production",
		"function only": "removed; triggers in production use it: nightly, only; " +
			"its variables are deleted with it; this can't be undone",
		"function pay":       "same",
		"function same":      "same",
		"function unused":    "removed",
		"table _userprofile": "same",
		"table books":        "same",
		"table club":         "same",
		"table films":        "added",
		"table fresh":        `added; needs table "kinds"`,
		"table kinds":        "added",
		"table links": `changed; problem: column "a" is pointer to club in production and pointer to users in test, ` +
			lost,
		"table lists": `changed; problem: column "a" is array of integer in production and array of string in test, ` +
			lost,
		"table only": "removed",
		"table types": `changed; own m; permission "user:7" is promoted unchanged, but may refer to another user or group in production; ` +
			"columns that only production has are kept unless you choose to delete them: m; " +
			`new column "full" is required, but existing rows in production have no value in it`,
		"table users":      "same",
		"trigger calls":    "removed; the key of its webhook is deleted with it; this can't be undone",
		"trigger hook":     "added; " + disabled + "; it gets a new URL in production; " + key,
		"trigger lost":     "added; problem: it refers to a user group that does not exist; " + disabled,
		"trigger nightly":  "removed",
		"trigger old hook": "removed; its URL is deleted with it; this can't be undone",
		"trigger only":     "removed",
		"trigger other": "changed; problem: its type is timer in production and incoming_webhook in test, " +
			"and a type can't be changed: delete it in production first",
		"trigger paid":  "same",
		"trigger shown": `added; needs table "films"; ` + disabled + "; " + key,
		"trigger twice": "added; problem: test has 2 triggers with this name: rename them first; " + disabled,
	}, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(jsonOf(t, all), secret) {
		t.Error("a secret is compared")
	}
}

// TestItemsKeepTheirSizeEstimate, whichever part is long: the estimate limits a page of a comparison.
func TestItemsKeepTheirSizeEstimate(t *testing.T) {
	long := strings.Repeat("\"\x01ü", 3000)
	many := slices.Repeat([]string{"\x01"}, 3000)
	definition := &promotion.Definition{Function: &promotion.FunctionDefinition{Remark: long}}
	for name, i := range map[string]promotion.Item{
		"before": {Before: definition}, "after": {After: definition}, "problem": {Problem: long},
		"needs": {Needs: slices.Repeat([]promotion.Ref{{Kind: promotion.KindFunction, Name: "\x01"}}, 3000)},
		"name":  {Ref: promotion.Ref{Name: long}}, "own": {OwnFields: many}, "warnings": {Warnings: many},
	} {
		if said, is := i.Wire(), len(jsonOf(t, i)); said < is {
			t.Errorf("%s: %d bytes, not %d", name, is, said)
		}
	}
}
