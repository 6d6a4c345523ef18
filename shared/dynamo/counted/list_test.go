package counted_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
)

const pk = "7:production#things"

func sk(n id.ID) string { return "thing#" + n.Key() }

// table is a fake DynamoDB with one partition. It has items with the ids 1 to its number; every tenth is red.
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
		Client: client, Selective: red,
		Query: func(from, below id.ID, _ bool) *dynamodb.QueryInput {
			in := dynamo.Query("Things", pk, sk(from), sk(below-1), true, 0)
			if red {
				in.FilterExpression = aws.String("red = :red")
			}
			return in
		},
	}
}

// pagesOf returns Pages of a list whose counters say n. It appends the Want of each Read to wants.
func pagesOf(l *counted.List, n int, wants *[]counted.Want) counted.Pages[id.ID] {
	return counted.Pages[id.ID]{
		Top: 1 << 53, Long: new(sync.Map), Name: "things", ID: func(n id.ID) id.ID { return n },
		Count: func(context.Context) (int, error) { return n, nil },
		Read: func(ctx context.Context, below id.ID, w counted.Want) ([]id.ID, bool, error) {
			if wants != nil {
				*wants = append(*wants, w)
			}
			return counted.Read(ctx, l, below, w, func(it dynamo.Item) (id.ID, error) {
				return id.ID(dynamo.IntegerOf(it["id"])), nil
			})
		},
	}
}

// TestOffsetsEndAtTenThousand: a larger offset is refused if the list continues there, and gives an empty page after
// the end of the list. A cursor has no such limit.
func TestOffsetsEndAtTenThousand(t *testing.T) {
	client := table(page.MaxOffset + 1).client()
	for i, c := range []struct {
		req   page.Request
		want  []id.ID
		fails bool
	}{
		{page.Request{}, []id.ID{10_001, 10_000}, false},
		{page.Request{Offset: 1}, []id.ID{10_000, 9_999}, false},
		{page.Request{Offset: 9_999}, []id.ID{2, 1}, false},
		{page.Request{Offset: 10_000}, []id.ID{1}, false},
		{page.Request{Offset: 10_001}, nil, true},
		{page.Request{Offset: 10_001, After: "1"}, nil, false},
		{page.Request{After: "2"}, []id.ID{1}, false},
		{page.Request{After: "x"}, nil, true},
		{page.Request{After: "-1"}, nil, true},
	} {
		c.req.Limit = 2
		got, err := pagesOf(listOf(client, false), page.MaxOffset+1, nil).Page(t.Context(), c.req)
		if !slices.Equal(got.Objects, c.want) || c.fails != errs.Is(err, errs.KindInvalid) {
			t.Errorf("%d: %v, %v, want %v", i, got.Objects, err, c.want)
		}
	}

	for _, offset := range []int{10_000, 10_001, 1 << 50} {
		pages := pagesOf(listOf(table(page.MaxOffset).client(), false), page.MaxOffset, nil)
		got, err := pages.Page(t.Context(), page.Request{Limit: 2, Offset: offset})
		if err != nil || len(got.Objects) > 0 || got.Total != page.MaxOffset {
			t.Errorf("of 10,000 behind %d: %+v, %v", offset, got, err)
		}
	}
}

// TestWalkStopsAtMost: a walk stops after Most items, and the next walk continues at Rest.
func TestWalkStopsAtMost(t *testing.T) {
	l := listOf(table(95).client(), true)
	l.Most = 40
	var found []int64
	for below := id.ID(1 << 53); below > 0; below = l.Rest {
		for it, err := range l.Walk(t.Context(), below, counted.Want{Items: l.Most}) {
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

// TestTotal: totals below 256 are counted item by item; larger ones come from the counters.
func TestTotal(t *testing.T) {
	for i, c := range []struct {
		items, counters, want int
		red                   bool
	}{
		{items: 300, counters: 0, want: 256}, {items: 300, counters: 255, want: 256},
		{items: 300, counters: 256, want: 256}, {items: 300, counters: 1000, want: 1000},
		{items: 255, counters: 0, want: 255}, {items: 255, counters: 254, want: 255},
		{items: 300, counters: 0, want: 30, red: true}, {items: 300, counters: 31, want: 30, red: true},
		{items: 2000, counters: 0, want: 100, red: true}, {items: 2000, counters: 199, want: 199, red: true},
	} {
		for _, req := range []page.Request{{Limit: 5}, {Limit: 5, Offset: 3}} {
			l := listOf(table(c.items).client(), c.red)
			got, err := pagesOf(l, c.counters, nil).Page(t.Context(), req)
			if err != nil || got.Total != c.want || len(got.Objects) != 5 {
				t.Errorf("%d, offset %d: %+v, %v, want %d", i, req.Offset, got, err, c.want)
			}
		}
	}
}

// TestPageOfAListIsOneReading: a page takes one Read if the list is short or known to be long.
func TestPageOfAListIsOneReading(t *testing.T) {
	first, second := page.Request{Limit: 20}, page.Request{Limit: 20, After: "200"}
	near, exact, keys := counted.Want{Items: 21}, counted.Want{Items: 21, Total: true}, counted.Want{Keys: true, Total: true}
	for _, c := range []struct {
		name  string
		items int
		reqs  []page.Request
		want  []counted.Want
	}{
		{"short", 255, []page.Request{first, first}, []counted.Want{exact, exact}},
		{"behind a cursor", 255, []page.Request{second}, []counted.Want{near, keys}},
		{"long", 1000, []page.Request{first, first, second}, []counted.Want{exact, near, near}},
	} {
		var wants []counted.Want
		pages := pagesOf(listOf(table(c.items).client(), false), c.items, &wants)
		for _, req := range c.reqs {
			if got, err := pages.Page(t.Context(), req); err != nil || got.Total != c.items {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
		}
		if !slices.Equal(wants, c.want) {
			t.Errorf("%s: read %+v, want %+v", c.name, wants, c.want)
		}
	}
}
