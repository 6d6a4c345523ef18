package counted_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
)

const pk = "7:production#things"

func sk(n id.ID) string { return "thing#" + n.Key() }

// table is a DynamoDB with one partition, of items with the ids 1 to its number; every tenth is red.
type table int

func (n table) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "x", Credentials: aws.AnonymousCredentials{}, HTTPClient: n, BaseEndpoint: aws.String("http://table.invalid"),
	})
}

// Do answers a query.
func (n table) Do(r *http.Request) (*http.Response, error) {
	var in struct {
		Limit                     int
		FilterExpression          string
		ExpressionAttributeValues map[string]struct{ S string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	idOf := func(value string) (i int) {
		fmt.Sscanf(in.ExpressionAttributeValues[value].S, "thing#%d", &i)
		return i
	}

	scanned, items, last := 0, []string{}, "null"
	for i := min(idOf(":to"), int(n)); i >= max(idOf(":from"), 1); i-- {
		key := fmt.Sprintf(`"pk": {"S": %q}, "sk": {"S": %q}`, pk, sk(id.ID(i)))
		if in.FilterExpression == "" || i%10 == 0 {
			items = append(items, fmt.Sprintf(`{%s, "id": {"N": "%d"}}`, key, i))
		}
		if scanned++; scanned == in.Limit {
			last = "{" + key + "}"
			break
		}
	}
	body := fmt.Sprintf(`{"Items": [%s], "ScannedCount": %d, "LastEvaluatedKey": %s}`,
		strings.Join(items, ","), scanned, last)
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: r,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
	}, nil
}

func listOf(client *dynamodb.Client, red bool) *counted.List {
	return &counted.List{
		Client: client, Top: 1 << 53, Selective: red,
		Query: func(from, below id.ID, _ bool) *dynamodb.QueryInput {
			in := dynamo.Query("Things", pk, sk(from), sk(below-1), true, 0)
			if red {
				in.FilterExpression = aws.String("red = :red")
			}
			return in
		},
	}
}

// TestOffsetsEndAtTenThousand where the list goes on there; behind its end there is nothing, and a cursor goes anywhere.
func TestOffsetsEndAtTenThousand(t *testing.T) {
	client := table(page.MaxOffset + 1).client()
	for i, c := range []struct {
		req   page.Request
		below id.ID
		fails bool
	}{
		{page.Request{}, 1 << 53, false},
		{page.Request{Offset: 1}, page.MaxOffset + 1, false},
		{page.Request{Offset: 9_999}, 3, false},
		{page.Request{Offset: 10_000}, 2, false},
		{page.Request{Offset: 10_001}, 0, true},
		{page.Request{Offset: 10_001, After: "1"}, 1, false},
		{page.Request{After: "x"}, 0, true},
		{page.Request{After: "-1"}, 0, true},
	} {
		below, err := listOf(client, false).Begin(t.Context(), c.req)
		if below != c.below || c.fails != errs.Is(err, errs.KindInvalid) {
			t.Errorf("%d: begins below %d, %v, want %d", i, below, err, c.below)
		}
	}

	for _, offset := range []int{10_000, 10_001, 1 << 50} {
		below, err := listOf(table(page.MaxOffset).client(), false).Begin(t.Context(), page.Request{Offset: offset})
		if err != nil || offset > 10_000 && below != 0 {
			t.Errorf("of 10,000 behind %d: below %d, %v", offset, below, err)
		}
	}
}

// TestWalkStopsAtMost with the place where it goes on, and finds the rest from there.
func TestWalkStopsAtMost(t *testing.T) {
	client := table(95).client()
	l := listOf(client, true)
	l.Most = 40
	var found []int64
	for below := l.Top; below > 0; below = l.Rest {
		for it, err := range l.Walk(t.Context(), below, 7, false) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, dynamo.IntegerOf(it["id"]))
		}
		if l.Looked > l.Most {
			t.Errorf("a walk looked at %d", l.Looked)
		}
	}
	if want := []int64{90, 80, 70, 60, 50, 40, 30, 20, 10}; !slices.Equal(found, want) {
		t.Errorf("found %v", found)
	}
}

// fixed is counters that say one total.
type fixed int

func (n fixed) Node(_ context.Context, _ count.Collection, at count.NodeID) ([]count.Node, error) {
	return []count.Node{{NodeID: at, Sum: int(n)}}, nil
}

// TestTotal is counted item by item below 256, and is that of the counters from there on.
func TestTotal(t *testing.T) {
	client := table(300).client()
	for i, c := range []struct {
		counters, want int
		red            bool
	}{
		{counters: 0, want: 256}, {counters: 100, want: 256}, {counters: 255, want: 256}, {counters: 256, want: 256},
		{counters: 1000, want: 1000}, {counters: 0, want: 30, red: true}, {counters: 29, want: 30, red: true},
		{counters: 31, want: 30, red: true},
	} {
		l := listOf(client, c.red)
		l.Tree = &count.Tree{Reader: fixed(c.counters)}
		if got, err := l.Total(t.Context()); err != nil || got != c.want {
			t.Errorf("%d: %d, %v, want %d", i, got, err, c.want)
		}
	}

	uncounted := listOf(client, true)
	if got, err := uncounted.Total(t.Context()); err != nil || got != 30 {
		t.Errorf("without counters %d, %v", got, err)
	}
}
