package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/shared/id"
)

// The report lines of bulk requests.
const (
	bulkUsers      = "bulk users"
	keyedBulkUsers = "keyed bulk users"
	bulkRows       = "bulk rows"
	keyedBulkRows  = "keyed bulk rows"
)

// bulks changes all users, in the background, and all rows. The n-th change of a line adds 10^n to a column of each,
// so each digit counts how often one change was applied.
type bulks struct {
	load.Base
	table   int64
	members []string // row ids
	users   []string

	mu         sync.Mutex
	digits     map[string]int // number of used digits, by line
	operations []int64
}

// Numbers of users and rows, and the maximum number of changes per line: integers have 15 digits.
const (
	someUsers = 200
	someRows  = 40
	maxDigits = 15
)

func (l *bulks) Plant(ctx context.Context) (err error) {
	if l.App, err = l.Application(ctx, "bulks"); err != nil {
		return err
	}
	l.digits = map[string]int{}
	columns := []client.Column{{Name: "n", Type: "integer"}, {Name: "m", Type: "integer", Indexed: true}}
	if l.table, err = l.App.Table(ctx, "members", columns...); err != nil {
		return err
	}

	var answer client.Bulk
	drafts := make([]map[string]any, someRows)
	for i := range drafts {
		drafts[i] = map[string]any{"n": 0, "m": 0}
	}
	if err := l.App.Call(ctx, "POST", client.RowsPath(l.table), drafts, &answer); err != nil {
		return err
	}
	for _, result := range answer.Results {
		if result.Success == nil {
			return fmt.Errorf("a row was not made: %+v", answer)
		}
		l.members = append(l.members, fmt.Sprint(result.Success.ID))
	}
	if err := l.App.AddUserColumns(ctx, "n", "m"); err != nil {
		return err
	}
	zeros := map[string]any{"n": int64(0), "m": int64(0)}
	l.users, err = client.PlantUsers(ctx, l.Cloud.Backend(0), l.App.Scope, someUsers, zeros)
	return err
}

func (l *bulks) Clients() (all []load.Turns) {
	for _, line := range []string{bulkUsers, keyedBulkUsers, bulkRows, keyedBulkRows} {
		change := func(random *rand.Rand) { l.change(random, line) }
		all = append(all, load.Turns{Pause: 1500 * time.Millisecond, Once: change})
	}
	return all
}

// usersPath is the path that lists users.
const usersPath = "/userve/v2.2/miniapp/user_profile/"

// change changes all users or all rows. A request with an idempotency key is repeated until answered.
func (l *bulks) change(random *rand.Rand, line string) {
	keyed, all := strings.HasPrefix(line, "keyed"), l.members
	path := client.UpdatesPath(l.table) + "?where=%7B%7D&limit=1000"
	if strings.HasSuffix(line, "users") {
		path, all = "/userve/v2.6/miniapp/user_profile/?async=1", l.users
	}

	l.mu.Lock()
	digit := l.digits[line]
	l.digits[line] = min(digit+1, maxDigits)
	l.mu.Unlock()
	if digit == maxDigits {
		return
	}
	column := map[bool]string{true: "m", false: "n"}[keyed]
	r := client.Request{
		Method: "PUT", Path: path, Body: map[string]any{column: map[string]any{"$incr_by": promise.Power(digit)}},
	}
	if keyed {
		r.Key = fmt.Sprintf("%s/%d", line, digit)
	}
	answer, x := l.App.Repeat(random, r)
	l.note(line, digit, all, answer, x)
}

// note expects the change for each user or row.
func (l *bulks) note(line string, digit int, all []string, answer client.Reply, x client.Effect) {
	var got struct {
		Operation int64 `json:"operation_id"`
	}
	_ = answer.Decode(&got) // a refusal has no operation
	told := client.Told(answer)
	users := strings.HasSuffix(line, "users")
	if users && x.Known == client.Acknowledged && got.Operation == 0 {
		x.Wrong = fmt.Sprintf("accepted without an operation: %.200s", answer.Body)
	}
	if got.Operation != 0 {
		l.mu.Lock()
		l.operations = append(l.operations, got.Operation)
		l.mu.Unlock()
	}
	into := l.Lines.Line(line)
	into.Request(x.Known, x.Mark, x.Wrong, x.Took)
	for _, one := range all {
		known := x.Known
		if !users && known == client.Acknowledged {
			known = told[one] // a row without a result has an unknown outcome
		}
		into.Expect(client.Effect{Mark: promise.Met(digit, one), Known: known, Said: x.Said})
	}
}

// Open counts the messages of the background work, and the users that operations have not reached.
func (l *bulks) Open(ctx context.Context) (missing map[string]int, next time.Time, err error) {
	open, err := l.Cloud.Messages(ctx, "BULK_QUEUE_URL")
	for _, operation := range l.operations {
		var o struct {
			Finished        *int64 `json:"finished_at"`
			Succeed, Failed int
		}
		path := fmt.Sprintf("/oserve/v1/bulk-operation/%d/", operation)
		if err := l.App.Call(ctx, "GET", path, nil, &o); err != nil {
			return nil, next, err
		}
		if o.Finished == nil {
			open += someUsers - o.Succeed - o.Failed + 1
		}
	}
	if open > 0 {
		missing = map[string]int{bulkUsers: open}
	}
	return missing, next, err
}

// FindLost submits operations again that a worker has delayed, as the platform does after minutes without progress.
func (l *bulks) FindLost(ctx context.Context, hurried bool) error {
	if !hurried {
		return nil
	}
	work := l.Cloud.Queues().Bulk()
	for _, operation := range l.operations {
		if err := work.Submit(ctx, l.App.Scope, id.ID(operation), 0); err != nil {
			return err
		}
	}
	return nil
}

func (l *bulks) Judge(ctx context.Context) error {
	type row struct {
		ID   json.RawMessage `json:"id"`
		N, M int64
	}
	for _, of := range []struct{ path, plain, keyed string }{
		{usersPath + "?limit=1000&return_total_count=1", bulkUsers, keyedBulkUsers},
		{client.RowsPath(l.table) + "?limit=1000", bulkRows, keyedBulkRows},
	} {
		found := map[string]map[string]int{of.plain: {}, of.keyed: {}}
		total, err := client.List(ctx, l.App, of.path, func(row row) error {
			id := strings.Trim(string(row.ID), `"`)
			promise.Digits(found[of.plain], id, row.N)
			promise.Digits(found[of.keyed], id, row.M)
			return nil
		})
		if err != nil {
			return fmt.Errorf("list %s: %w", of.plain, err)
		}
		for line, marks := range found {
			l.Lines.Line(line).Judge(marks)
		}
		if of.plain == bulkUsers {
			l.Lines.Line("user totals").Total("users", total, len(l.users))
			l.Lines.Line(bulkUsers).Add(promise.Partly(found[bulkUsers], l.digits[bulkUsers], l.users))
		}
	}
	return nil
}
