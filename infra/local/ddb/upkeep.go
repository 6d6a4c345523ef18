package ddb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// streamRetention is how long AWS keeps stream records.
const streamRetention = 24 * time.Hour

// tendStreams makes a write cost the same however many stream records are kept,
// and drops those that AWS would have dropped. The process may have the file
// open: SQLite locks it for us. The newest record of a table stays in any case,
// because the next sequence number is counted from it.
func (s *Server) tendStreams(ctx context.Context, now time.Time) error {
	db, err := sql.Open("sqlite", "file:"+s.path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `CREATE INDEX IF NOT EXISTS _local_seq
		ON _stream_records(table_name, CAST(sequence_number AS INTEGER))`)
	if err != nil {
		return fmt.Errorf("index the stream records: %w", err)
	}

	_, err = db.ExecContext(ctx, `DELETE FROM _stream_records WHERE created_at < ?
		AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name)`, now.Add(-streamRetention).Unix())
	if err != nil {
		return fmt.Errorf("drop old stream records: %w", err)
	}

	return nil
}

// Holds says whether there is an item in any of the tables.
func (s *Server) Holds(ctx context.Context, tables []Table) (bool, error) {
	for _, t := range tables {
		page, err := s.Client().Scan(ctx, &dynamodb.ScanInput{TableName: t.Create.TableName, Limit: aws.Int32(1)})
		if err != nil {
			return false, fmt.Errorf("look into %s: %w", aws.ToString(t.Create.TableName), err)
		}
		if len(page.Items) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// Sweep deletes the items of the tables whose TTL is over, as DynamoDB does
// some time after it, and returns how many there were.
func (s *Server) Sweep(ctx context.Context, tables []Table, now time.Time) (int, error) {
	client, n := s.Client(), 0
	for _, t := range tables {
		if t.TTL == "" {
			continue
		}
		swept, err := sweep(ctx, client, t, now)
		n += swept
		if err != nil {
			return n, fmt.Errorf("sweep %s: %w", aws.ToString(t.Create.TableName), err)
		}
	}
	return n, nil
}

func sweep(ctx context.Context, client *dynamodb.Client, t Table, now time.Time) (n int, err error) {
	names := map[string]string{"#ttl": t.TTL}
	values := map[string]types.AttributeValue{
		":now": &types.AttributeValueMemberN{Value: strconv.FormatInt(now.Unix(), 10)},
		":n":   &types.AttributeValueMemberS{Value: "N"},
	}
	const over = "attribute_type(#ttl, :n) AND #ttl < :now"
	keys, projected := maps.Clone(names), ""
	for i, k := range t.Create.KeySchema {
		name := "#k" + strconv.Itoa(i)
		keys[name] = aws.ToString(k.AttributeName)
		projected += "," + name
	}

	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
		TableName: t.Create.TableName, FilterExpression: aws.String(over), ProjectionExpression: aws.String(projected[1:]),
		ExpressionAttributeNames: keys, ExpressionAttributeValues: values,
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, err
		}

		for _, key := range page.Items {
			_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
				TableName: t.Create.TableName, Key: key, ConditionExpression: aws.String(over), // it may have been given more time
				ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			})
			if _, changed := errors.AsType[*types.ConditionalCheckFailedException](err); changed {
				continue
			}
			if err != nil {
				return n, err
			}

			n++
		}
	}

	return n, nil
}
