package dynamo

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is an item, or a part of one, by attribute name.
type Item = map[string]types.AttributeValue

// Conditions of writes.
const (
	Exists    = "attribute_exists(pk)"
	NotExists = "attribute_not_exists(pk)"
	// IsRevision is the condition that an item has the revision of RevisionOf. Only the first attempt of a write passes.
	IsRevision = "revision = :revision"
)

// RevisionOf is the parameter of IsRevision.
func RevisionOf(n int64) Item { return Item{":revision": Number(n)} }

// The most bytes that DynamoDB takes in a key.
const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
)

// Key is the primary key of one item.
func Key(pk, sk string) Item { return Item{"pk": Text(pk), "sk": Text(sk)} }

// possible reports whether an item can have the key. DynamoDB refuses to look for one of any other, where a caller's
// text is a part of the key: no such item exists.
func possible(key Item) bool {
	pk, sk := len(TextOf(key["pk"])), len(TextOf(key["sk"]))
	return 0 < pk && pk <= maxPartitionKey && 0 < sk && sk <= maxSortKey
}

// Encode returns the item of v, a struct with dynamodbav tags, under a key. Times are Unix milliseconds, or seconds with
// the tag unixtime; a zero time is 0, or left out with omitempty. It panics where a field has a type that no attribute
// can have.
func Encode(pk, sk string, v any) Item {
	it, err := attributevalue.MarshalMapWithOptions(v, func(o *attributevalue.EncoderOptions) {
		o.EncodeTime = func(t time.Time) (types.AttributeValue, error) { return Number(Millis(t)), nil }
		o.OmitEmptyTime = true
	})
	if err != nil {
		panic(fmt.Sprintf("dynamo: %T is no item: %v", v, err))
	}

	it["pk"], it["sk"] = Text(pk), Text(sk)
	return it
}

// Decode reads an item into a T, a struct with dynamodbav tags.
func Decode[T any](it Item) (T, error) {
	var v T
	err := attributevalue.UnmarshalMapWithOptions(it, &v, func(o *attributevalue.DecoderOptions) {
		o.DecodeTime.N = func(n string) (time.Time, error) {
			return FromMillis(IntegerOf(&types.AttributeValueMemberN{Value: n})), nil
		}
	})
	if err != nil {
		return v, fmt.Errorf("decode %T: %w", v, err)
	}
	return v, nil
}

// Text is a string as an attribute.
func Text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// Number is an integer as an attribute.
func Number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// Binary is bytes as an attribute.
func Binary(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

// Instant is a time as an attribute: Unix seconds, which TTL needs.
func Instant(t time.Time) types.AttributeValue { return Number(t.Unix()) }

// TextOf reads a string, "" where there is none.
func TextOf(av types.AttributeValue) string {
	if s, ok := av.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// IntegerOf reads an integer, 0 where there is none.
func IntegerOf(av types.AttributeValue) int64 {
	n, ok := av.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}

	i, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil { // written with an exponent or a fraction of zeros
		f, _ := strconv.ParseFloat(n.Value, 64)
		return int64(f)
	}
	return i
}

// BytesOf reads bytes, nil where there are none.
func BytesOf(av types.AttributeValue) []byte {
	if b, ok := av.(*types.AttributeValueMemberB); ok {
		return b.Value
	}
	return nil
}

// Millis is a time as a number, Unix milliseconds; 0 is no time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FromMillis reads what Millis returned.
func FromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
