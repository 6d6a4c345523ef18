package dynamotest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Stream reads the stream of a table from its beginning.
type Stream struct {
	Read int // number of records read

	t        testing.TB
	url      string
	iterator string
}

// OpenStream opens the stream of a table.
func OpenStream(t testing.TB, client *dynamodb.Client, table string) *Stream {
	t.Helper()
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
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", "DynamoDBStreams_20120810."+operation)
	// The database requires a well-formed signature but does not verify it.
	req.Header.Set("X-Amz-Date", "20260101T000000Z")
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, "+
		"SignedHeaders=host, Signature=local")

	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, out)
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s %v", operation, strings.TrimSpace(string(text[:min(len(text), 500)])), err)
	}
}
