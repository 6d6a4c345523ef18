package user_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// finish processes submitted operations until none is left.
func (p *platform) finish(t testing.TB) {
	t.Helper()
	for {
		p.queue.mu.Lock()
		todo := p.queue.submitted
		p.queue.submitted = nil
		p.queue.mu.Unlock()
		if len(todo) == 0 {
			return
		}
		for _, operation := range todo {
			if err := p.Bulk.Work(t.Context(), scope, operation, p.time().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// bulk starts an update of all users and returns its operation.
func (p *platform) bulk(t testing.TB, where, body string) id.ID {
	t.Helper()
	done, err := p.UpdateMatching(t.Context(), scope, user.BulkUpdate{
		Query: user.Query{Where: where}, Body: []byte(body), Background: true,
	})
	if err != nil || done.Operation == 0 {
		t.Fatalf("%+v, %v: not in the background", done, err)
	}
	return done.Operation
}

// sum adds up an integer field of all users.
func (p *platform) sum(t testing.TB, field string) (sum int64) {
	t.Helper()
	for req := (page.Request{Limit: 1000}); ; {
		list, err := p.Profiles(t.Context(), scope, user.Query{Page: req})
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range list.Objects {
			n, _ := profile[field].(int64)
			sum += n
		}
		if list.Next == "" {
			return sum
		}
		req.After, req.Offset = list.Next, req.Offset+1000
	}
}

// few is the number of users in tests that need an operation of several steps.
const few = 130

// newCrowd adds few users.
func (p *platform) newCrowd(t testing.TB, fields func(i int) map[string]any) []user.ID {
	t.Helper()
	p.addFields(t)
	return p.newUsers(t, few, fields)
}

func levels(i int) map[string]any {
	return map[string]any{"nickname": fmt.Sprint("user ", i), "level": i}
}

func TestUpdatesPageOfMatchingUsers(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	p.newUsers(t, 30, levels)
	ctx := t.Context()
	b := user.BulkUpdate{
		Query: user.Query{Where: `{"level":{"$lt":25}}`, Page: firstPage, Total: true},
		Body:  []byte(`{"level":{"$incr_by":100}}`),
	}
	done, err := p.UpdateMatching(ctx, scope, b)
	if err != nil || done.Operation != 0 || done.Succeeded() != 20 || done.Total != 25 || done.Next == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	// The next page, although the updated users no longer match.
	b.Page.After, b.Page.Offset = done.Next, 20
	done, err = p.UpdateMatching(ctx, scope, b)
	if err != nil || done.Succeeded() != 5 || done.Next != "" {
		t.Errorf("%d succeeded, next %q, %v", done.Succeeded(), done.Next, err)
	}
	if got, want := p.sum(t, "level"), int64(29*30/2+25*100); got != want {
		t.Errorf("sum %d, want %d", got, want)
	}
	b = user.BulkUpdate{
		Query: user.Query{Filters: url.Values{"level__gte": {"27"}, "level__lt": {"30"}}, Page: firstPage},
		Body:  []byte(`{"level":1}`),
	}
	if done, err = p.UpdateMatching(ctx, scope, b); err != nil || done.Succeeded() != 3 {
		t.Errorf("by filters: %d, %v", done.Succeeded(), err)
	}

	for _, c := range []struct{ where, body, want string }{
		{`{}`, `{"nickname":"x"}`, "nickname"},
		{`{}`, `{"nobody":1}`, "nobody"},
		{`{"nobody":1}`, `{"level":1}`, "nobody"},
		{`{`, `{"level":1}`, "where"},
	} {
		_, err := p.UpdateMatching(
			ctx, scope, user.BulkUpdate{Query: user.Query{Where: c.where, Page: firstPage}, Body: []byte(c.body)},
		)
		if !errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestReportsUsersThatCannotBeChanged(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	users := p.newUsers(t, 3, func(i int) map[string]any {
		return map[string]any{"level": []int64{1, 1<<53 - 1, 1}[i], "about": map[string]any{"x": 1}}
	})
	done, err := p.UpdateMatching(
		t.Context(), scope, user.BulkUpdate{Query: user.Query{Page: firstPage}, Body: []byte(`{"level":{"$incr_by":1}}`)},
	)
	if err != nil || done.Succeeded() != 2 || len(done.Outcomes) != 3 {
		t.Fatalf("%+v, %v", done, err)
	}
	if user.ID(done.Objects[1].ID.Number()) != users[1] || !errs.Is(done.Outcomes[1].Err, errs.KindInvalid) {
		t.Errorf("outcomes %+v", done.Outcomes)
	}
}

func TestUpdatesManyUsersInBackground(t *testing.T) {
	p := newPlatform(t)
	const all = few
	users := p.newCrowd(t, func(i int) map[string]any {
		fields := levels(i)
		if i == 70 || i == 120 {
			fields["score"] = int64(1<<53 - 1)
		}
		return fields
	})

	operation := p.bulk(t, `{"level":{"$gte":50}}`, `{"score":{"$incr_by":1}}`)
	o, err := p.Bulk.Operation(t.Context(), scope, operation)
	if err != nil || o.Status != bulk.StatusWaiting || o.Total != all-50 || o.Progress() != 0 || p.queue.len() != 1 {
		t.Fatalf("%+v, %v", o, err)
	}
	_, err = p.Bulk.Operation(t.Context(), other, operation)
	wantKind(t, "another application's operation", err, errs.KindNotFound)
	wantKind(t, "another application's work", p.Bulk.Work(t.Context(), other, operation, p.time()), errs.KindNotFound)
	// Users created later are not updated.
	p.pass(2 * time.Second)
	late := p.newUser(t, scope, map[string]any{"level": 60})
	p.finish(t)
	o, err = p.Bulk.Operation(t.Context(), scope, operation)
	if err != nil || o.Status != bulk.StatusSuccess || o.Succeeded != all-50-2 || o.Failed != 2 || o.Progress() != 1 ||
		o.FinishedAt == 0 {
		t.Fatalf("%+v, %v", o, err)
	}

	if len(o.Errors) != 2 || o.Errors[0].Row.Number() != id.ID(users[70]) ||
		o.Errors[1].Row.Number() != id.ID(users[120]) || o.Errors[0].Kind != errs.KindInvalid || !strings.Contains(
		o.Errors[0].Message, "score",
	) {
		t.Errorf("errors %+v", o.Errors)
	}

	if got, want := p.sum(t, "score"), int64(all-50-2)+2*(1<<53-1); got != want {
		t.Errorf("sum %d, want %d", got, want)
	}
	if profile, err := p.Profile(t.Context(), scope, late, ""); err != nil || profile["score"] != nil {
		t.Errorf("late user %v, %v", profile["score"], err)
	}
	// Work on a finished operation changes nothing.
	if err := p.Bulk.Work(t.Context(), scope, operation, p.time().Add(time.Minute)); err != nil {
		t.Error(err)
	}
	if got, want := p.sum(t, "score"), int64(all-50-2)+2*(1<<53-1); got != want {
		t.Errorf("after a second delivery: sum %d, want %d", got, want)
	}
}

// TestUpdatesInBackgroundOnRequest: a request without a limit updates a page of 20, however many users match (D50).
func TestUpdatesInBackgroundOnRequest(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	p.Bulk.AtOnce = 30
	p.newUsers(t, 31, levels)

	for limit, want := range map[int]int{20: 20, 30: 30} {
		b := user.BulkUpdate{Query: user.Query{Page: page.Request{Limit: limit}}, Body: []byte(`{"score":{"$incr_by":1}}`)}
		done, err := p.UpdateMatching(t.Context(), scope, b)
		if err != nil || done.Operation != 0 || done.Succeeded() != want || done.Next == "" || p.queue.len() != 0 {
			t.Errorf("limit %d: operation %d, %d succeeded, %v", limit, done.Operation, done.Succeeded(), err)
		}
	}
	p.bulk(t, `{"level":0}`, `{"test":"one"}`) // also if few users match
}

// TestMisspeltFilterSelectsNobody, because a filter that a list ignores would select every user in a bulk update.
func TestMisspeltFilterSelectsNobody(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	p.newUsers(t, 3, levels)

	for name, want := range map[string]string{
		"nicknam":    `there is no field or query parameter "nicknam", did you mean "nickname"?`,
		"levle__gte": `there is no field or query parameter "levle", did you mean "level"?`,
		"wehre":      `there is no field or query parameter "wehre", did you mean "where"?`,
		"unheard_of": `there is no field or query parameter "unheard_of"`,
		"level__min": `operator "__min" of field "level" does not exist, only __contains, __gt, __gte, __in, __isnull, __lt, __lte`,
	} {
		for _, value := range []string{"1", ""} {
			for _, background := range []bool{false, true} {
				_, err := p.UpdateMatching(t.Context(), scope, user.BulkUpdate{
					Query: user.Query{Filters: url.Values{name: {value}}, Page: firstPage}, Body: []byte(`{"score":1}`),
					Background: background,
				})
				if !errs.Is(err, errs.KindInvalid) || errs.Message(err) != want {
					t.Errorf("%s=%s: %v", name, value, err)
				}
			}
		}
	}

	if got := p.sum(t, "score"); got != 0 || p.queue.len() != 0 {
		t.Errorf("sum %d, %d in the background", got, p.queue.len())
	}
}

// dying is a store whose callers die at random: either before the write or before its result is known.
type dying struct {
	bulk.Store
	mu   sync.Mutex
	step int
}

var errDied = errors.New("killed")

func (d *dying) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next bulk.Operation,
) (map[int]error, error) {
	d.mu.Lock()
	d.step++
	step := d.step
	d.mu.Unlock()
	if step%7 == 3 {
		return nil, errDied
	}
	refused, err := d.Store.Advance(ctx, scope, t, changes, old, next)
	if step%7 == 5 {
		return nil, errDied
	}
	return refused, err
}

// TestBulkUpdateChangesEachUserOnce although workers die, other writers change the users, and messages are redelivered.
func TestBulkUpdateChangesEachUserOnce(t *testing.T) {
	p := newPlatform(t)
	users := p.newCrowd(t, levels)
	p.newUsers(t, few, levels)
	const all = 2 * few
	operation := p.bulk(t, `{}`, `{"score":{"$incr_by":1},"tags":{"$append":["x"]}}`)
	p.Bulk.Store = &dying{Store: p.Bulk.Store}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 100 {
				err := p.Bulk.Work(t.Context(), scope, operation, p.time().Add(time.Minute))
				if err == nil {
					if o, err := p.Bulk.Operation(t.Context(), scope, operation); err == nil && o.Status.Over() {
						return
					}
				} else if !errors.Is(err, errDied) {
					t.Error(err)
				}
			}
		})
	}

	for n := range 2 {
		wg.Go(func() {
			for i := n; i < few; i += 3 {
				if _, err := p.Update(
					t.Context(), scope, users[i], []byte(`{"score":{"$incr_by":1000},"tags":{"$append":["y"]}}`), table.Origin{}, false,
				); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()

	o, err := p.Bulk.Operation(t.Context(), scope, operation)
	if err != nil || o.Status != bulk.StatusSuccess || o.Succeeded != all || o.Failed != 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if got, want := p.sum(t, "score"), int64(all+87*1000); got != want {
		t.Errorf("sum %d, want %d", got, want)
	}
}

func TestOperationContinuesAfterDeadline(t *testing.T) {
	p := newPlatform(t)
	p.newCrowd(t, func(i int) map[string]any {
		return map[string]any{"about": map[string]any{"text": strings.Repeat("x", 20_000)}} // takes several reads
	})
	operation := p.bulk(t, `{}`, `{"score":{"$incr_by":1}}`)
	rounds := 0
	for ; p.queue.len() > 0; rounds++ {
		p.queue.submitted = nil
		// Every reading of the clock advances it by a millisecond.
		p.Bulk.Clock = func() time.Time { p.pass(time.Millisecond); return p.time() }
		if err := p.Bulk.Work(t.Context(), scope, operation, p.time().Add(20*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}

	if o, err := p.Bulk.Operation(t.Context(), scope, operation); err != nil || o.Status != bulk.StatusSuccess ||
		o.Succeeded != few || rounds < 2 {
		t.Errorf("%d rounds, %+v, %v", rounds, o, err)
	}

	if got := p.sum(t, "score"); got != few {
		t.Errorf("sum %d", got)
	}
}

func TestResumesStalledOperation(t *testing.T) {
	p := newPlatform(t)
	p.newCrowd(t, levels)
	operation := p.bulk(t, `{}`, `{"score":1}`)
	p.pass(time.Minute)
	if _, err := p.Bulk.Operation(t.Context(), scope, operation); err != nil || p.queue.len() != 1 {
		t.Errorf("asked early: %d messages, %v", p.queue.len(), err)
	}
	p.pass(time.Hour)
	for range 3 {
		if o, err := p.Bulk.Operation(t.Context(), scope, operation); err != nil || o.Status != bulk.StatusWaiting ||
			p.queue.len() != 2 {
			t.Errorf("asked late: %d messages, %+v, %v", p.queue.len(), o, err)
		}
	}

	p.finish(t)
	if o, err := p.Bulk.Operation(t.Context(), scope, operation); err != nil || o.Succeeded != few {
		t.Errorf("%+v, %v", o, err)
	}
}

// outrun is a store in which another worker makes the first step.
type outrun struct {
	bulk.Store
	once sync.Once
}

func (o *outrun) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next bulk.Operation,
) (refused map[int]error, err error) {
	o.once.Do(func() { o.Store.Advance(ctx, scope, t, changes, old, next) })
	return o.Store.Advance(ctx, scope, t, changes, old, next)
}

func TestWorkerRetriesAfterConflict(t *testing.T) {
	p := newPlatform(t)
	p.newCrowd(t, levels)
	operation := p.bulk(t, `{}`, `{"score":{"$incr_by":1}}`)
	p.Bulk.Store = &outrun{Store: p.Bulk.Store}
	p.queue.submitted = nil
	if err := p.Bulk.Work(t.Context(), scope, operation, p.time().Add(time.Minute)); err != nil || p.queue.len() != 1 {
		t.Errorf("%d messages, %v", p.queue.len(), err)
	}
	p.finish(t)
	if o, err := p.Bulk.Operation(t.Context(), scope, operation); err != nil || o.Status != bulk.StatusSuccess ||
		o.Succeeded != few {
		t.Errorf("%+v, %v", o, err)
	}
	if got := p.sum(t, "score"); got != few {
		t.Errorf("sum %d", got)
	}
}

func TestOperationFailsWhenFieldIsRemoved(t *testing.T) {
	p := newPlatform(t)
	p.newCrowd(t, levels)
	operation := p.bulk(t, `{}`, `{"score":1}`)
	p.Tables.Worker = discard{}
	if _, err := p.Tables.Modify(
		t.Context(), scope, table.UserProfiles, table.Definition{Remove: []string{"score"}},
	); err != nil {
		t.Fatal(err)
	}
	p.finish(t)
	o, err := p.Bulk.Operation(t.Context(), scope, operation)
	if err != nil || o.Status != bulk.StatusFailed || !strings.Contains(o.Reason, "score") || o.Succeeded != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

type discard struct{}

func (discard) Submit(context.Context, table.Task, int) error { return nil }

func TestReturnsQueueErrors(t *testing.T) {
	p := newPlatform(t)
	p.newCrowd(t, levels)
	p.queue.err = errs.Unavailable(1, "busy")
	_, err := p.UpdateMatching(t.Context(), scope, user.BulkUpdate{Background: true, Body: []byte(`{"score":1}`)})
	wantKind(t, "bulk update", err, errs.KindUnavailable)
	g := p.newGroup(t, "group")
	wantKind(t, "delete group", p.DeleteGroup(t.Context(), scope, g.ID), errs.KindUnavailable)
	if _, err := p.Group(t.Context(), scope, g.ID); err != nil {
		t.Errorf("the group is gone without a cleanup: %v", err)
	}
}

func BenchmarkUpdate(b *testing.B) {
	p := newPlatform(b)
	p.addFields(b)
	u := p.newUser(b, scope, nil)
	for b.Loop() {
		if _, err := p.Update(b.Context(), scope, u, []byte(`{"level":{"$incr_by":1}}`), table.Origin{}, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBulkUpdateOfAThousand(b *testing.B) {
	p := newPlatform(b)
	p.addFields(b)
	p.newUsers(b, 1000, levels)
	for b.Loop() {
		done, err := p.UpdateMatching(b.Context(), scope, user.BulkUpdate{
			Query: user.Query{Page: page.Request{Limit: 1000}}, Body: []byte(`{"score":{"$incr_by":1}}`),
		})
		if err != nil || done.Succeeded() != 1000 {
			b.Fatal(done.Succeeded(), err)
		}
	}
}

// BenchmarkOperation measures the time per user of a background operation.
func BenchmarkOperation(b *testing.B) {
	p := newPlatform(b)
	p.addFields(b)
	p.newUsers(b, 5000, levels)
	for b.Loop() {
		p.bulk(b, `{}`, `{"score":{"$incr_by":1}}`)
		p.finish(b)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/5000, "µs/user")
}

// TestStoresLargeOperations stores values up to the size limit of a row, even if they are longer when encoded as JSON.
func TestStoresLargeOperations(t *testing.T) {
	p := newPlatform(t)
	p.newCrowd(t, levels)
	noise := make([]byte, 170<<10)
	rand.NewChaCha8([32]byte{}).Read(noise)

	for _, c := range []struct {
		value any
		ok    bool
	}{
		{strings.Repeat("\n", 250_000), true},
		{strings.Repeat("<", 250_000), true},
		{hex.EncodeToString(noise), true}, // 340 KB that compress by less than half
		{strings.Repeat("x", 351<<10), false},
	} {
		body, err := json.Marshal(map[string]any{"test": c.value})
		if err != nil {
			t.Fatal(err)
		}
		done, err := p.UpdateMatching(t.Context(), scope, user.BulkUpdate{Background: true, Body: body})
		if c.ok != (err == nil) || err != nil && !errs.Is(err, errs.KindInvalid) {
			t.Fatalf("%.30s: %v", body, err)
		}
		if !c.ok {
			continue
		}
		o, err := p.Bulk.Operation(t.Context(), scope, done.Operation)
		if err != nil || len(o.Body) < 250_000 {
			t.Errorf("%.30s: remembered %d bytes, %v", body, len(o.Body), err)
		}
	}
}
