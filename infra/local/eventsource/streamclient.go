package eventsource

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"
)

// HTTPClient makes a request; it is a *http.Client.
type HTTPClient interface {
	Do(r *http.Request) (*http.Response, error)
}

// streamClient reads the stream of one table. It speaks the JSON protocol
// itself, because records go on to functions as they are.
type streamClient struct {
	http   HTTPClient
	url    string // of the database
	table  string
	region string
	arn    string
	shard  string
	wide   bool // how sequence numbers are spelled, see spell
}

// record is a stream record as functions get it.
type record struct {
	EventID   string          `json:"eventID"`
	Name      string          `json:"eventName"`
	Version   string          `json:"eventVersion"`
	Source    string          `json:"eventSource"`
	Region    string          `json:"awsRegion"`
	Change    json.RawMessage `json:"dynamodb"`
	SourceARN string          `json:"eventSourceARN"`
	Identity  json.RawMessage `json:"userIdentity,omitempty"`

	sequence string
	at       time.Time
}

// call runs one operation. The service is DynamoDB_20120810 or
// DynamoDBStreams_20120810.
func (c *streamClient) call(ctx context.Context, target string, in map[string]any, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}

	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", target)
	req.Header.Set("X-Amz-Date", "20260101T000000Z")
	// Local databases want a signature and do not check it.
	req.Header.Set(
		"Authorization",
		"AWS4-HMAC-SHA256 Credential=local/20260101/"+c.region+"/dynamodb/aws4_request, SignedHeaders=host, Signature=local",
	)
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", target, answer)
	}

	return json.Unmarshal(answer, out)
}

// open finds the table's stream and its newest shard.
func (c *streamClient) open(ctx context.Context) error {
	var about struct {
		Table struct{ LatestStreamArn string }
	}
	if err := c.call(ctx, "DynamoDB_20120810.DescribeTable", map[string]any{"TableName": c.table}, &about); err != nil {
		return err
	}
	if c.arn = about.Table.LatestStreamArn; c.arn == "" {
		return fmt.Errorf("the table %s has no stream", c.table)
	}

	var stream struct {
		StreamDescription struct {
			Shards []struct {
				ShardId             string
				SequenceNumberRange struct{ StartingSequenceNumber string }
			}
		}
	}
	if err := c.call(
		ctx, "DynamoDBStreams_20120810.DescribeStream", map[string]any{"StreamArn": c.arn}, &stream,
	); err != nil {
		return err
	}

	shards := stream.StreamDescription.Shards
	if len(shards) == 0 {
		return fmt.Errorf("the stream of %s has no shard", c.table)
	}

	// The local database writes to the last shard only.
	newest := shards[len(shards)-1]
	c.shard, c.wide = newest.ShardId, len(newest.SequenceNumberRange.StartingSequenceNumber) >= wideNumber

	return nil
}

// wideNumber is the length of a sequence number since dynoxide 1.5, as DynamoDB
// wants it: a 1 and twenty digits of the number that earlier ones give as it is.
const wideNumber = 21

// plain is the number that a sequence number of either form stands for.
func plain(sequence string) string {
	if len(sequence) != wideNumber || sequence[0] != '1' {
		return sequence
	}
	return strings.TrimLeft(sequence[1:wideNumber-1], "0") + sequence[wideNumber-1:]
}

// spell gives a sequence number the form that this database knows: the data
// directory may come from a dynoxide before 1.5, or go back to one.
func (c *streamClient) spell(sequence string) string {
	number := plain(sequence)
	if !c.wide || number == "" || len(number) >= wideNumber {
		return number
	}
	return "1" + strings.Repeat("0", wideNumber-1-len(number)) + number
}

// iterator returns a position: TRIM_HORIZON, LATEST, or
// AFTER_SEQUENCE_NUMBER with a number.
func (c *streamClient) iterator(ctx context.Context, kind, sequence string) (string, error) {
	in := map[string]any{"StreamArn": c.arn, "ShardId": c.shard, "ShardIteratorType": kind}
	if sequence != "" {
		in["SequenceNumber"] = sequence
	}
	var out struct{ ShardIterator string }
	err := c.call(ctx, "DynamoDBStreams_20120810.GetShardIterator", in, &out)
	return out.ShardIterator, err
}

// read returns records from the position on, and the next position.
func (c *streamClient) read(ctx context.Context, iterator string, limit int) ([]record, string, error) {
	var out struct {
		Records           []record
		NextShardIterator string
	}
	// GetRecords refuses a Limit over 1000.
	in := map[string]any{"ShardIterator": iterator, "Limit": min(limit, 1000)}
	if err := c.call(ctx, "DynamoDBStreams_20120810.GetRecords", in, &out); err != nil {
		return nil, "", err
	}
	for i := range out.Records {
		if err := c.complete(&out.Records[i]); err != nil {
			return nil, "", err
		}
	}
	return out.Records, out.NextShardIterator, nil
}

// complete gives a record what AWS's have and the local database's do not: an
// id that no record of another table has, the region, the stream.
func (c *streamClient) complete(r *record) error {
	var change struct {
		SequenceNumber              string
		ApproximateCreationDateTime float64
	}
	if err := json.Unmarshal(r.Change, &change); err != nil {
		return err
	}
	r.sequence, r.at = change.SequenceNumber, time.UnixMilli(int64(change.ApproximateCreationDateTime*1000))
	r.EventID, r.Region, r.SourceARN = EventID(c.arn, r.sequence), c.region, c.arn
	return nil
}

// EventID is the id of the record of that sequence number in a stream.
func EventID(arn, sequence string) string {
	sum := sha256.Sum256([]byte(arn + " " + plain(sequence)))
	return hex.EncodeToString(sum[:16])
}

// changesNothing reports whether old and new image are the same: AWS makes no
// record of such a write.
func (r *record) changesNothing() bool {
	if r.Name != "MODIFY" {
		return false
	}
	var images struct{ NewImage, OldImage map[string]any }
	err := json.Unmarshal(r.Change, &images)
	return err == nil && images.OldImage != nil && reflect.DeepEqual(images.NewImage, images.OldImage)
}

// key is the record's partition key.
func (r *record) key() string {
	var change struct{ Keys map[string]json.RawMessage }
	_ = json.Unmarshal(r.Change, &change) // one without keys shares a lane with others like it
	return string(change.Keys["pk"])
}

// view is the record as filters see it.
func (r *record) view() any {
	var v any
	text, _ := json.Marshal(r) // never fails: the record was decoded from JSON
	_ = json.Unmarshal(text, &v)
	return v
}
