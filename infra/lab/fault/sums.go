package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// The ledgers of sums.
const (
	unkeyedSums = "$incr_by sums"
	keyedSums   = "keyed $incr_by sums"
)

// sums is the load of rows that several clients add to at the same time, and what
// they know of it.
type sums struct {
	app   *Application
	table int64
	rows  map[string][]string // ids, by ledger
	next  atomic.Int64

	mu       sync.Mutex
	requests map[string][]addition // by ledger
}

// sumsEach is how many rows each ledger has, largest how much is added at most.
const (
	sumsEach = 2
	largest  = 1000
)

func (l *sums) plant(ctx context.Context) (err error) {
	columns := []column{{"plain", "integer", false}, {"indexed", "integer", true}}
	if l.table, err = l.app.makeTable(ctx, "sums", columns...); err != nil {
		return err
	}

	l.rows, l.requests = map[string][]string{}, map[string][]addition{}
	for _, ledger := range []string{unkeyedSums, keyedSums} {
		for range sumsEach {
			var made struct {
				ID string `json:"id"`
			}
			if err := l.app.call(ctx, "POST", rowsPath(l.table), map[string]any{"plain": 0, "indexed": 0}, &made); err != nil {
				return err
			}
			l.rows[ledger] = append(l.rows[ledger], made.ID)
		}
	}
	return nil
}

func (l *sums) clients() []client {
	return []client{
		{60 * time.Millisecond, l.add}, {60 * time.Millisecond, l.add},
		{60 * time.Millisecond, l.addAgain}, {60 * time.Millisecond, l.addAgain},
	}
}

// sumOf names the sum in a column of a row. One column can be added to without a
// look at the row, the other has an index whose entry moves with it.
func sumOf(row, column string) string { return row + "." + column }

// addition draws what to add, and where.
func (l *sums) addition(random *rand.Rand, ledger string) (addition, request) {
	row, column := l.rows[ledger][random.IntN(sumsEach)], []string{"plain", "indexed"}[random.IntN(2)]
	a := addition{sum: sumOf(row, column), amount: 1 + random.UintN(largest)}
	a.mark = fmt.Sprintf("%s/%d", ledger, l.next.Add(1))

	body := map[string]any{column: map[string]any{"$incr_by": a.amount}}
	return a, request{method: "PUT", path: updatesPath(l.table) + row + "/", body: body}
}

func (l *sums) add(random *rand.Rand) {
	a, r := l.addition(random, unkeyedSums)
	a.effect = l.app.send(context.Background(), r).effect(a.mark)
	l.note(unkeyedSums, a)
}

func (l *sums) addAgain(random *rand.Rand) {
	a, r := l.addition(random, keyedSums)
	r.key = a.mark
	_, a.effect = l.app.repeat(random, r)
	l.note(keyedSums, a)
}

func (l *sums) note(ledger string, a addition) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests[ledger] = append(l.requests[ledger], a)
}

func (l *sums) open(context.Context) (int, error) { return 0, nil }

func (l *sums) judge(ctx context.Context, r *Report) error {
	values := map[string]int64{}
	_, err := l.app.list(ctx, rowsPath(l.table), func(object json.RawMessage) error {
		var row struct {
			ID             string
			Plain, Indexed int64
		}
		if err := json.Unmarshal(object, &row); err != nil {
			return err
		}
		values[sumOf(row.ID, "plain")], values[sumOf(row.ID, "indexed")] = row.Plain, row.Indexed
		return nil
	})
	if err != nil {
		return fmt.Errorf("list sums: %w", err)
	}

	for _, ledger := range []string{unkeyedSums, keyedSums} {
		found := map[string]int64{}
		for _, row := range l.rows[ledger] {
			for _, sum := range []string{sumOf(row, "plain"), sumOf(row, "indexed")} {
				if n, ok := values[sum]; ok {
					found[sum] = n
				}
			}
		}
		r.Ledger(ledger).sums(l.requests[ledger], found)
	}
	return nil
}
