package action_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// dying is Marks of programs that die: some steps are lost before they are executed, some before their result is known.
type dying struct {
	action.Marks
	mu    sync.Mutex
	steps int
}

var errDied = errors.New("killed")

func (d *dying) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
) (map[int]error, map[int]*bulk.Moved, error) {
	d.mu.Lock()
	d.steps++
	step := d.steps
	d.mu.Unlock()
	if step%4 == 1 {
		return nil, nil, errDied
	}
	refused, moved, err := d.Marks.Advance(ctx, scope, t, changes, steps)
	if step%4 == 3 {
		return nil, nil, errDied
	}
	return refused, moved, err
}

// until repeats the work while its program dies or the work is unfinished.
func (p *platform) until(w action.Work) (action.Result, error) { return p.untilBy(p.doer, w) }

func (p *platform) untilBy(d *action.TableOperations, w action.Work) (action.Result, error) {
	for w.Attempt = 1; ; w.Attempt++ {
		got, err := d.Do(p.Context(), w)
		if w.State = got.State; err != nil {
			w.State = nil
		}
		if !errors.Is(err, errDied) && !got.Unfinished {
			return got, err
		}
	}
}

// TestChangesEachRowOnce runs an operation while programs die around transactions, two programs execute the same run,
// and other writers change the same rows.
func TestChangesEachRowOnce(t *testing.T) {
	p := newPlatform(t)
	const all = 230
	rows := p.crowd(all)
	marks := p.doer.Marks
	p.doer.Marks = &dying{Marks: marks}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if _, err := p.until(p.work("r", increment(everything), order)); err != nil {
				t.Error(err)
			}
		})
	}

	wg.Go(func() {
		for i := 0; i < all; i += 7 {
			operations, err := update.Parse([]byte(`{"price":{"$incr_by":1}}`), p.goods.Writable(), nil)
			if err == nil {
				_, err = p.tables.Update(t.Context(), shop, p.goods, rows[i].ID, operations, table.Author{})
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()

	for i, row := range p.rows() {
		if row.Fields["stock"] != int64(1) || !cmp.Equal(row.Fields["tags"], any([]any{"x"})) ||
			(i%7 == 0) != (row.Fields["price"] == 1.0) {
			t.Errorf("row %d: %v", i, row.Fields)
		}
	}

	mark, err := marks.Mark(t.Context(), shop, "r")
	if err != nil || mark.Status != bulk.StatusSuccess || mark.Succeeded != all || mark.Failed != 0 {
		t.Errorf("%+v %v", mark, err)
	}
	got, err := p.until(p.work("r", increment(everything), order))
	if err != nil || got.Response != action.AlreadyDone || p.rows()[all-1].Fields["stock"] != int64(1) {
		t.Errorf("asked for once more: %+v %v", got, err)
	}
}

// TestConcurrentRunsChangeRowsOnce runs several programs, which die around transactions, on many runs of the same few
// rows. Ordered runs keep their order.
func TestConcurrentRunsChangeRowsOnce(t *testing.T) {
	p := newPlatform(t)
	const few, chains, links, loose = 4, 3, 6, 30
	rows := p.crowd(few)
	random := rand.New(rand.NewPCG(1, 2))
	programs := make([]*action.TableOperations, 3)
	for i := range programs {
		programs[i] = &action.TableOperations{
			Tables: p.doer.Tables, Marks: &dying{Marks: p.doer.Marks, steps: i}, Profiles: p.doer.Profiles, Clock: p.doer.Clock,
		}
	}

	want := make([][]string, few)
	var wg sync.WaitGroup
	do := func(program int, run string, chosen []int) {
		ids := make([]any, len(chosen))
		for i, n := range chosen {
			ids[i] = string(rows[n].ID)
		}
		w := p.work(run, increment(map[string]any{"id": map[string]any{"$in": ids}}), map[string]any{"tag": run})
		got, err := p.untilBy(programs[program], w)
		if err != nil || got.Response == "" {
			t.Errorf("%s: %+v %v", run, got, err)
		}
	}

	for chain := range chains { // each run begins after the end of the previous one, like runs of an ordered action
		row, by := chain%2, random.IntN(len(programs))
		for link := range links {
			want[row] = append(want[row], fmt.Sprintf("chain %d link %d", chain, link))
		}
		wg.Go(func() {
			for link := range links {
				do((by+link)%len(programs), fmt.Sprintf("chain %d link %d", chain, link), []int{row})
			}
		})
	}

	for n := range loose {
		run, chosen := fmt.Sprint("run ", n), random.Perm(few)[:1+n%3/2]
		for _, row := range chosen {
			want[row] = append(want[row], run)
		}
		by := random.Perm(len(programs))
		for _, program := range by[:1+n%2] { // half of the messages are delivered twice
			wg.Go(func() { do(program, run, chosen) })
		}
	}
	wg.Wait()

	for i, row := range p.rows() {
		var tags []string
		last := map[string]string{}
		for _, tag := range row.Fields["tags"].([]any) {
			tag := tag.(string)
			tags = append(tags, tag)
			if chain, _, ok := strings.Cut(tag, " link "); ok {
				if tag < last[chain] {
					t.Errorf("row %d: %s after %s", i, tag, last[chain])
				}
				last[chain] = tag
			}
		}
		slices.Sort(tags)
		slices.Sort(want[i])
		if diff := cmp.Diff(want[i], tags); diff != "" || row.Fields["stock"] != int64(len(want[i])) {
			t.Errorf("row %d has %v: %s", i, row.Fields["stock"], diff)
		}
	}
}

// busy is Marks whose rows other writers always change.
type busy struct{ action.Marks }

func (busy) Advance(
	context.Context, tenant.Scope, table.Table, []table.Change, []bulk.RunStep,
) (map[int]error, map[int]*bulk.Moved, error) {
	return nil, nil, errs.Conflict("another request is changing the same thing, try again")
}

// TestConflictIsUnfinished checks that a conflicting run comes back from the slow queue after a random delay.
func TestConflictIsUnfinished(t *testing.T) {
	p := newPlatform(t)
	p.crowd(1)
	p.doer.Marks = &busy{p.doer.Marks}
	waits := map[time.Duration]bool{}
	for n := range 8 {
		for _, s := range []*trigger.TableOperationSettings{
			increment(everything), creation(set("n", 1.0)), {Operation: trigger.Delete, Where: everything},
		} {
			got, err := p.doer.Do(t.Context(), p.work(fmt.Sprint("run ", n), s, order))
			if err != nil || !got.Unfinished || !got.Slow || !got.Contended || got.After < time.Second ||
				got.After >= 3*time.Second {
				t.Errorf("%s: %+v %v", s.Operation, got, err)
			}
			waits[got.After] = true
		}
	}

	if len(waits) < 4 {
		t.Errorf("they all come back together: %v", waits)
	}
}

// TestDeletesManyRowsInParts checks that each part ends in time and that no row is left.
func TestDeletesManyRowsInParts(t *testing.T) {
	p := newPlatform(t)
	p.crowd(300)
	where := map[string]any{"n": map[string]any{"$lt": "{{ count }}00"}}
	if _, err := p.until(p.work(
		"text", &trigger.TableOperationSettings{Operation: trigger.Delete, Where: where}, order,
	)); err == nil {
		t.Error("a text was compared with numbers")
	}

	rest := map[string]any{"n": map[string]any{"$gte": "{{ count }}"}}
	w := p.work("r", &trigger.TableOperationSettings{Operation: trigger.Delete, Where: rest}, order)
	p.doer.Clock = func() time.Time { p.now = p.now.Add(6 * time.Second); return p.now } // each call takes long
	parts := 0
	for ; ; parts++ {
		got, err := p.doer.Do(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if w.State = got.State; !got.Unfinished {
			if got.Response != `{"deleted":297,"failed":0}` {
				t.Errorf("%+v", got)
			}
			break
		}
	}

	if left := p.rows(); len(left) != 3 || parts < 2 {
		t.Errorf("%d rows are left after %d parts", len(left), parts+1)
	}
}

// TestReportsRowsThatCannotBeChanged checks that the other rows are changed. A replay tries only the reported rows
// again.
func TestReportsRowsThatCannotBeChanged(t *testing.T) {
	p := newPlatform(t)
	rows := p.crowd(60)
	full := func(row table.Row, v string) {
		operations, err := update.Parse([]byte(`{"stock":`+v+`}`), p.goods.Writable(), nil)
		if err == nil {
			_, err = p.tables.Update(t.Context(), shop, p.goods, row.ID, operations, table.Author{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	full(rows[3], "9007199254740991")
	full(rows[50], "9007199254740991")
	w := p.work("r", increment(everything), order)
	for range 2 {
		_, err := p.doer.Do(t.Context(), w)
		f, _ := errors.AsType[*action.Failure](err)
		want := fmt.Sprintf(
			`58 rows were updated, 2 could not be: row %s: field "stock" would leave the range of integers`, rows[3].ID,
		)
		if f == nil || !f.Permanent || f.Type != "invalid" || f.Message != want {
			t.Errorf("%v, want %s", err, want)
		}
	}

	full(rows[3], "10")
	full(rows[50], "20")
	got, err := p.doer.Do(t.Context(), w)
	if err != nil || got.Response != `{"updated":60,"failed":0}` {
		t.Errorf("replayed: %+v %v", got, err)
	}
	for i, row := range p.rows() {
		if want := map[int]int64{3: 11, 50: 21}[i]; row.Fields["stock"] != max(want, 1) {
			t.Errorf("row %d: %v", i, row.Fields["stock"])
		}
	}
}

// TestStopsAfterTooManyRefusals checks that a run stops after 45 refused rows, and that a replay changes all rows.
func TestStopsAfterTooManyRefusals(t *testing.T) {
	p := newPlatform(t)
	drafts := make([]map[string]any, 200)
	for i := range drafts {
		drafts[i] = map[string]any{"n": 1.0, "stock": 9007199254740991.0, "tags": []any{}}
	}
	p.insert(shop, p.goods, drafts...)
	_, err := p.until(p.work("r", increment(everything), order))
	if f, _ := errors.AsType[*action.Failure](err); f == nil || !f.Permanent ||
		!strings.HasPrefix(f.Message, "0 rows were updated, 45 ") {
		t.Errorf("%v", err)
	}

	zero := &trigger.TableOperationSettings{
		Operation: trigger.Update, Where: everything, Assign: []trigger.Assignment{set("stock", 0.0)},
	}
	if _, err := p.until(p.work("zero", zero, order)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.until(p.work("r", increment(everything), order)); err != nil {
		t.Errorf("replayed: %v", err)
	}
	for i, row := range p.rows() {
		if row.Fields["stock"] != int64(1) {
			t.Errorf("row %d: %v", i, row.Fields["stock"])
		}
	}
}

// TestLeavesRowsCreatedMeanwhile checks that an operation ignores rows created after its start: the run's own events
// may create rows without end.
func TestLeavesRowsCreatedMeanwhile(t *testing.T) {
	p := newPlatform(t)
	p.crowd(100)
	marks := p.doer.Marks
	p.doer.Marks = &breeding{Marks: marks, p: p}
	got, err := p.until(p.work("r", increment(everything), order))
	if err != nil || got.Response != `{"updated":100,"failed":0}` {
		t.Errorf("%+v %v", got, err)
	}
}

// breeding is Marks during whose steps other writers create rows.
type breeding struct {
	action.Marks
	p *platform
}

func (b *breeding) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
) (map[int]error, map[int]*bulk.Moved, error) {
	b.p.mu.Lock()
	b.p.now = b.p.now.Add(3 * time.Second)
	b.p.mu.Unlock()
	b.p.crowd(100)
	return b.Marks.Advance(ctx, scope, t, changes, steps)
}

// TestTableOperationCalls counts DynamoDB calls, without the four of the run.
func TestTableOperationCalls(t *testing.T) {
	p := newPlatform(t)
	row := p.crowd(3)[1]
	byID := map[string]any{"id": string(row.ID)}

	for _, c := range []struct {
		what string
		s    *trigger.TableOperationSettings
		want []string
	}{
		{"create", creation(set("n", 1.0)), []string{"GetItem", "TransactWriteItems"}},
		{"update by id", increment(byID), []string{"GetItem", "GetItem", "TransactWriteItems"}},
		{
			"update by an index", increment(map[string]any{"n": 2.0}),
			[]string{"GetItem", "Query", "GetItem", "TransactWriteItems"},
		},
		{"delete by id", &trigger.TableOperationSettings{Operation: trigger.Delete, Where: byID},
			[]string{"GetItem", "GetItem", "TransactWriteItems"}},
		{"update of nothing", increment(byID), // the mark is read as well
			[]string{"GetItem", "GetItem", "GetItem"}},
	} {
		p.client.Take()
		if _, err := p.doer.Do(t.Context(), p.work(c.what, c.s, order)); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if diff := cmp.Diff(c.want, p.client.Take()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.what, diff)
		}
	}
}
