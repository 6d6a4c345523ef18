package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/recordtrigger/wire"
	clockconsumer "minicloud/functions/timertick/consumer"
	timertick "minicloud/functions/timertick/wire"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/pattern"
	"minicloud/infra/local/template"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/language/cron"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/trigger"
)

// recordTrigger is the program recordtrigger.
func recordTrigger(i *sim.Instance) any {
	return lambdabatch.AdaptStream(i.Backend.Log, wire.Group(i.Backend, i.Queues).Fire)
}

// follow has recordtrigger follow a table's stream, through the filters of template.yaml.
func follow(t *testing.T, w *sim.World, tableName string) *sim.Mapping {
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var filters []*pattern.Pattern
	for _, f := range tmpl.Functions {
		for _, s := range f.Streams {
			if f.Program != "recordtrigger" || s.Table != tableName {
				continue
			}
			for _, source := range s.Filters {
				filter, err := pattern.Compile(source)
				if err != nil {
					t.Fatal(err)
				}
				filters = append(filters, filter)
			}
		}
	}
	if len(filters) == 0 {
		t.Fatalf("recordtrigger does not follow %s", tableName)
	}

	m := &sim.Mapping{
		Table: tableName, Program: "recordtrigger", Start: recordTrigger, Shards: 2, Batch: 10,
		Handler: func(handlers any) sim.StreamHandler { return handlers.(sim.StreamHandler) },
		Filter: func(record events.DynamoDBEventRecord) bool {
			var plain any
			text, err := json.Marshal(record)
			if err != nil || json.Unmarshal(text, &plain) != nil {
				t.Error("a record is no JSON", err)
			}
			return slices.ContainsFunc(filters, func(p *pattern.Pattern) bool { return p.Match(plain) })
		},
	}
	w.Follow(m)
	return m
}

// TestRowsFireUnderFaults: each change of a row that somebody listens to becomes one run, in the order of the row;
// what is quiet and what nobody listens to wakes nobody.
func TestRowsFireUnderFaults(t *testing.T) {
	for seed := range uint64(*seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, seed)
			synctest.Test(t, func(t *testing.T) { rowsUnderFaults(t, seed) })
		})
	}
}

func rowsUnderFaults(t *testing.T, seed uint64) {
	w := sim.New(
		seed,
		memdb.New(
			clock.System, "TablesTable", "RowsTable*", "RowIndexesTable", "CountsTable", "TriggersTable*", "TriggerLogTable",
		),
	)
	defer w.Stop()
	heard, quiet, alone := plantTables(t, w)
	mapping := follow(t, w, "RowsTable")
	passes := mapping.Filter
	mapping.Filter = func(record events.DynamoDBEventRecord) bool {
		ok := passes(record)
		if pk := record.Change.Keys["pk"].String(); ok && !strings.HasSuffix(pk, "#"+heard.ID.String()) {
			t.Errorf("a change in %s wakes somebody", pk)
		}
		return ok
	}

	random := rand.New(rand.NewPCG(seed, 3))
	for range 40 {
		in, by := heard, table.Origin{Depth: random.IntN(3)}
		switch random.IntN(4) {
		case 0:
			in, by.Quiet = quiet, true
		case 1:
			in = alone
		}
		_, _ = w.Do("table", tables, func(ctx context.Context, handlers any) error {
			return writeOne(ctx, handlers.(*manage.Service), in, by, random)
		})
		time.Sleep(w.Jitter(time.Duration(random.IntN(300)) * time.Millisecond))
	}
	w.Rates = sim.Rates{}
	for !w.Drained(mapping) {
		time.Sleep(time.Second)
	}
	compareRuns(t, w, heard)
}

// plantTables stores three tables, of which triggers wait for the first two's rows.
func plantTables(t *testing.T, w *sim.World) (heard, quiet, alone table.Table) {
	rates := w.Rates
	w.Rates = sim.Rates{}
	defer func() { w.Rates = rates }()

	client := w.Instance("planter", messages).Backend.DynamoDB
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable", Listeners: schemas}
	all := []*table.Table{&heard, &quiet, &alone}
	for i, in := range all {
		*in = table.Table{ID: table.ID(5 + i), Name: fmt.Sprint("table", i), Revision: 1, Columns: []table.Column{
			{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"},
		}}
		if err := schemas.InsertTable(t.Context(), shop, *in); err != nil {
			t.Fatal(err)
		}
	}
	for i, in := range all[:2] {
		for n, event := range []trigger.Change{trigger.Create, trigger.Update, trigger.Delete} {
			waits := trigger.Trigger{
				ID: trigger.ID(10*i + n + 1), Name: in.Name, Enabled: true, Type: trigger.TypeTable, Revision: 1,
				Condition: &trigger.TableCondition{Table: trigger.TableRef(in.Name), Event: event, Match: trigger.MatchAll},
				Tables:    map[string]table.ID{in.Name: in.ID},
				Actions: []trigger.Action{{
					ID: 1, Type: trigger.CloudFunction, Settings: &trigger.CloudFunctionSettings{Function: "f"},
				}},
			}
			if err := triggers.Insert(t.Context(), shop, waits, time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := schemas.Table(t.Context(), shop, in.ID)
		if err != nil || stored.Listeners != (table.Listeners{Create: 1, Update: 1, Delete: 1}) || stored.Revision != 4 {
			t.Fatalf("%+v, %v", stored, err)
		}
		*in = stored
	}
	return heard, quiet, alone
}

// writeOne creates, changes or deletes a row; whether it succeeds is not asked.
func writeOne(ctx context.Context, s *manage.Service, in table.Table, by table.Origin, random *rand.Rand) error {
	one := table.Query{Page: page.Request{Limit: 1}}
	switch random.IntN(3) {
	case 0:
		s.Insert(ctx, shop, in, []map[string]any{{"n": 1.0}, {"n": 2.0}}[:1+random.IntN(2)], table.Author{Origin: by})
	case 1:
		change, err := update.FromObject(map[string]any{"n": map[string]any{"$incr_by": 1.0}}, in.Writable(), nil)
		if err != nil {
			return err
		}
		_, err = s.UpdateMatching(ctx, shop, in, one, change, by)
		return err
	default:
		_, err := s.DeleteMatching(ctx, shop, in, one, by)
		return err
	}
	return nil
}

// compareRuns holds what was asked for against what the stream says has happened to the rows of a table.
func compareRuns(t *testing.T, w *sim.World, in table.Table) {
	kinds := map[string]string{"INSERT": "on_create", "MODIFY": "on_update", "REMOVE": "on_delete"}
	want, row, place := map[string]string{}, map[string]string{}, map[string]int{}
	for i, r := range w.DB.Stream("RowsTable", 0) {
		if !strings.HasSuffix(attribute(r.Keys(), "pk"), "#"+in.ID.String()) || attribute(r.New, "deletion") != "" {
			continue // another table, or an announcement
		}
		want[r.ID], row[r.ID], place[r.ID] = kinds[r.Kind], attribute(r.Keys(), "sk"), i
	}

	got, event := map[string]string{}, map[string]string{} // by event, by run
	for _, it := range w.DB.Items("TriggerLogTable") {
		e := attribute(it, "event_id")
		if got[e] != "" {
			t.Errorf("event %s has two runs", e)
		}
		got[e] = attribute(it, "kind")
		_, run, _ := strings.Cut(attribute(it, "sk"), "#")
		event[run] = e
	}
	for e, kind := range want {
		if got[e] != kind {
			t.Errorf("%s %s has a run of %q", kind, e, got[e])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d runs of %d changes", len(got), len(want))
	}

	asked, last := map[string]bool{}, map[string]int{}
	for _, m := range w.Queue("actions").All() {
		var message trigger.Message
		if err := json.Unmarshal([]byte(m.Body), &message); err != nil {
			t.Fatal(err)
		}
		e := event[message.Run]
		if asked[e] {
			continue
		}
		if asked[e] = true; place[e] < last[row[e]] {
			t.Errorf("%s of row %s was asked for too late", e, row[e])
		}
		last[row[e]] = place[e]
	}
	if len(asked) != len(want) {
		t.Errorf("%d runs were asked for, want %d", len(asked), len(want))
	}
	if dead := w.Queue("dead").All(); len(dead) > 0 {
		t.Errorf("put aside: %v", dead)
	}
}

// attribute is a string of an item, "" where it has none.
func attribute(it memdb.Item, name string) string {
	v, _ := it[name].(map[string]any)
	text, _ := v["S"].(string)
	return text
}

// plantOne stores a trigger before anything goes wrong.
func plantOne(t *testing.T, w *sim.World, one trigger.Trigger) {
	rates := w.Rates
	w.Rates = sim.Rates{}
	defer func() { w.Rates = rates }()

	one.Enabled, one.Revision, one.Timezone = true, 1, trigger.DefaultTimezone
	one.Actions = []trigger.Action{
		{ID: 1, Type: trigger.CloudFunction, Settings: &trigger.CloudFunctionSettings{Function: "f"}},
	}
	var next time.Time
	if one.Type == trigger.TypeTimer {
		var err error
		if next, err = one.Next(time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	triggers := w.Instance("planter", messages).Backend.Triggers()
	if err := triggers.Insert(t.Context(), shop, one, next); err != nil {
		t.Fatal(err)
	}
}

// timers are what each kind of timer does with minutes that were missed.
var timers = map[trigger.ID]trigger.TimerCondition{
	1: {Cron: "*/7 * * * *", Missed: trigger.MissedAll},
	2: {Cron: "*/20 * * * *", Missed: trigger.MissedOnce},
	3: {Cron: "*/20 * * * *", Missed: trigger.MissedSkip},
}

// TestTwoDaysOfTimers with lost and doubled ticks and an outage of three hours and ten minutes: no minute fires twice,
// none that is not the timer's, and of those that were missed each policy's.
func TestTwoDaysOfTimers(t *testing.T) {
	for seed := range uint64(min(*seeds, 5)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, seed)
			synctest.Test(t, func(t *testing.T) { timersUnderFaults(t, seed) })
		})
	}
}

func timersUnderFaults(t *testing.T, seed uint64) {
	w := sim.New(seed, memdb.New(clock.System, "TriggersTable", "TriggerLogTable"))
	defer w.Stop()
	for id, c := range timers {
		plantOne(t, w, trigger.Trigger{ID: id, Type: trigger.TypeTimer, Condition: &c})
	}
	begun := time.Now()
	start := func(i *sim.Instance) any { return timertick.Group(i.Backend, i.Queues) }
	w.Tick("timertick", start, func(ctx context.Context, handlers any, minute time.Time) error {
		return handlers.(*clockconsumer.Group).Tick(ctx, events.CloudWatchEvent{Time: minute})
	})

	time.Sleep(20 * time.Hour)
	rates, from := w.Rates, time.Now()
	w.Rates.LostTick = 1000
	time.Sleep(3*time.Hour + 10*time.Minute)
	w.Rates = rates
	to := time.Now()
	time.Sleep(25 * time.Hour)
	w.Rates = sim.Rates{}
	time.Sleep(10 * time.Minute)
	compareMinutes(t, w, begun, from, to)
}

// compareMinutes holds the minutes that fired against those of the rules; between from and to nobody ticked.
func compareMinutes(t *testing.T, w *sim.World, begun, from, to time.Time) {
	fired := map[trigger.ID]map[int64]int{1: {}, 2: {}, 3: {}}
	for _, it := range w.DB.Items("TriggerLogTable") {
		var n trigger.ID
		var stamp string
		if _, err := fmt.Sscanf(
			strings.ReplaceAll(attribute(it, "event_id"), "#", " "), "timer %d %s", &n, &stamp,
		); err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse("2006-01-02T15:04Z", stamp)
		if err != nil {
			t.Fatal(err)
		}
		fired[n][at.Unix()]++
	}

	end := time.Now().Add(-5 * time.Minute)
	for n, c := range timers {
		rule, err := cron.Parse(c.Cron)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := time.LoadLocation(trigger.DefaultTimezone)
		if err != nil {
			t.Fatal(err)
		}
		missed, inOutage := 0, 0
		for at, ok := rule.Next(begun, zone); ok && at.Before(end); at, ok = rule.Next(at, zone) {
			times := fired[n][at.Unix()]
			delete(fired[n], at.Unix())
			out := at.After(from.Add(-3*time.Minute)) && at.Before(to)
			switch {
			case times > 1:
				t.Errorf("timer %d fired %d times at %s", n, times, at)
			case out:
				inOutage += times
			case times == 0:
				missed++
			}
		}
		for at := range fired[n] {
			if time.Unix(at, 0).Before(end) {
				t.Errorf("timer %d fired at %s", n, time.Unix(at, 0))
			}
		}

		// Of the last hour: all of every seventh minute, the newest, none. The ticks about the outage may be lost, too.
		low, high := map[trigger.ID]int{1: 8, 2: 1, 3: 0}[n], map[trigger.ID]int{1: 10, 2: 2, 3: 1}[n]
		if inOutage < low || inOutage > high {
			t.Errorf("timer %d fired %d of the minutes of the outage, want %d to %d", n, inOutage, low, high)
		}
		// One that skips loses a minute when two ticks are lost, or die.
		if missed > 0 && c.Missed != trigger.MissedSkip || missed > 20 {
			t.Errorf("timer %d missed %d minutes", n, missed)
		}
	}
}
