package eventsource

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/unkind"
)

// streamClient reads the stream of one table. It uses the JSON protocol directly, because functions receive the
// records unchanged.
type streamClient struct {
	http   unkind.HTTPClient
	url    string // URL of the database
	table  string
	region string
	arn    string
	shard  string
	wide   bool   // format of sequence numbers, see spell
	last   string // sequence number up to which records were read, "" = none
}

// record is a stream record in the form that functions receive.
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

// call runs one operation. target is the X-Amz-Target: DynamoDB_20120810 or DynamoDBStreams_20120810, a dot, and the
// operation.
func (c *streamClient) call(ctx context.Context, target string, in map[string]any, out any) error {
	return ddb.Call(ctx, c.http, c.url, target, in, out)
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

	// The local database writes only to the last shard.
	newest := shards[len(shards)-1]
	c.shard, c.wide = newest.ShardId, len(newest.SequenceNumberRange.StartingSequenceNumber) >= wideNumber

	return nil
}

// wideNumber is the length of sequence numbers since dynoxide 1.5, as in DynamoDB: a 1 and the twenty digits of the
// padded number. Earlier versions write the number without padding.
const wideNumber = 21

// plain returns the number in a sequence number of either format.
func plain(sequence string) string {
	if len(sequence) != wideNumber || sequence[0] != '1' {
		return sequence
	}
	return strings.TrimLeft(sequence[1:wideNumber-1], "0") + sequence[wideNumber-1:]
}

// spell converts a sequence number to the format of this database: the data directory may come from a dynoxide before
// 1.5, or from a newer one.
func (c *streamClient) spell(sequence string) string {
	number := plain(sequence)
	if !c.wide || number == "" || len(number) >= wideNumber {
		return number
	}
	return "1" + strings.Repeat("0", wideNumber-1-len(number)) + number
}

// iterator returns a shard iterator of a kind: TRIM_HORIZON, LATEST, or AFTER_SEQUENCE_NUMBER with a sequence number.
func (c *streamClient) iterator(ctx context.Context, kind, sequence string) (string, error) {
	in := map[string]any{"StreamArn": c.arn, "ShardId": c.shard, "ShardIteratorType": kind}
	if sequence != "" {
		in["SequenceNumber"] = sequence
	}
	var out struct{ ShardIterator string }
	err := c.call(ctx, "DynamoDBStreams_20120810.GetShardIterator", in, &out)
	return out.ShardIterator, err
}

// after returns the iterator behind a sequence number. Records that the stream no longer has are skipped, as Lambda
// skips them: DynamoDB trims records after 24 hours, also those that nobody has read.
func (c *streamClient) after(ctx context.Context, sequence string) (iterator string, err error) {
	c.last = sequence
	if sequence != "" {
		if iterator, err = c.iterator(ctx, "AFTER_SEQUENCE_NUMBER", sequence); !isError(err, "TrimmedDataAccessException") {
			return iterator, err
		}
	}
	return c.iterator(ctx, "TRIM_HORIZON", "")
}

// isError reports whether an operation failed with this error of DynamoDB Streams.
func isError(err error, name string) bool { return err != nil && strings.Contains(err.Error(), name) }

// read returns the records from an iterator on, and the next iterator. An iterator expires 15 minutes after it was
// made, so also while a function works on the records before it.
func (c *streamClient) read(ctx context.Context, iterator string, limit int) ([]record, string, error) {
	for {
		records, next, err := c.records(ctx, iterator, limit)
		if !isError(err, "ExpiredIteratorException") && !isError(err, "TrimmedDataAccessException") {
			if len(records) > 0 {
				c.last = records[len(records)-1].sequence
			}
			return records, next, err
		}
		if iterator, err = c.after(ctx, c.last); err != nil {
			return nil, "", err
		}
	}
}

// records makes one GetRecords call.
func (c *streamClient) records(ctx context.Context, iterator string, limit int) ([]record, string, error) {
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

// complete adds the fields that AWS sets and the local database does not: an event ID that is unique across tables,
// the region, the stream.
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

// EventID returns the event ID of a stream record.
func EventID(arn, sequence string) string {
	sum := sha256.Sum256([]byte(arn + " " + plain(sequence)))
	return hex.EncodeToString(sum[:16])
}

// changesNothing reports whether old and new image are equal: AWS creates no record for such a write.
func (r *record) changesNothing() bool {
	if r.Name != "MODIFY" {
		return false
	}
	var images struct{ NewImage, OldImage map[string]any }
	err := json.Unmarshal(r.Change, &images)
	return err == nil && images.OldImage != nil && reflect.DeepEqual(images.NewImage, images.OldImage)
}

// key returns the record's partition key.
func (r *record) key() string {
	var change struct{ Keys map[string]json.RawMessage }
	_ = json.Unmarshal(r.Change, &change) // records without keys share a lane
	return string(change.Keys["pk"])
}

// view returns the record in the form that filters match.
func (r *record) view() any {
	var v any
	text, _ := json.Marshal(r) // never fails: the record was decoded from JSON
	_ = json.Unmarshal(text, &v)
	return v
}
