// Package rowdb stores tables, their rows and index entries in DynamoDB. It implements table.TableStore and
// table.RowStore, and reads the stream of rows.
package rowdb

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/language/query"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Rows implements table.RowStore. Rows are in a table with a stream; index entries and tokens are in another table, so
// that the stream carries rows only:
//
//	Table     pk = <scope>#<table>               sk = <row id>             the row
//	          pk = <scope>#<table>#s<shard>      sk = <row id>             the row, in a sharded table
//	Indexes   pk = <scope>#<table>#ix#<index>    sk = <value>\x01<row id>  entry, keys only; also of readers
//	          pk = <scope>#<table>#ix#<index>    sk = <values>               claim in a unique index: the row that has it
//	          pk = <scope>#<table>#token#<token>  sk = token                 a write token for which its row has no room
//
// A row and its entries change in one transaction. The stream's consumer counts rows (countdb.RowCount).
type Rows struct {
	Client  *dynamo.Client
	Table   string
	Indexes string
	Schemas string // table of the schemas, in which a writer notes new kinds of rows (table.Readers)
}

// Key returns the key of a row, for stores that read it together with items of other tables.
func Key(scope tenant.Scope, t table.Table, id table.RowID) dynamo.Item {
	return dynamo.Key(partition.Of(scope, t, id), string(id))
}

func indexPK(scope tenant.Scope, id table.ID, index string) string {
	return string(table.Collection(scope, id)) + "#ix#" + index
}

// ReadRows makes one BatchGetItem per 100 rows, concurrently; for a single row it makes one GetItem, or
// none if the row was prefetched.
func (s *Rows) ReadRows(
	ctx context.Context, scope tenant.Scope, t table.Table, ids []table.RowID,
) (map[table.RowID]table.Row, error) {
	rows := make(map[table.RowID]table.Row, len(ids))
	if len(ids) == 1 {
		it, err := dynamo.FindPrefetched(ctx, s.Client, s.Table, partition.Of(scope, t, ids[0]), string(ids[0]), nil)
		if len(it) > 0 {
			rows[ids[0]] = ToRow(t, it)
		}
		return rows, err
	}

	var mu sync.Mutex
	read := func(some []table.RowID) error {
		keys := make([]dynamo.Item, len(some))
		for i, id := range some {
			keys[i] = Key(scope, t, id)
		}

		found, err := dynamo.BatchGet(ctx, s.Client, s.Table, keys...)
		mu.Lock()
		defer mu.Unlock()
		for sk, it := range found {
			rows[table.RowID(sk)] = ToRow(t, it)
		}
		return err
	}
	if len(ids) <= dynamo.MaxBatchGet { // a goroutine of its own would grow its stack for the SDK's steps
		return rows, dynamo.Wrap("read rows", read(ids))
	}
	var group errgroup.Group
	for some := range slices.Chunk(ids, dynamo.MaxBatchGet) {
		group.Go(func() error { return read(some) })
	}
	return rows, dynamo.Wrap("read rows", group.Wait())
}

// The limits of queries. A query returns 1 MB at most, but without a limit the local engine scans the rest of the range
// before it stops.
const (
	mostRows    = 2500
	mostEntries = 10_000
)

// addProjection restricts the result to the named fields.
func addProjection(in *dynamo.QueryInput, only []string) {
	paths, names := []string{"sk"}, map[string]string{}
	for i, name := range only {
		path := name
		switch name {
		case "id", "created_at": // sk contains them
			continue
		case "_read_perm", "_write_perm":
			path = attrPerm
		case attrUpdatedAt, attrCreatedBy:
		default:
			field := fmt.Sprintf("#p%d", i)
			names[field], names["#fields"] = name, attrFields
			path = "#fields." + field
		}
		// DynamoDB rejects duplicate paths.
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}

	in.ProjectionExpression = new(strings.Join(paths, ", "))
	// DynamoDB rejects an empty map of names.
	if in.ExpressionAttributeNames == nil && len(names) > 0 {
		in.ExpressionAttributeNames = map[string]string{}
	}
	maps.Copy(in.ExpressionAttributeNames, names)
}

// comparisons maps the operators of filters to those of DynamoDB.
var comparisons = map[query.Op]string{
	query.OpEq: "=", query.OpLt: "<", query.OpLte: "<=", query.OpGt: ">", query.OpGte: ">=",
}

func addFilter(in *dynamo.QueryInput, filter table.Filter) {
	if len(filter) == 0 {
		return
	}

	in.ExpressionAttributeNames = map[string]string{"#fields": attrFields}
	parts := make([]string, len(filter))
	for i, term := range filter {
		// The names are placeholders, because a column's key may be a reserved word of DynamoDB.
		name, v := fmt.Sprintf("#f%d", i), fmt.Sprintf(":f%d", i)
		in.ExpressionAttributeNames[name] = term.Key
		in.ExpressionAttributeValues[v] = toAttribute(term.Operand)
		if term.Op == query.OpContains {
			parts[i] = fmt.Sprintf("contains(#fields.%s, %s)", name, v)
		} else {
			parts[i] = fmt.Sprintf("#fields.%s %s %s", name, comparisons[term.Op], v)
		}
	}

	in.FilterExpression = new(strings.Join(parts, " AND "))
}

// below returns an end for BETWEEN, which includes its upper end: if to is the key of an entry, a text after all smaller
// keys and before to. A scan of one entry at a time would otherwise read to again forever.
func below(to string) string {
	if entry, ok := table.ParseEntry(to); !ok || entry.ID.Number() == 0 {
		return to
	}
	last := len(to) - 1
	return to[:last] + string(to[last]-1) + "~"
}

// ScanIndex makes one Query.
func (s *Rows) ScanIndex(
	ctx context.Context, scope tenant.Scope, t table.Table, index string, scan table.IndexScan,
) (table.IndexStep, error) {
	in := dynamo.Query(
		s.Indexes, indexPK(scope, t.ID, index), scan.From, below(scan.To), scan.Descending, cmp.Or(scan.Limit, mostEntries),
	)
	// A count costs the same read units, but transfers no entries.
	if scan.CountOnly {
		in.Select = types.SelectCount
	}

	out, err := s.Client.Query(ctx, in)
	if err != nil {
		return table.IndexStep{}, dynamo.Wrap("scan index", err)
	}

	step := table.IndexStep{
		Count: int(out.Count), Last: dynamo.TextOf(out.LastEvaluatedKey["sk"]),
		Entries: make([]table.Entry, 0, len(out.Items)),
	}
	for _, it := range out.Items {
		key := dynamo.TextOf(it["sk"])
		entry, ok := table.ParseEntry(key)
		// BETWEEN includes scan.To, which is exclusive here.
		if !ok || scan.To != "" && key >= scan.To {
			continue
		}
		step.Entries = append(step.Entries, entry)
	}

	return step, nil
}
