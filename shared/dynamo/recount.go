package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/count"
	"minicloud/shared/id"
	"minicloud/shared/table"
)

var (
	_ count.Books = (*Counts)(nil)
	_ count.Base  = (*Rows)(nil)
)

// Collections implements count.Books.
func (s *Counts) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return eachPartition(ctx, s.Client, s.Table, func(pk string) error {
		if strings.HasPrefix(pk, checkpoints) {
			return nil
		}
		return yield(count.Collection(pk))
	})
}

// Level implements count.Books.
func (s *Counts) Level(ctx context.Context, c count.Collection, level int) ([]count.Node, error) {
	var nodes []count.Node
	prefix := strconv.Itoa(level) + "#"

	in := queryInput(s.Table, string(c), prefix, prefix+"~", false, 0)
	err := eachPage(ctx, s.Client, in, func(items []item) { nodes = append(nodes, countNodes(items)...) })
	return nodes, err
}

// Together is one transaction.
func (s *Counts) Together(ctx context.Context, keys ...count.Key) ([]count.Node, error) {
	in := &dynamodb.TransactGetItemsInput{}
	for _, key := range keys {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{
			TableName: &s.Table, Key: itemKey(string(key.Collection), counterSK(key.Node, key.Kind)),
		}})
	}

	out, err := s.Client.TransactGetItems(ctx, in)
	if err != nil {
		return nil, wrap("read counters", err)
	}
	nodes := make([]count.Node, len(keys))
	for i, answer := range out.Responses {
		nodes[i] = countNode(answer.Item)
		nodes[i].NodeID, nodes[i].Kind = keys[i].Node, keys[i].Kind
	}
	return nodes, nil
}

// Correct is one transaction for every 100 children: it is known by its token when
// its answer is lost.
func (s *Counts) Correct(ctx context.Context, key count.Key, sum int, children map[int]int) error {
	names := slices.Sorted(maps.Keys(children))
	if len(names) == 0 {
		names = []int{-1} // the sum alone is wrong
	}

	for i, some := range slices.Collect(slices.Chunk(names, maxChildren)) {
		part := map[int]int{}
		for _, child := range some {
			if child >= 0 {
				part[child] = children[child]
			}
		}
		add := s.addToNode(key, part)
		add.Update.ExpressionAttributeValues[":sum"] = number(0)
		if i == 0 {
			add.Update.ExpressionAttributeValues[":sum"] = number(int64(sum))
		}
		in := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{add}}
		if _, err := s.Client.TransactWriteItems(ctx, in); err != nil {
			return wrap("correct a counter", err)
		}
	}
	return nil
}

// Has implements count.Base: tables have numbers.
func (s *Rows) Has(c count.Collection) bool {
	_, ok := tableOf(c)
	return ok
}

// tableOf reads which table's rows the collection are.
func tableOf(c count.Collection) (table.ID, bool) {
	_, number, _ := strings.Cut(string(c), "#")
	n, err := strconv.ParseInt(number, 10, 64)
	return table.ID(n), err == nil
}

// Collections implements count.Base.
func (s *Rows) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return eachPartition(ctx, s.Client, s.Table, func(pk string) error { return yield(count.Collection(pk)) })
}

// Records implements count.Base. Rows have no kinds.
func (s *Rows) Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(id.ID, string)) error {
	of, ok := tableOf(c)
	if !ok {
		return fmt.Errorf("%q is no table", c)
	}
	ids := table.Table{ID: of}

	in := queryInput(s.Table, string(c), string(ids.FirstRowID(from)), string(ids.FirstRowID(to)), false, 0)
	in.ProjectionExpression = aws.String("sk")
	return eachPage(ctx, s.Client, in, func(items []item) {
		for _, it := range items {
			if row := table.RowID(textOf(it["sk"])).Number(); row < to {
				yield(row, "")
			}
		}
	})
}

// eachPage calls yield with the items of each page of a query.
func eachPage(ctx context.Context, client *dynamodb.Client, in *dynamodb.QueryInput, yield func([]item)) error {
	for {
		out, err := client.Query(ctx, in)
		if err != nil {
			return wrap("recount", err)
		}
		yield(out.Items)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return nil
		}
	}
}

// eachPartition calls yield with each partition key, at one read each: a scan goes on
// behind the last sort key that there can be.
func eachPartition(ctx context.Context, client *dynamodb.Client, tableName string, yield func(pk string) error) error {
	in := &dynamodb.ScanInput{
		TableName: &tableName, ProjectionExpression: aws.String("pk"), Limit: aws.Int32(1), ConsistentRead: aws.Bool(true),
	}
	for {
		out, err := client.Scan(ctx, in)
		if err != nil {
			return wrap("list partitions", err)
		}
		for _, it := range out.Items {
			pk := textOf(it["pk"])
			if err := yield(pk); err != nil {
				return err
			}
			in.ExclusiveStartKey = itemKey(pk, "~")
		}
		if len(out.LastEvaluatedKey) == 0 || len(out.Items) == 0 {
			return nil
		}
	}
}
