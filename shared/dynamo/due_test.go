package dynamo_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

func TestParseDue(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 7e6, time.UTC)
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	of := "#" + scope.String()
	for sk, want := range map[string]dynamo.DueKey{
		dynamo.DueSeconds(at) + of + "#1#0002":   {At: at.Truncate(time.Second), Numbers: []int64{1, 2}},
		dynamo.DueMillis(at) + of + "#1#2#run":   {At: at, Numbers: []int64{1, 2}, Text: "run"},
		dynamo.DueMillis(at) + of + "#1#2#run#3": {At: at, Numbers: []int64{1, 2}, Text: "run#3"},
		dynamo.DueSeconds(at) + of + "#1":        {},
		dynamo.DueSeconds(at) + of + "#1#x":      {},
		dynamo.DueSeconds(at) + "#nowhere#1#2":   {},
		"soon" + of + "#1#2":                     {},
		"":                                       {},
	} {
		got, err := dynamo.ParseDue(sk, 2)
		if ok := want.Numbers != nil; ok != (err == nil) || ok && (!got.At.Equal(want.At) || got.Scope != scope ||
			!slices.Equal(got.Numbers, want.Numbers) || got.Text != want.Text) {
			t.Errorf("%q is %+v, %v", sk, got, err)
		}
	}
}

// TestRaisesShards raises the number of shards while items of the former number are still there: all are read in order,
// and each can be deleted in the shard that it names.
func TestRaisesShards(t *testing.T) {
	const table = "JobsTable"
	ctx, client := t.Context(), dynamotest.Start(t, table)
	list := func() dynamo.DueList {
		return dynamo.DueList{Client: client, Table: table, Name: "due", Numbers: 1, Shards: new(dynamo.Shards)}
	}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	sk := func(i int) string {
		return fmt.Sprintf("%s#%s#%d", dynamo.DueSeconds(at.Add(time.Duration(i)*time.Second)), scope, i)
	}
	put := func(it dynamo.Item) {
		t.Helper()
		if err := dynamo.Do(ctx, client, "put", nil, dynamo.Put(table, it, "", nil)); err != nil {
			t.Fatal(err)
		}
	}
	insert := func(l dynamo.DueList, i int) {
		t.Helper()
		key, err := l.Key(ctx, sk(i))
		if err != nil {
			t.Fatal(err)
		}
		put(key)
	}

	// The list has one item of a release without shards, then 20 for each number of shards.
	put(dynamo.Key("due", sk(0)))
	for i := range 20 {
		insert(list(), 1+i)
	}
	raised := dynamo.Key("due", "!shards")
	raised["n"] = dynamo.Number(9)
	put(raised)
	for i := range 20 {
		insert(list(), 21+i)
	}

	read := func(limit int) []dynamo.DueKey {
		t.Helper()
		all, err := dynamo.ReadDue(ctx, list(), dynamo.DueSeconds(at.Add(time.Hour)), limit,
			func(key dynamo.DueKey, _ dynamo.Item) (dynamo.DueKey, error) { return key, nil })
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all, shards := read(100), map[int]bool{}
	if len(all) != 41 {
		t.Fatalf("%d items, want 41", len(all))
	}
	for i, key := range all {
		if key.Numbers[0] != int64(i) {
			t.Errorf("item %d is number %d", i, key.Numbers[0])
		}
		shards[key.Shard] = true
	}
	if len(shards) < 6 {
		t.Errorf("41 items are in the shards %v only", shards)
	}
	if some := read(1); len(some) != len(shards) || some[0].Numbers[0] != 0 {
		t.Errorf("one of each shard: %v, want %d with the earliest first", some, len(shards))
	}

	for _, key := range all {
		at := dynamo.Delete(table, list().Partition(key.Shard), sk(int(key.Numbers[0])), dynamo.Exists, nil)
		if err := dynamo.Do(ctx, client, "delete", errs.NotFound("not there"), at); err != nil {
			t.Errorf("delete item %d in shard %d: %v", key.Numbers[0], key.Shard, err)
		}
	}
}

// TestReadsShardsAgain: a process that goes on writing learns of a raised number.
func TestReadsShardsAgain(t *testing.T) {
	const table = "JobsTable"
	ctx, client := t.Context(), dynamotest.Start(t, table)
	list := dynamo.DueList{Client: client, Table: table, Name: "due", Shards: new(dynamo.Shards)}
	largest := func() (most int) {
		for i := range 200 {
			shard, err := list.Shard(ctx, fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, shard)
		}
		return most
	}
	if n := largest(); n != dynamo.DefaultShards-1 {
		t.Errorf("the largest shard is %d, want %d", n, dynamo.DefaultShards-1)
	}

	for stored, want := range map[int64]int{9: 8, 0: 0, 1000: dynamo.MaxShards - 1} {
		it := dynamo.Key("due", "!shards")
		it["n"] = dynamo.Number(stored)
		if err := dynamo.Do(ctx, client, "put", nil, dynamo.Put(table, it, "", nil)); err != nil {
			t.Fatal(err)
		}
		if n := largest(); n > want || n < want*9/10 {
			t.Errorf("with n = %d the largest shard is %d, want %d", stored, n, want)
		}
	}
}

func TestParseTimeKey(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 7e6, time.UTC)
	if got, id, err := dynamo.ParseTimeKey(dynamo.TimeKey(at, "a#b")); !got.Equal(at) || id != "a#b" || err != nil {
		t.Errorf("%v, %q, %v", got, id, err)
	}
	for _, sk := range []string{"", "1795305600000", "soon#a", "#a"} {
		if got, id, err := dynamo.ParseTimeKey(sk); err == nil {
			t.Errorf("%q is %v, %q", sk, got, id)
		}
	}
}

func TestScopeOf(t *testing.T) {
	want := tenant.Scope{App: 7, Env: tenant.Production}
	if got, err := dynamo.ScopeOf(want.String() + "#run#1"); got != want || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := dynamo.ScopeOf("wake"); err == nil {
		t.Errorf("a key without a scope: %v", got)
	}
}
