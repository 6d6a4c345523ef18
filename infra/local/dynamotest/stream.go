package dynamotest

import (
	"net/http"
	"testing"

	"minicloud/infra/local/ddb"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Stream reads the stream of a table.
type Stream struct {
	Read int // number of records read

	t        testing.TB
	url      string
	iterator string
}

// OpenStream enables the stream of a table and opens it. It has the writes after the call.
func OpenStream(t testing.TB, client *dynamodb.Client, table string) *Stream {
	t.Helper()
	_, err := client.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: &table, StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	if err != nil {
		t.Fatal(err)
	}

	s := &Stream{t: t, url: *client.Options().BaseEndpoint}

	var list struct{ Streams []struct{ StreamArn string } }
	s.call("ListStreams", map[string]any{"TableName": table}, &list)
	arn := list.Streams[0].StreamArn
	var about struct {
		StreamDescription struct{ Shards []struct{ ShardId string } }
	}
	s.call("DescribeStream", map[string]any{"StreamArn": arn}, &about)

	var at struct{ ShardIterator string }
	// The local database does not split shards as AWS does, so the first shard has all records.
	s.call("GetShardIterator", map[string]any{
		"StreamArn": arn, "ShardId": about.StreamDescription.Shards[0].ShardId, "ShardIteratorType": "TRIM_HORIZON",
	}, &at)
	s.iterator = at.ShardIterator
	return s
}

// Take returns the new records, at most 1,000.
func (s *Stream) Take() []events.DynamoDBEventRecord {
	s.t.Helper()
	var answer struct {
		Records           []events.DynamoDBEventRecord
		NextShardIterator string
	}
	s.call("GetRecords", map[string]any{"ShardIterator": s.iterator, "Limit": 1000}, &answer)
	s.iterator = answer.NextShardIterator
	s.Read += len(answer.Records)
	return answer.Records
}

func (s *Stream) call(operation string, in, out any) {
	s.t.Helper()
	if err := ddb.Call(s.t.Context(), http.DefaultClient, s.url, "DynamoDBStreams_20120810."+operation, in, out); err != nil {
		s.t.Fatal(err)
	}
}
