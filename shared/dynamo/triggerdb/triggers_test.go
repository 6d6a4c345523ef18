package triggerdb_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	tables "minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/hook"
	"minicloud/shared/trigger/run"
)

// listening is a store of triggers, with the tables 5 and 6 that they may listen to.
type listening struct {
	*testing.T
	store  *triggerdb.Triggers
	tables *rowdb.Tables
}

func newListening(t *testing.T) listening {
	client := dynamotest.Start(t, "TriggersTable", "TablesTable")
	l := listening{T: t, tables: &rowdb.Tables{Client: client, Name: "TablesTable"}}
	l.store = &triggerdb.Triggers{Client: client, Table: "TriggersTable", Clock: clock.Fixed(noon), Listeners: l.tables}
	for id, name := range map[tables.ID]string{5: "five", 6: "six"} {
		if err := l.tables.InsertTable(t.Context(), shop, tables.Table{ID: id, Name: name, Revision: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func onTable(id trigger.ID, of string) trigger.Trigger {
	return trigger.Trigger{
		ID: id, Type: trigger.TypeTable, Enabled: true, Revision: 1,
		Condition: &trigger.TableCondition{Table: trigger.TableRef(of), Event: trigger.Create},
		Tables:    map[string]tables.ID{"five": 5, "six": 6, "gone": 4, "last": 7},
	}
}

// random returns a random trigger of any type, for an insert or a change.
func random(rng *rand.Rand, id trigger.ID, revision int64) trigger.Trigger {
	t := onTable(id, []string{"five", "six"}[rng.IntN(2)])
	switch rng.IntN(4) {
	case 0:
		t.Type, t.Condition = trigger.TypeChatPay, &trigger.PaymentCondition{}
	case 1:
		t.Type, t.Condition = trigger.TypeTimer, &trigger.TimerCondition{}
	case 2:
		t.Type, t.Condition = trigger.TypeIncomingWebhook, &trigger.HookCondition{}
		t.HookID = fmt.Sprint("hook", id, rng.IntN(2))
	}
	t.Enabled, t.Revision = rng.IntN(3) > 0, revision
	return t
}

// TestTriggersAgreeWithAModel: after random inserts, changes and deletions, lookups by event, hook, timer and table
// agree with the model.
func TestTriggersAgreeWithAModel(t *testing.T) {
	l, ctx, rng := newListening(t), t.Context(), rand.New(rand.NewPCG(1, 2))
	model, dues, gone := map[trigger.ID]trigger.Trigger{}, map[string]bool{}, []trigger.ID{}
	steps := 60
	if testing.Short() {
		steps = 25
	}
	for step := range steps {
		id := trigger.ID(1 + step/3 + rng.IntN(4))
		old, there := model[id]
		due := []time.Time{{}, after(step)}[rng.IntN(2)]
		next := random(rng, id, old.Revision+1)
		stale := there && rng.IntN(4) == 0
		if stale {
			old.Revision--
		}

		var err error
		switch {
		case slices.Contains(gone, id):
			continue // ids are never reused
		case !there:
			err = l.store.Insert(ctx, shop, next, due)
		case rng.IntN(4) == 0:
			if err = l.store.Delete(ctx, shop, old); err == nil {
				delete(model, id)
				gone = append(gone, id)
			}
			next.Enabled = false
		default:
			err = l.store.Replace(ctx, shop, old, next, due)
		}
		if stale != errs.Is(err, errs.KindConflict) || !stale && err != nil {
			t.Fatalf("step %d, stale %v: %v", step, stale, err)
		}
		if !stale && !slices.Contains(gone, id) {
			model[id] = next
		}
		if !stale && next.Enabled && !due.IsZero() {
			dues[fmt.Sprint(shop, id, next.Revision, due)] = true
		}
		l.compare(step, id, model, gone)
	}

	planned, err := l.store.Due(ctx, noon.Add(time.Hour), 100)
	for _, d := range planned {
		if d.Fire != nil || !d.Until.IsZero() || d.Failures != 0 {
			t.Errorf("nobody has chosen or failed %+v", d)
		}
		if !dues[fmt.Sprint(d.Scope, d.Trigger, d.Revision, d.At)] {
			t.Errorf("%+v is due", d)
		}
	}
	if len(planned) != len(dues) || err != nil {
		t.Errorf("%d are due, want %d, %v", len(planned), len(dues), err)
	}
}

// compare compares everything stored with the model; hooks and timers only for the trigger that changed.
func (l listening) compare(step int, id trigger.ID, model map[trigger.ID]trigger.Trigger, gone []trigger.ID) {
	l.Helper()
	ctx, candidates, hooks := l.Context(), map[string][]string{string(trigger.TypeChatPay): nil}, map[string]hook.Hook{}
	for _, of := range []string{"five", "six"} {
		candidates[onTable(id, of).IndexKey()] = nil
	}
	candidates[trigger.Trigger{ID: id, Type: trigger.TypeTimer}.IndexKey()] = nil
	for n := range 2 {
		name := fmt.Sprint("hook", id, n)
		hooks[name] = hook.Hook{}
		candidates[trigger.Trigger{HookID: name, Type: trigger.TypeIncomingWebhook}.IndexKey()] = nil
	}
	var all []string
	listeners := map[tables.ID]int{5: 0, 6: 0}
	for id, one := range model {
		all = append(all, fmt.Sprint(id, one.Revision))
		if _, looks := candidates[one.IndexKey()]; looks && one.Enabled {
			candidates[one.IndexKey()] = append(candidates[one.IndexKey()], fmt.Sprint(id, one.Revision))
		}
		if one.Enabled && one.Type == trigger.TypeTable {
			listeners[one.TableID(one.Condition.(*trigger.TableCondition).Table)]++
		}
		if _, looks := hooks[one.HookID]; looks {
			hooks[one.HookID] = hook.Hook{ID: one.HookID, Scope: shop, Trigger: id, Enabled: one.Enabled}
		}
	}

	names := func(list []trigger.Trigger, err error) (names []string) {
		l.Helper()
		if err != nil {
			l.Fatal(err)
		}
		for _, one := range list {
			names = append(names, fmt.Sprint(one.ID, one.Revision))
		}
		slices.Sort(names)
		return names
	}
	slices.Sort(all)
	if diff := cmp.Diff(all, names(l.store.Triggers(ctx, shop))); diff != "" {
		l.Errorf("step %d, triggers (-want +got):\n%s", step, diff)
	}
	for index, want := range candidates {
		slices.Sort(want)
		if diff := cmp.Diff(want, names(l.store.Candidates(ctx, shop, index))); diff != "" {
			l.Errorf("step %d, candidates of %s (-want +got):\n%s", step, index, diff)
		}
	}
	for id, want := range hooks {
		got, err := l.store.Hook(ctx, id)
		if got != want || want.ID == "" && !errs.Is(err, errs.KindNotFound) {
			l.Errorf("step %d: %s is %+v, %v", step, id, got, err)
		}
	}
	for id, want := range listeners {
		if got, err := l.tables.Table(ctx, shop, id); err != nil || got.Listeners != (tables.Listeners{Create: want}) {
			l.Errorf("step %d: to table %d listen %+v, want %d, %v", step, id, got.Listeners, want, err)
		}
	}
	if got, err := l.store.Gone(ctx, shop); err != nil || len(got) != len(gone) {
		l.Errorf("step %d: gone are %v, want %v, %v", step, got, gone, err)
	}
}

// TestTriggersOfDeletedTables: a trigger of a deleted table can be changed and deleted, but not created.
func TestTriggersOfDeletedTables(t *testing.T) {
	l, ctx := newListening(t), t.Context()
	name := l.tables.Name
	made := 0
	table := func(id tables.ID, there bool) {
		t.Helper()
		made++
		var err error
		if there {
			err = l.tables.InsertTable(ctx, shop, tables.Table{ID: id, Name: fmt.Sprint("t", made), Revision: 1})
		} else {
			_, err = l.store.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
				TableName: &name, Key: dynamo.Key(shop.String(), fmt.Sprintf("%016d", id)),
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, of := range []string{"gone", "last"} { // the old table sorts before the new one, or after it
		id, in := trigger.ID(1+i), tables.ID(4+3*i)
		old := onTable(id, of)
		if err := l.store.Insert(ctx, shop, old, time.Time{}); !errs.Is(err, errs.KindConflict) ||
			!strings.Contains(err.Error(), "table") {
			t.Errorf("without a table: %v", err)
		}
		table(in, true)
		if err := l.store.Insert(ctx, shop, old, time.Time{}); err != nil {
			t.Fatal(err)
		}
		if err := l.store.Insert(ctx, shop, old, time.Time{}); !errs.Is(err, errs.KindConflict) {
			t.Errorf("inserted twice: %v", err)
		}
		table(in, false)
		if _, err := l.tables.Table(ctx, shop, in); err == nil {
			t.Fatal("the table is there")
		}

		stale, next := old, onTable(id, "five")
		stale.Revision, next.Revision = 7, 2
		if err := l.store.Replace(ctx, shop, stale, next, time.Time{}); !errs.Is(err, errs.KindConflict) {
			t.Errorf("with a stale revision: %v", err)
		}
		if err := l.store.Replace(ctx, shop, old, next, time.Time{}); err != nil {
			t.Error(err)
		}
		l.compare(i, id, map[trigger.ID]trigger.Trigger{id: next}, make([]trigger.ID, i))
		table(5, false)
		if err := l.store.Delete(ctx, shop, next); err != nil {
			t.Error(err)
		}
		if err := l.store.Delete(ctx, shop, next); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("deleted twice: %v", err)
		}
		if deleted, err := l.store.Deleted(ctx, shop, id); err != nil || deleted.Revision != 2 {
			t.Errorf("%+v, %v", deleted, err)
		}
		table(5, true)
	}

	// The copy of a trigger is marked as broken until the trigger changes.
	one := onTable(9, "five")
	if err := l.store.Insert(ctx, shop, one, time.Time{}); err != nil {
		t.Fatal(err)
	}
	other := one
	other.Revision++
	for i, c := range []struct {
		of        trigger.Trigger
		why, want string
	}{{other, "stale", ""}, {one, "why", "why"}, {other, "", "why"}, {one, "", ""}} {
		if err := l.store.MarkBroken(ctx, shop, c.of, c.why); err != nil {
			t.Error(err)
		}
		if found, err := l.store.Candidates(ctx, shop, one.IndexKey()); err != nil || len(found) != 1 ||
			found[0].Broken != c.want {
			t.Errorf("mark %d: %+v, %v", i, found, err)
		}
	}
}

// TestLimitsTriggersPerEnvironment: a deletion makes room, and a repeated insert counts once.
func TestLimitsTriggersPerEnvironment(t *testing.T) {
	l, ctx := newListening(t), t.Context()
	first := onTable(1, "five")
	if err := l.store.Insert(ctx, shop, first, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := dynamo.UpdateItem(ctx, l.store.Client, dynamo.Update(l.store.Table, "7.production#trigger", "count",
		"ADD n :more", "", dynamo.Item{":more": dynamo.Number(trigger.MaxTriggers - 2)},
	)); err != nil {
		t.Fatal(err)
	}
	insert := func(id trigger.ID, want errs.Kind) {
		t.Helper()
		err := l.store.Insert(ctx, shop, onTable(id, "five"), time.Time{})
		if want == "" && err != nil || want != "" && !errs.Is(err, want) {
			t.Errorf("trigger %d: %v, want %q", id, err, want)
		}
	}
	insert(2, "")
	insert(3, errs.KindInvalid)
	insert(2, errs.KindConflict)
	if err := l.store.Delete(ctx, shop, first); err != nil {
		t.Fatal(err)
	}
	insert(3, "")
	insert(4, errs.KindInvalid)

	it, err := dynamo.GetItem(ctx, l.store.Client, l.store.Table, "7.production#gone", fmt.Sprintf("%016d", 1))
	if want := noon.Add(run.Keep).Unix(); err != nil || dynamo.IntegerOf(it["expires_at"]) != want {
		t.Errorf("a deleted trigger expires at %v, want %d, %v", it["expires_at"], want, err)
	}
}

// deaf is a store of tables whose Listen fails.
type deaf struct{}

func (deaf) Listen(tenant.Scope, trigger.Listening) (types.TransactWriteItem, error) {
	return types.TransactWriteItem{}, errWrong
}

// TestTriggersNeedListeners: if the table's listeners cannot be updated, the trigger does not change.
func TestTriggersNeedListeners(t *testing.T) {
	l, ctx := newListening(t), t.Context()
	old, next := onTable(1, "five"), onTable(1, "six")
	next.Revision = 2
	if err := l.store.Insert(ctx, shop, old, time.Time{}); err != nil {
		t.Fatal(err)
	}
	silent := &triggerdb.Triggers{Client: l.store.Client, Table: l.store.Table, Listeners: deaf{}, Clock: l.store.Clock}
	for what, err := range map[string]error{
		"insert":  silent.Insert(ctx, shop, onTable(2, "five"), time.Time{}),
		"replace": silent.Replace(ctx, shop, old, next, time.Time{}), "delete": silent.Delete(ctx, shop, old),
	} {
		if !errors.Is(err, errWrong) {
			t.Errorf("%s: %v", what, err)
		}
	}
	l.compare(0, 1, map[trigger.ID]trigger.Trigger{1: old}, nil)
}

// TestRunAdvancesOnce: of two workers that continue from the same mark, one is refused and gets the other's progress.
func TestRunAdvancesOnce(t *testing.T) {
	client, ctx := dynamotest.Start(t, "RowsTable", "RowIndexesTable"), t.Context()
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	s := &bulkdb.Marks{Client: client, Rows: rows}
	step := func(run string, old, revision int64) bulk.RunStep {
		return bulk.RunStep{Run: run, Old: bulk.Operation{Revision: old}, Next: bulk.Operation{
			ID: 1, Status: bulk.StatusExecuting, Succeeded: int(10 * revision), Revision: revision, UpdatedAt: noon.Unix(),
		}}
	}
	for i, c := range []struct {
		steps []bulk.RunStep
		moved map[int]int // rows written by the other worker, by step
	}{
		{[]bulk.RunStep{step("a", 0, 1)}, nil}, {[]bulk.RunStep{step("a", 0, 1)}, map[int]int{0: 10}},
		{[]bulk.RunStep{step("a", 1, 2)}, nil}, {[]bulk.RunStep{step("a", 1, 2)}, map[int]int{0: 20}},
		{[]bulk.RunStep{step("b", 0, 1), step("a", 1, 3)}, map[int]int{1: 20}},
		{[]bulk.RunStep{step("b", 0, 1), step("a", 2, 3)}, nil},
	} {
		refused, moved, err := s.Advance(ctx, shop, tables.Table{ID: 5}, nil, c.steps)
		got := map[int]int{}
		for at, m := range moved {
			got[at] = m.Now.Succeeded
		}
		if err != nil || len(refused) > 0 || !maps.Equal(got, c.moved) {
			t.Errorf("advance %d: refused %v, moved %v, %v", i, refused, got, err)
		}
	}
	for run, want := range map[string]int{"a": 30, "b": 10} {
		if mark, err := s.Mark(ctx, shop, run); err != nil || mark.Succeeded != want {
			t.Errorf("mark of %s: %+v, %v", run, mark, err)
		}
	}
}
