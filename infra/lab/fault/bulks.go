package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/aws/queue"
	"minicloud/shared/id"
	"minicloud/shared/table"
)

// The ledgers of changes of many at once.
const (
	bulkUsers      = "bulk users"
	keyedBulkUsers = "keyed bulk users"
	bulkRows       = "bulk rows"
	keyedBulkRows  = "keyed bulk rows"
)

// bulks is the load of changes of many users and of many rows. The n-th change of
// a ledger adds 10^n to a column of each: so its digits tell how often each change
// met each of them.
type bulks struct {
	app      *Application
	platform *Platform
	table    int64
	members  []string

	mu         sync.Mutex
	requests   map[string][]effect // by ledger; an effect's mark is "<digit>/<id>"
	digits     map[string]int      // used ones, by ledger
	operations []int64
	wanted     []string // users
}

// How many users and rows there are, and how many changes a ledger has at most:
// integers have 15 digits.
const (
	someUsers = 200
	someRows  = 40
	maxDigits = 15
)

func (l *bulks) plant(ctx context.Context) (err error) {
	l.requests, l.digits = map[string][]effect{}, map[string]int{}
	columns := []column{{"n", "integer", false}, {"m", "integer", true}}
	if l.table, err = l.app.makeTable(ctx, "members", columns...); err != nil {
		return err
	}

	var answer made
	drafts := make([]map[string]any, someRows)
	for i := range drafts {
		drafts[i] = map[string]any{"n": 0, "m": 0}
	}
	if err := l.app.call(ctx, "POST", rowsPath(l.table), drafts, &answer); err != nil {
		return err
	}
	for _, result := range answer.Results {
		if result.Success == nil {
			return fmt.Errorf("a row was not made: %+v", answer)
		}
		l.members = append(l.members, fmt.Sprint(result.Success.ID))
	}
	return l.plantUsers(ctx)
}

// plantUsers gives the application users with a number.
func (l *bulks) plantUsers(ctx context.Context) error {
	var changed struct{}
	body := schema("_userprofile", column{"n", "integer", false}, column{"m", "integer", false})
	delete(body, "name")
	if err := l.app.call(ctx, "PUT", tablesPath+"_userprofile/", body, &changed); err != nil {
		return err
	}

	profiles, err := l.platform.tableStore().Table(ctx, l.app.scope, table.UserProfiles)
	if err != nil {
		return err
	}

	var ids id.Source
	var people []table.Change
	for range someUsers {
		number := ids.New(time.Now().Add(-time.Hour))
		l.wanted = append(l.wanted, fmt.Sprint(int64(number)))
		people = append(people, table.Change{New: &table.Row{
			ID: table.RowID(number.Key()), UpdatedAt: number.Time().Unix(), CreatedBy: int64(number),
			Perm: profiles.DefaultRowPerm, Fields: map[string]any{"n": int64(0), "m": int64(0)}, Revision: 1,
		}})
	}
	return errors.Join(l.platform.rowStore().Write(ctx, l.app.scope, profiles, people)...)
}

func (l *bulks) clients() []client {
	return []client{
		{1500 * time.Millisecond, l.users}, {1500 * time.Millisecond, l.usersAgain},
		{1500 * time.Millisecond, l.unkeyed}, {1500 * time.Millisecond, l.keyed},
	}
}

// digit draws the next change of a ledger, false when there are enough.
func (l *bulks) digit(ledger, column string) (digit int, body map[string]any, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	digit = l.digits[ledger]
	if digit == maxDigits {
		return 0, nil, false
	}
	l.digits[ledger]++

	amount := int64(1)
	for range digit {
		amount *= 10
	}
	return digit, map[string]any{column: map[string]any{"$incr_by": amount}}, true
}

// Where users are listed, and where all are changed.
const (
	usersPath = "/userve/v2.2/miniapp/user_profile/"
	allUsers  = "/userve/v2.6/miniapp/user_profile/?async=1"
)

// users changes all users in the background.
func (l *bulks) users(*rand.Rand) {
	if digit, body, ok := l.digit(bulkUsers, "n"); ok {
		r := l.app.send(context.Background(), request{method: "PUT", path: allUsers, body: body})
		l.submitted(bulkUsers, digit, r, r.effect(""))
	}
}

// usersAgain changes all users in the background, until that is accepted.
func (l *bulks) usersAgain(random *rand.Rand) {
	if digit, body, ok := l.digit(keyedBulkUsers, "m"); ok {
		key := fmt.Sprintf("%s/%d", keyedBulkUsers, digit)
		r, e := l.app.repeat(random, request{method: "PUT", path: allUsers, key: key, body: body})
		l.submitted(keyedBulkUsers, digit, r, e)
	}
}

// submitted notes an operation for every user.
func (l *bulks) submitted(ledger string, digit int, r reply, whole effect) {
	var answer struct {
		Operation int64 `json:"operation_id"`
	}
	accepted := r.decode(&answer) == nil && answer.Operation != 0

	l.mu.Lock()
	defer l.mu.Unlock()
	if accepted {
		l.operations = append(l.operations, answer.Operation)
	} else if whole.known == acknowledged {
		whole.wrong = fmt.Sprintf("accepted without an operation: %.200s", r.body)
	}
	for i, user := range l.wanted {
		e := effect{mark: mark(digit, user), known: whole.known, said: whole.said}
		if i == 0 {
			e.took, e.wrong = whole.took, whole.wrong
		}
		l.requests[ledger] = append(l.requests[ledger], e)
	}
}

func mark(digit int, id string) string { return fmt.Sprintf("%d/%s", digit, id) }

// whole selects all rows.
const whole = "?where=%7B%7D&limit=1000"

// unkeyed changes all rows at once.
func (l *bulks) unkeyed(*rand.Rand) {
	if digit, body, ok := l.digit(bulkRows, "n"); ok {
		r := l.app.send(context.Background(), request{method: "PUT", path: updatesPath(l.table) + whole, body: body})
		l.note(bulkRows, digit, r, r.effect(""))
	}
}

// keyed changes all rows at once, until that is answered.
func (l *bulks) keyed(random *rand.Rand) {
	if digit, body, ok := l.digit(keyedBulkRows, "m"); ok {
		key := fmt.Sprintf("%s/%d", keyedBulkRows, digit)
		r, e := l.app.repeat(random, request{method: "PUT", path: updatesPath(l.table) + whole, key: key, body: body})
		l.note(keyedBulkRows, digit, r, e)
	}
}

// note notes a change for every row.
func (l *bulks) note(ledger string, digit int, r reply, whole effect) {
	told := map[string]promise.Need{}
	var answer made
	if r.decode(&answer) == nil {
		for i, result := range answer.Results {
			if result.Success != nil {
				told[fmt.Sprint(result.Success.ID)] = answer.known(i)
			}
		}
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	for i, member := range l.members {
		e := effect{mark: mark(digit, member), known: whole.known, said: whole.said}
		if whole.known == acknowledged {
			e.known = told[member] // a row it does not tell of may have failed at any moment
		}
		if i == 0 {
			e.took, e.wrong = whole.took, whole.wrong
		}
		l.requests[ledger] = append(l.requests[ledger], e)
	}
}

// open counts the messages of the background work, and the users that operations
// have still to meet.
func (l *bulks) open(ctx context.Context) (int, error) {
	open, err := l.platform.messages(ctx, "BulkQueue")
	for _, operation := range l.operations {
		var o struct {
			Finished        *int64 `json:"finished_at"`
			Succeed, Failed int
		}
		path := fmt.Sprintf("/oserve/v1/bulk-operation/%d/", operation)
		if err := l.app.call(ctx, "GET", path, nil, &o); err != nil {
			return 0, err
		}
		if o.Finished == nil {
			open += someUsers - o.Succeed - o.Failed + 1
		}
	}
	return open, err
}

// hurry submits again what a worker has put off, as the platform does for whoever
// asks for an operation that has not moved for minutes.
func (l *bulks) hurry(ctx context.Context) error {
	work := &queue.Bulk{Queue: l.platform.queue("BulkQueue")}
	for _, operation := range l.operations {
		if err := work.Submit(ctx, l.app.scope, id.ID(operation), 0); err != nil {
			return err
		}
	}
	return nil
}

func (l *bulks) judge(ctx context.Context, r *Report) error {
	found := map[string]map[string]int{bulkUsers: {}, keyedBulkUsers: {}, bulkRows: {}, keyedBulkRows: {}}
	total, err := l.read(ctx, usersPath+"?limit=1000&return_total_count=1", func(id string, n, m int64) {
		digits(found[bulkUsers], id, n)
		digits(found[keyedBulkUsers], id, m)
	})
	if err != nil {
		return fmt.Errorf("list users: %w", err)
	}
	r.Ledger("user totals").total("users", total, len(l.wanted))

	if _, err := l.read(ctx, rowsPath(l.table)+"?limit=1000", func(id string, n, m int64) {
		digits(found[bulkRows], id, n)
		digits(found[keyedBulkRows], id, m)
	}); err != nil {
		return fmt.Errorf("list members: %w", err)
	}

	for _, ledger := range []string{bulkUsers, keyedBulkUsers, bulkRows, keyedBulkRows} {
		r.Ledger(ledger).effects(l.requests[ledger], found[ledger])
	}
	l.complete(r.Ledger(bulkUsers), found[bulkUsers])
	return nil
}

// read lists what has numbers.
func (l *bulks) read(ctx context.Context, path string, each func(id string, n, m int64)) (int, error) {
	return l.app.list(ctx, path, func(object json.RawMessage) error {
		var row struct {
			ID   json.RawMessage `json:"id"`
			N, M int64
		}
		if err := json.Unmarshal(object, &row); err != nil {
			return err
		}
		each(strings.Trim(string(row.ID), `"`), row.N, row.M)
		return nil
	})
}

// digits counts in found how often each change met id.
func digits(found map[string]int, id string, n int64) {
	for digit := 0; n > 0; digit, n = digit+1, n/10 {
		if n%10 > 0 {
			found[mark(digit, id)] = int(n % 10)
		}
	}
}

// complete looks for changes of users that met only some of them: one that was cut
// off was accepted or not, but goes on to its end.
func (l *bulks) complete(t *Result, found map[string]int) {
	for digit := range l.digits[bulkUsers] {
		met := 0
		for _, user := range l.wanted {
			met += min(found[mark(digit, user)], 1)
		}
		if met > 0 && met < len(l.wanted) {
			t.trouble(&t.Lost, "change %d met %d of %d users", digit, met, len(l.wanted))
		}
	}
}
