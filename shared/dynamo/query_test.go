package dynamo_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
)

type thing struct {
	Name string `dynamodbav:"name"`
	Size int    `dynamodbav:"weight,omitempty"`
}

// TestTypedItems: an item written from a struct is read back as the same struct, by Get and by a query of several
// pages.
func TestTypedItems(t *testing.T) {
	const table = "TablesTable"
	client := dynamotest.Start(t, table)
	for i := range 5 {
		it := dynamo.Encode("things", fmt.Sprint(i), thing{fmt.Sprintf("no %d", i), i})
		if err := dynamo.Transact(t.Context(), client, dynamo.Put(table, it, dynamo.NotExists, nil)); err != nil {
			t.Fatal(err)
		}
		if err := dynamo.Transact(
			t.Context(), client, dynamo.Put(table, it, dynamo.NotExists, nil),
		); !dynamo.ConditionFailedAt(err, 0) {
			t.Errorf("the same once more: %v", err)
		}
	}

	missing := errs.NotFound("nothing")
	if got, err := dynamo.Get[thing](t.Context(), client, table, "things", "3", missing); err != nil || got != (thing{"no 3", 3}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := dynamo.Get[thing](t.Context(), client, table, "things", "9", missing); err != missing {
		t.Errorf("what is not there: %v", err)
	}
	if got, err := dynamo.Get[thing](t.Context(), client, table, "things", "9", nil); err != nil || got != (thing{}) {
		t.Errorf("what is not there and may be missing: %+v, %v", got, err)
	}
	if it, err := dynamo.GetItem(t.Context(), client, table, "things", "3", "weight"); err != nil || len(it) != 1 {
		t.Errorf("one attribute: %v, %v", it, err)
	}

	pages := dynamo.Query(table, "things", "", "", true, 2)
	all, err := dynamo.All[thing](t.Context(), client, pages)
	if err != nil || len(all) != 5 || all[0].Size != 4 || all[4].Size != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	seen := 0
	for range dynamo.Items(t.Context(), client, pages) {
		if seen++; seen == 3 {
			break
		}
	}
	if seen != 3 {
		t.Errorf("%d items", seen)
	}

	more := dynamo.Update(
		table, "things", "3", "ADD weight :by", "weight = :old",
		dynamo.Item{":by": dynamo.Number(4), ":old": dynamo.Number(3)},
	)
	if it, err := dynamo.UpdateItem(t.Context(), client, more); err != nil || dynamo.IntegerOf(it["weight"]) != 7 {
		t.Errorf("updated: %v, %v", it, err)
	}
	if _, err := dynamo.UpdateItem(t.Context(), client, more); !dynamo.ConditionFailed(err) {
		t.Errorf("updated on a false condition: %v", err)
	}
	if err := dynamo.Transact(t.Context(), client, dynamo.Delete(table, "things", "3", dynamo.Exists, nil)); err != nil {
		t.Error(err)
	}
}

// TestAttributeNames writes, filters and counts by attributes whose names are reserved words of DynamoDB.
func TestAttributeNames(t *testing.T) {
	const table = "TablesTable"
	client := dynamotest.Start(t, table)
	put := func(sk string, name string, revision int64) error {
		it := dynamo.Encode("named", sk, thing{Name: name})
		it["revision"] = dynamo.Number(revision + 1)
		return dynamo.Write(t.Context(), client, dynamo.PutRevision(table, it, revision))
	}
	for i := range 4 {
		if err := put(fmt.Sprint(i), "even", 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := put("0", "even", 1); err != nil {
		t.Errorf("replace revision 1: %v", err)
	}
	for _, revision := range []int64{0, 1} {
		if err := put("0", "even", revision); !dynamo.ConditionFailed(err) {
			t.Errorf("replace revision %d, which is not stored: %v", revision, err)
		}
	}

	rename := dynamo.Update(table, "named", "1", "SET #name = :odd", "#name = :even", dynamo.Item{
		":odd": dynamo.Text("odd"), ":even": dynamo.Text("even"),
	})
	it, err := dynamo.DoUpdate(t.Context(), client, "rename", nil, rename)
	if err != nil || dynamo.TextOf(it["name"]) != "odd" {
		t.Errorf("renamed: %v, %v", it, err)
	}
	refused := errs.Conflict("renamed before")
	if it, err := dynamo.DoUpdate(t.Context(), client, "rename", refused, rename); err != refused || it != nil {
		t.Errorf("renamed again: %v, %v", it, err)
	}

	query := dynamo.Query(table, "named", "", "", false, 1)
	dynamo.Project(query, "sk", "name")
	dynamo.Where(query, "#name = :even", dynamo.Item{":even": dynamo.Text("even")})
	dynamo.Where(query, "revision > :one", dynamo.Item{":one": dynamo.Number(1)})
	if n, err := dynamo.Count(t.Context(), client, query); err != nil || n != 1 {
		t.Errorf("%d items counted, want 1: %v", n, err)
	}
	found := 0
	for it, err := range dynamo.Items(t.Context(), client, query) {
		if found++; err != nil || len(it) != 2 || dynamo.TextOf(it["sk"]) != "0" || dynamo.TextOf(it["name"]) != "even" {
			t.Errorf("found %v, %v", it, err)
		}
	}
	if found != 1 {
		t.Errorf("%d items found, want 1", found)
	}
}

// TestRefusesImpossibleKeys: a key that is too long finds no item and does not hide the other items of a batch.
func TestRefusesImpossibleKeys(t *testing.T) {
	const table = "TablesTable"
	client := dynamotest.Start(t, table)
	long, longest := strings.Repeat("x", 1024), strings.Repeat("y", 2048)
	there := []dynamo.Item{dynamo.Key("a", "b"), dynamo.Key(longest, long)}
	for _, key := range there {
		if err := dynamo.Transact(t.Context(), client, dynamo.Put(table, key, "", nil)); err != nil {
			t.Fatal(err)
		}
	}

	for _, key := range [][2]string{{longest + "y", "b"}, {"a", long + "x"}, {"", "b"}, {"a", ""}} {
		if it, err := dynamo.GetItem(t.Context(), client, table, key[0], key[1]); it != nil || err != nil {
			t.Errorf("keys of %d and %d bytes: %v, %v", len(key[0]), len(key[1]), it, err)
		}
		impossible := dynamo.Key(key[0], key[1])
		if found, err := dynamo.BatchGet(t.Context(), client, table, impossible); len(found) != 0 || err != nil {
			t.Errorf("keys of %d and %d bytes in a batch: %v, %v", len(key[0]), len(key[1]), found, err)
		}
		found, err := dynamo.BatchGetItems(t.Context(), client, table, append(there, impossible)...)
		if len(found) != len(there) || err != nil {
			t.Errorf("beside others: %d of %d found, %v", len(found), len(there), err)
		}
	}

	for _, query := range []*dynamodb.QueryInput{
		dynamo.Query(table, longest+"y", "", "", false, 0),
		dynamo.Query(table, "a", long+"x", "", false, 0), dynamo.Query(table, "a", "", long+"x", false, 0),
	} {
		if _, err := dynamo.All[thing](t.Context(), client, query); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("a query of a key that is too long: %v", err)
		}
	}
}

// answers is an HTTP client that returns these bodies in order; it repeats the last one.
type answers struct {
	bodies []string
	calls  int
}

func (a *answers) Do(*http.Request) (*http.Response, error) {
	body := a.bodies[min(a.calls, len(a.bodies)-1)]
	a.calls++
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// TestFinishesBatches: unprocessed items of a throttled DynamoDB are requested again, a limited number of times.
func TestFinishesBatches(t *testing.T) {
	const first = `{"Responses":{"T":[{"sk":{"S":"1"}}]},"UnprocessedKeys":{"T":{"Keys":[{"pk":{"S":"a"},"sk":{"S":"2"}}]}}}`
	const last = `{"Responses":{"T":[{"sk":{"S":"2"}}]}}`
	for name, tt := range map[string]struct {
		bodies []string
		calls  int
		fails  bool
	}{
		"done at once":     {[]string{last}, 1, false},
		"done in two":      {[]string{first, last}, 2, false},
		"never to be done": {[]string{first}, 6, true},
	} {
		t.Run(name, func(t *testing.T) {
			http := &answers{bodies: tt.bodies}
			client := dynamodb.New(dynamodb.Options{
				Region: "eu-west-1", HTTPClient: http, Credentials: aws.AnonymousCredentials{},
			})
			found, err := dynamo.BatchGet(t.Context(), client, "T", dynamo.Key("a", "1"), dynamo.Key("a", "2"))
			if http.calls != tt.calls || (err != nil) != tt.fails || err == nil && found["2"] == nil {
				t.Errorf("%d calls: %v, %v", http.calls, found, err)
			}
			if tt.fails && !errs.Is(dynamo.Wrap("read", err), errs.KindUnavailable) {
				t.Errorf("%v, want that the platform is busy", err)
			}
		})
	}
}
