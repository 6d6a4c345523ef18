package bench

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"minicloud/infra/local/api"
	"minicloud/shared/dynamo"
	"minicloud/shared/table"
)

// BenchmarkOwnRows lists a table of ROWS=20000 rows, each of which one of ROWS/20 users may read: the first page of an
// administrator, and that of a user, which holds the user's own 20 rows. The second takes ≤ 1.3 times the first.
func BenchmarkOwnRows(b *testing.B) {
	n := number(b, "ROWS", 20_000)
	p := start(b)
	p.open(b)
	own, me := p.register(b, "owner")
	tableID := p.makeTable(b, "notes", "text string", "n integer")
	rows := fmt.Sprintf(rowsPath, fmt.Sprint(tableID))
	p.notes(b, rows, tableID, n, me)

	var every, mine series
	var list struct{ Objects []object }
	// In turns, so that both have the same machine.
	all := func() { p.call(b, "GET", rows, nil, nil) }
	some := func() { must(b, own.Send(b.Context(), "GET", "/hserve/v2.4/table/notes/record/", nil, &list)) }
	all()
	some()
	for b.Loop() {
		every, mine = append(every, timed(all)), append(mine, timed(some))
	}
	report(b, "administrator", every)
	report(b, "own", mine)
	b.ReportMetric(float64(mine.median())/float64(every.median()), "own/administrator")
	if len(list.Objects) != 20 {
		b.Errorf("%d own rows, want 20", len(list.Objects))
	}
}

func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// open lifts the default rate of a user, which would end a benchmark after 600 requests.
func (p *platform) open(b *testing.B) {
	p.call(b, "PUT", "/oserve/v1.8/application-setting/", object{"client_rate": object{"user": 1_000_000}}, nil)
}

// anyone returns a client without a session.
func (p *platform) anyone() *api.Client {
	return &api.Client{Base: p.URL, Header: http.Header{"X-Service-Client-Id": {p.Credentials.ClientID}}}
}

// register registers a user and returns the user's client and id.
func (p *platform) register(b *testing.B, name string) (own *api.Client, id int64) {
	var made struct {
		Token string `json:"token"`
		ID    int64  `json:"user_id"`
	}
	own = p.anyone()
	must(b, own.Send(b.Context(), "POST", "/hserve/v2.1/register/username/", known(name), &made))
	own.Header.Set("Authorization", "Service-r1 "+made.Token)
	return own, made.ID
}

func known(name string) object { return object{"username": name, "password": "correct horse"} }

// notes makes n rows, 20 for each reader. One row is written by the API; the others are copies of its items.
func (p *platform) notes(b *testing.B, rows string, tableID int64, n int, me int64) {
	b.Helper()
	began := time.Now()
	var first struct{ ID string }
	reader := fmt.Sprintf("user:%d", me)
	p.call(b, "POST", rows, object{"text": fmt.Sprintf("note %0200d", 0), "n": 0, "read_perm": []string{reader}}, &first)
	pk := fmt.Sprintf("%s#%d", p.scope(), tableID)
	parts := map[string][]dynamo.Item{
		p.table("RowsTable"):       p.items(b, p.table("RowsTable"), pk, first.ID),
		p.table("RowIndexesTable"): p.items(b, p.table("RowIndexesTable"), pk+"#ix#"+table.ReadersIndex, reader),
	}

	users := max(n/20, 1)
	var group errgroup.Group
	group.SetLimit(8)
	var written atomic.Int64
	// A batch has 25 items, an id 16 digits of time and number before the random ones; earlier ones are free.
	for from := 1; from < n; from += 12 {
		group.Go(func() error {
			writes := map[string][]types.WriteRequest{}
			for i := from; i < min(from+12, n); i++ {
				var at uint64
				if _, err := fmt.Sscanf(first.ID[:16], "%x", &at); err != nil {
					return err
				}
				id := fmt.Sprintf("%016x%s", at-uint64(i)<<12, first.ID[16:])
				copied := strings.NewReplacer(first.ID, id, reader, fmt.Sprintf("user:%d", me+int64(i%users)))
				for name, items := range parts {
					for _, it := range items {
						put := &types.PutRequest{Item: replaced(it, copied)}
						writes[name] = append(writes[name], types.WriteRequest{PutRequest: put})
					}
				}
			}
			for len(writes) > 0 {
				out, err := p.database.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{RequestItems: writes})
				if err != nil {
					return err
				}
				writes = out.UnprocessedItems
			}
			written.Add(12)
			return nil
		})
	}
	must(b, group.Wait())
	b.Logf("%.0f rows/s written", float64(written.Load())/time.Since(began).Seconds())
	p.counted(b, table.Collection(p.scope(), table.ID(tableID)), n)
	b.Logf("counted after %v", time.Since(began).Round(time.Second))
}

// items returns the items of a partition whose sort key begins with a text. There must be some.
func (p *platform) items(b *testing.B, name, pk, prefix string) []dynamo.Item {
	b.Helper()
	out, err := p.database.Query(b.Context(), &dynamodb.QueryInput{
		TableName: &name, KeyConditionExpression: aws.String("pk = :pk AND begins_with(sk, :sk)"),
		ExpressionAttributeValues: dynamo.Item{":pk": dynamo.Text(pk), ":sk": dynamo.Text(prefix)},
	})
	must(b, err)
	if len(out.Items) == 0 {
		b.Fatalf("%s has no item %s, %s…", name, pk, prefix)
	}
	return out.Items
}

// replaced returns an item with other texts.
func replaced(it dynamo.Item, by *strings.Replacer) dynamo.Item {
	next := dynamo.Item{}
	for name, v := range it {
		next[name] = replacedValue(v, by)
	}
	return next
}

func replacedValue(v types.AttributeValue, by *strings.Replacer) types.AttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return dynamo.Text(by.Replace(v.Value))
	case *types.AttributeValueMemberL:
		list := &types.AttributeValueMemberL{}
		for _, one := range v.Value {
			list.Value = append(list.Value, replacedValue(one, by))
		}
		return list
	case *types.AttributeValueMemberSS:
		set := &types.AttributeValueMemberSS{}
		for _, one := range v.Value {
			set.Value = append(set.Value, by.Replace(one))
		}
		return set
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: replaced(v.Value, by)}
	}
	return v
}
