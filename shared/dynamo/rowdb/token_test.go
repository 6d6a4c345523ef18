package rowdb_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// keyed returns the context of one try of a request with an Idempotency-Key.
func keyed(ctx context.Context, key string) context.Context {
	return writetoken.NewContext(ctx, &writetoken.Request{At: time.Now().Truncate(time.Millisecond), Seed: key})
}

// TestKeyedUpdateHappensOnce: a repeated request finds the token of its first try, however many others have written the
// row since, for every kind of write.
func TestKeyedUpdateHappensOnce(t *testing.T) {
	for name, body := range map[string]map[string]any{
		"unread":  {"n": map[string]any{"$incr_by": 1.0}},
		"indexed": {"level": map[string]any{"$incr_by": 1.0}},
		"read":    {"n": map[string]any{"$incr_by": 1.0}, "list": map[string]any{"$append_unique": []any{9.0}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, in, row, _ := newTable(t)
			column := "n"
			if name == "indexed" {
				column = "level"
			}
			const keys = 3 * table.MaxTokens
			var tries []context.Context
			for i := range keys {
				tries = append(tries, keyed(t.Context(), fmt.Sprint("key ", i)))
			}
			update := func(ctx context.Context) {
				t.Helper()
				if _, err := s.Update(ctx, rowScope, in, row, operations(t, in, body), table.Author{}); err != nil {
					t.Error(err)
				}
			}
			for i, try := range tries {
				update(try)
				update(t.Context())  // a request without a key
				update(tries[i/2])   // repeated after many other writes
				update(tries[i-i%5]) // repeated after a few
			}
			got, err := s.Read(t.Context(), rowScope, in, row)
			if err != nil {
				t.Fatal(err)
			}
			if want := int64(1 + 2*keys); got.Fields[column] != want {
				t.Errorf("%s = %v, want %d", column, got.Fields[column], want)
			}
			if len(got.Tokens) != table.MaxTokens {
				t.Errorf("the row has %d tokens, want %d", len(got.Tokens), table.MaxTokens)
			}
		})
	}
}

// TestRepeatedBulkWriteFindsItsRow: a repetition of a bulk write answers with the row that its first try made cease to
// match, although the row had no room for its token.
func TestRepeatedBulkWriteFindsItsRow(t *testing.T) {
	s, in, row, _ := newTable(t)
	one := operations(t, in, map[string]any{"n": map[string]any{"$incr_by": 1.0}})
	for i := range table.MaxTokens {
		if _, err := s.Update(keyed(t.Context(), fmt.Sprint(i)), rowScope, in, row, one, table.Author{}); err != nil {
			t.Fatal(err)
		}
	}
	const before = 1 + table.MaxTokens
	where, err := in.Grammar().Where(fmt.Sprintf(`{"n": %d}`, before))
	if err != nil {
		t.Fatal(err)
	}

	notes := map[string]string{}
	ctx := writetoken.NewContext(t.Context(), &writetoken.Request{
		At: time.Now(), Seed: "bulk", Note: func(_ context.Context, name, text string) (string, error) {
			if notes[name] == "" {
				notes[name] = text
			}
			return notes[name], nil
		},
	})
	for try := range 2 {
		q := table.Query{Where: where, Page: page.Request{Limit: 1}}
		bulk, err := s.UpdateMatching(ctx, rowScope, in, q, one, table.Origin{})
		if err != nil || bulk.Succeeded() != 1 || bulk.Outcomes[0].Row.Fields["n"] != int64(before+1) {
			t.Errorf("try %d: %+v, %v", try, bulk.Outcomes, err)
		}
	}
}

// TestConcurrentKeyedWrites: of concurrent tries of a request one has an effect, and all succeed.
func TestConcurrentKeyedWrites(t *testing.T) {
	s, in, row, _ := newTable(t)
	var wg sync.WaitGroup
	for i := range 30 {
		ctx := keyed(t.Context(), fmt.Sprint("key ", i))
		for range 3 {
			wg.Go(func() {
				body := map[string]any{"n": map[string]any{"$incr_by": 1.0}}
				if i%2 == 1 {
					body["list"] = map[string]any{"$pop": 1.0}
				}
				if _, err := s.Update(ctx, rowScope, in, row, operations(t, in, body), table.Author{}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if got, _ := s.Read(t.Context(), rowScope, in, row); got.Fields["n"] != int64(31) {
		t.Errorf("n = %v, want 31", got.Fields["n"])
	}
}

// TestKeyedInsert: a repeated insert generates the same ids, adds missing rows and returns all of them.
func TestKeyedInsert(t *testing.T) {
	s, in, _, _ := newTable(t)
	drafts := make([]map[string]any, 200)
	for i := range drafts {
		drafts[i] = map[string]any{"n": i, "level": i % 7}
	}
	at := time.Now().Truncate(time.Millisecond)
	insert := func(seed string, n int) (ids []table.RowID) {
		t.Helper()
		ctx := writetoken.NewContext(t.Context(), &writetoken.Request{At: at, Seed: seed})
		for _, made := range s.Insert(ctx, rowScope, in, drafts[:n], table.Author{}) {
			if made.Err != nil {
				t.Fatal(made.Err)
			}
			ids = append(ids, made.Row.ID)
		}
		return ids
	}
	half := insert("one", 100) // as if the program had died halfway
	whole := insert("one", 200)
	again := insert("one", 200)
	if !slices.Equal(half, whole[:100]) || !slices.Equal(whole, again) || !slices.IsSorted(whole) {
		t.Errorf("ids differ: %v, %v, %v", half[:3], whole[:3], again[:3])
	}
	if whole[0].CreatedAt() != at.Unix() {
		t.Errorf("created at %d, want the time of the claim %d", whole[0].CreatedAt(), at.Unix())
	}
	if other := insert("two", 200); slices.ContainsFunc(
		other, func(id table.RowID) bool { return slices.Contains(whole, id) },
	) {
		t.Error("another key made the same ids")
	}
	if n := rowsThere(t, s.Rows, in); n != 1+400 {
		t.Errorf("%d rows, want 401", n)
	}
}
