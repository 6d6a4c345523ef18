package requests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/shared/id"
	"minicloud/shared/table"
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
	return l.plantUsers(ctx)
}

// plantUsers creates users with numeric columns.
func (l *bulks) plantUsers(ctx context.Context) error {
	body := client.Schema(
		"", client.Column{Name: "n", Type: "integer"}, client.Column{Name: "m", Type: "integer"},
	)
	delete(body, "name")
	if err := l.App.Call(ctx, "PUT", client.TablesPath+"_userprofile/", body, &struct{}{}); err != nil {
		return err
	}

	profiles, err := l.Cloud.Backend(0).Schemas().Table(ctx, l.App.Scope, table.UserProfiles)
	if err != nil {
		return err
	}
	var ids id.Source
	var people []table.Change
	for range someUsers {
		number := ids.New(time.Now().Add(-time.Hour))
		l.users = append(l.users, fmt.Sprint(int64(number)))
		people = append(people, table.Change{New: &table.Row{
			ID: table.RowID(number.Key()), UpdatedAt: number.Time().Unix(), CreatedBy: int64(number),
			Perm: profiles.DefaultRowPerm, Fields: map[string]any{"n": int64(0), "m": int64(0)}, Revision: 1,
		}})
	}
	return errors.Join(l.Cloud.Backend(0).Rows().Write(ctx, l.App.Scope, profiles, people)...)
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
	amount := int64(1)
	for range digit {
		amount *= 10
	}

	column := map[bool]string{true: "m", false: "n"}[keyed]
	r := client.Request{
		Method: "PUT", Path: path, Body: map[string]any{column: map[string]any{"$incr_by": amount}},
	}
	var answer client.Reply
	var x client.Effect
	if keyed {
		r.Key = fmt.Sprintf("%s/%d", line, digit)
		answer, x = l.App.Repeat(random, r)
	} else {
		answer = l.App.Send(context.Background(), r)
		x = answer.Effect("")
	}
	l.note(line, digit, all, answer, x)
}

// note expects the change for each user or row.
func (l *bulks) note(line string, digit int, all []string, answer client.Reply, x client.Effect) {
	var got struct {
		client.Bulk
		Operation int64 `json:"operation_id"`
	}
	told := map[string]promise.Need{}
	if answer.Decode(&got) == nil {
		for i, result := range got.Results {
			if result.Success != nil {
				told[fmt.Sprint(result.Success.ID)] = got.Known(i)
			}
		}
	}

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
		into.Expect(client.Effect{Mark: met(digit, one), Known: known, Said: x.Said})
	}
}

// met returns the mark of one change of one user or row.
func met(digit int, id string) string { return fmt.Sprintf("%d/%s", digit, id) }

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
			countDigits(found[of.plain], id, row.N)
			countDigits(found[of.keyed], id, row.M)
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
			l.judgeComplete(l.Lines.Line(bulkUsers), found[bulkUsers])
		}
	}
	return nil
}

// countDigits adds to found how often each change was applied to id.
func countDigits(found map[string]int, id string, n int64) {
	for digit := 0; n > 0; digit, n = digit+1, n/10 {
		if n%10 > 0 {
			found[met(digit, id)] = int(n % 10)
		}
	}
}

// judgeComplete looks for changes applied to only some users. A request that was cut off may have been accepted or
// not, but an accepted one must run to its end.
func (l *bulks) judgeComplete(line *load.Line, found map[string]int) {
	for digit := range l.digits[bulkUsers] {
		n := 0
		for _, user := range l.users {
			n += min(found[met(digit, user)], 1)
		}
		if n > 0 && n < len(l.users) {
			line.Fail(&line.Lost, "change %d met %d of %d users", digit, n, len(l.users))
		}
	}
}
