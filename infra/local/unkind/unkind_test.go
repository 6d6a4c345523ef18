package unkind_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/unkind"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"stale-reads":                  "stale-reads=500",
		"conflicts=7, stale-reads=900": "conflicts=7,stale-reads=900",
		"all,conflicts=0,freeze=0": "partial-batches=200,stale-reads=500,stale-indexes=1000,hot-partitions=1000,shard-splits=50,expired-iterators=100,tenant-environments=2500,scaling=1000,processor-share=1769," +
			"slow-down=50,late-events=3000,duplicate-events=200",
		"partial-batches,,hot-partitions": "partial-batches=200,hot-partitions=1000",
	} {
		if got, err := unkind.Parse(text); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"stale", "conflicts=", "conflicts=x", "conflicts=-1"} {
		if got, err := unkind.Parse(text); err == nil || !strings.Contains(err.Error(), "UNKIND") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// engine is a database that remembers whole items and answers as the protocol does.
type engine map[string]map[string]any

type object = map[string]any

func text(s string) object { return object{"S": s} }

func (e engine) call(operation string, body []byte) (int, []byte, error) {
	var in object
	if err := json.Unmarshal(body, &in); err != nil {
		return 0, nil, err
	}
	name := func(k any) string {
		return k.(object)["pk"].(object)["S"].(string) + "/" + k.(object)["sk"].(object)["S"].(string)
	}
	out := object{}
	switch operation {
	case "PutItem":
		e[name(in["Item"])] = in["Item"].(object)
	case "DeleteItem":
		delete(e, name(in["Key"]))
	case "GetItem":
		if it := e[name(in["Key"])]; it != nil {
			out["Item"] = it
		}
	case "BatchWriteItem":
		for _, w := range in["RequestItems"].(object)["T"].([]any) {
			it := w.(object)["PutRequest"].(object)["Item"]
			e[name(it)] = it.(object)
		}
	case "BatchGetItem":
		found := []any{}
		for _, k := range in["RequestItems"].(object)["T"].(object)["Keys"].([]any) {
			if it := e[name(k)]; it != nil {
				found = append(found, it)
			}
		}
		out["Responses"] = object{"T": found}
	case "TransactWriteItems":
		for _, w := range in["TransactItems"].([]any) {
			it := w.(object)["Put"].(object)["Item"]
			e[name(it)] = it.(object)
		}
	case "Query":
		list := []any{}
		for i := range 20 {
			if it := e[fmt.Sprintf("a/%02d", i)]; it != nil {
				list = append(list, it)
			}
		}
		out["Items"], out["Count"] = list, len(list)
	}
	answer, err := json.Marshal(out)
	return 200, answer, err
}

// kit is a database with some kinds.
type kit struct {
	*testing.T
	engine
	*unkind.Database
}

func newKit(t *testing.T, numbers unkind.Numbers) kit {
	return kit{t, engine{}, unkind.NewDatabase(unkind.New(numbers, rand.New(rand.NewPCG(1, 2)), nil))}
}

// ask makes a call that must be answered, and returns its answer.
func (k kit) ask(operation string, in object) object {
	k.Helper()
	body, _ := json.Marshal(in)
	_, answer, err := k.Answer(operation, body, k.Lasts(operation), k.engine.call)
	var out object
	if err != nil || json.Unmarshal(answer, &out) != nil {
		k.Fatalf("%s: %s, %v", operation, answer, err)
	}
	return out
}

func item(sk, v string) object { return object{"pk": text("a"), "sk": text(sk), "v": text(v)} }

func key(sk string) object { return object{"pk": text("a"), "sk": text(sk)} }

// kind returns the kind of an error, "" for none.
func kind(out object) string {
	name, _ := out["__type"].(string)
	_, name, _ = strings.Cut(name, "#")
	return name
}

// TestPartialBatches: what a batch leaves undone comes back in the form in which it is asked for again, and at the end
// everything was done once.
func TestPartialBatches(t *testing.T) {
	k := newKit(t, unkind.Numbers{unkind.PartialBatches: 500})
	writes := []any{}
	for i := range 20 {
		writes = append(writes, object{"PutRequest": object{"Item": item(fmt.Sprintf("%02d", i), "x")}})
	}
	calls := 0
	for left := any(object{"T": writes}); left != nil && len(left.(object)) > 0; calls++ {
		before := len(k.engine)
		left = k.ask("BatchWriteItem", object{"RequestItems": left})["UnprocessedItems"]
		if len(k.engine) == before {
			t.Fatal("a batch of which nothing was done must fail as a whole")
		}
	}
	if calls < 3 || len(k.engine) != 20 {
		t.Errorf("%d items after %d calls, want 20 after several", len(k.engine), calls)
	}

	found, keys := 0, []any{}
	for i := range 20 {
		keys = append(keys, key(fmt.Sprintf("%02d", i)))
	}
	left := any(object{"T": object{"Keys": keys, "ConsistentRead": true}})
	for left != nil && len(left.(object)) > 0 {
		out := k.ask("BatchGetItem", object{"RequestItems": left})
		found += len(out["Responses"].(object)["T"].([]any))
		if left = out["UnprocessedKeys"]; left != nil && left.(object)["T"].(object)["ConsistentRead"] != true {
			t.Errorf("what is left lost its options: %v", left)
		}
	}
	if found != 20 || k.Hits()[unkind.PartialBatches] < 10 {
		t.Errorf("%d of 20 items were read, %d entries were left", found, k.Hits()[unkind.PartialBatches])
	}
}

// TestConflicts: while a transaction is under way, other writes of its items are refused, and reads are not.
func TestConflicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, unkind.Numbers{unkind.Conflicts: 1000})
		both := object{"TransactItems": []any{
			object{"Put": object{"TableName": "T", "Item": item("1", "x")}},
			object{"Put": object{"TableName": "T", "Item": item("2", "x")}},
		}}
		done := make(chan object)
		go func() { done <- k.ask("TransactWriteItems", both) }()
		synctest.Wait()

		if got := kind(k.ask("PutItem", object{"TableName": "T", "Item": item("1", "y")})); got != "TransactionConflictException" {
			t.Errorf("a write of an item of the transaction: %q", got)
		}
		out := k.ask("TransactWriteItems", object{"TransactItems": []any{
			object{"Put": object{"TableName": "T", "Item": item("3", "y")}},
			object{"Put": object{"TableName": "T", "Item": item("2", "y")}},
		}})
		want := []any{object{"Code": "None"}, object{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}}
		if kind(out) != "TransactionCanceledException" || !cmp.Equal(out["CancellationReasons"], any(want)) {
			t.Errorf("another transaction: %v", out)
		}
		if got := k.ask("PutItem", object{"TableName": "T", "Item": item("4", "y")}); kind(got) != "" {
			t.Errorf("a write of another item: %v", got)
		}
		if got := k.ask("GetItem", object{"TableName": "T", "Key": key("1")}); kind(got) != "" {
			t.Errorf("a read: %v", got)
		}
		if out := <-done; kind(out) != "" || k.engine["a/1"] == nil {
			t.Errorf("the transaction: %v", out)
		}
		if got := k.ask("PutItem", object{"TableName": "T", "Item": item("1", "z")}); kind(got) != "" {
			t.Errorf("a write behind it: %v", got)
		}
		if k.Hits()[unkind.Conflicts] != 2 {
			t.Errorf("hits %v", k.Hits())
		}
	})
}

// TestStaleReads: a read that is not consistent may show each item as it was within the lag, a consistent one never.
func TestStaleReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, unkind.Numbers{unkind.StaleReads: 1000})
		put := func(sk, v string) { k.ask("PutItem", object{"TableName": "T", "Item": item(sk, v)}) }
		put("01", "old")
		put("02", "old")
		time.Sleep(time.Second)
		put("01", "new")
		put("03", "new")
		k.ask("DeleteItem", object{"TableName": "T", "Key": key("02")})

		list := func(consistent bool) string {
			out := k.ask("Query", object{
				"TableName": "T", "KeyConditionExpression": "pk = :pk AND sk BETWEEN :from AND :to", "ConsistentRead": consistent,
				"ExpressionAttributeValues": object{":pk": text("a"), ":from": text("00"), ":to": text("99")},
			})
			said := ""
			for _, it := range out["Items"].([]any) {
				said += it.(object)["sk"].(object)["S"].(string) + it.(object)["v"].(object)["S"].(string) + " "
			}
			return said
		}
		one := func(consistent bool) string {
			out := k.ask("GetItem", object{"TableName": "T", "Key": key("03"), "ConsistentRead": consistent})
			return fmt.Sprint(out["Item"] != nil)
		}
		many := func(consistent bool) string {
			out := k.ask("BatchGetItem", object{"RequestItems": object{"T": object{
				"Keys": []any{key("02"), key("03")}, "ConsistentRead": consistent,
			}}})
			return fmt.Sprint(len(out["Responses"].(object)["T"].([]any)), out["Responses"].(object)["T"].([]any)[0].(object)["v"])
		}
		for name, tt := range map[string]struct {
			read       func(consistent bool) string
			stale, now string
		}{
			"query":    {list, "01old 02old ", "01new 03new "},
			"get":      {one, "false", "true"},
			"batchget": {many, "1 map[S:old]", "1 map[S:new]"},
		} {
			seen := map[string]int{}
			for range 50 {
				if got := tt.read(true); got != tt.now {
					t.Errorf("%s: a consistent read: %s, want %s", name, got, tt.now)
				}
				seen[tt.read(false)]++
			}
			if seen[tt.stale] == 0 || seen[tt.stale]+seen[tt.now] != 50 {
				t.Errorf("%s: %v, want some of %q and else %q", name, seen, tt.stale, tt.now)
			}
		}
		time.Sleep(time.Second)
		if got := list(false); got != "01new 03new " {
			t.Errorf("after the lag: %s", got)
		}
	})
}

// TestStaleIndexes: an index shows new items late.
func TestStaleIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, unkind.Numbers{unkind.StaleIndexes: 1000})
		k.ask("PutItem", object{"TableName": "T", "Item": item("01", "x")})
		read := func() int {
			return len(k.ask("Query", object{
				"TableName": "T", "IndexName": "by_v", "KeyConditionExpression": "v = :v",
				"ExpressionAttributeValues": object{":v": text("x")},
			})["Items"].([]any))
		}
		seen := map[int]int{}
		time.Sleep(500 * time.Millisecond)
		for range 50 {
			seen[read()]++
		}
		if seen[0] == 0 || seen[1] == 0 {
			t.Errorf("%v, want both an index that has the item and one that has not", seen)
		}
		time.Sleep(500 * time.Millisecond)
		if read() != 1 {
			t.Error("after the lag the index has no item")
		}
	})
}

// TestHotPartitions: writes of one partition key beyond the limit are throttled until a second has passed; another key
// is not.
func TestHotPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, unkind.Numbers{unkind.HotPartitions: 5})
		put := func(pk string) string {
			return kind(k.ask("PutItem", object{"TableName": "T", "Item": object{"pk": text(pk), "sk": text("1")}}))
		}
		for i := range 5 {
			if got := put("a"); got != "" {
				t.Fatalf("write %d: %s", i, got)
			}
		}
		if got := put("a"); got != "ThrottlingException" {
			t.Errorf("write 6: %q", got)
		}
		if got := put("b"); got != "" {
			t.Errorf("another key: %s", got)
		}
		if got := kind(k.ask("GetItem", object{"TableName": "T", "Key": key("1")})); got != "" {
			t.Errorf("a read, which has its own limit: %s", got)
		}

		out := k.ask("TransactWriteItems", object{"TransactItems": []any{
			object{"Put": object{"TableName": "T", "Item": item("1", "y")}},
		}})
		if reasons := out["CancellationReasons"].([]any); reasons[0].(object)["Code"] != "ThrottlingError" {
			t.Errorf("a transaction: %v", out)
		}
		out = k.ask("BatchWriteItem", object{"RequestItems": object{"T": []any{
			object{"PutRequest": object{"Item": item("1", "y")}},
			object{"PutRequest": object{"Item": object{"pk": text("c"), "sk": text("1")}}},
		}}})
		if left := out["UnprocessedItems"].(object)["T"].([]any); len(left) != 1 {
			t.Errorf("a batch: %v", out)
		}
		time.Sleep(time.Second)
		if got := put("a"); got != "" {
			t.Errorf("a second later: %s", got)
		}
	})
}

// TestOffIsOff: without a kind, calls pass unchanged.
func TestOffIsOff(t *testing.T) {
	k := newKit(t, nil)
	for i := range 50 {
		k.ask("PutItem", object{"TableName": "T", "Item": item(fmt.Sprintf("%02d", i%20), "x")})
	}
	if out := k.ask("Query", object{"TableName": "T", "KeyConditionExpression": "pk = :pk"}); out["Count"] != 20.0 {
		t.Errorf("%v", out)
	}
	var off *unkind.Switches
	if len(k.Hits()) > 0 || off.On(unkind.Freeze) || off.Strikes(unkind.PartialBatches) || off.Below(unkind.Conflicts) != 0 {
		t.Error("something is on")
	}
}
