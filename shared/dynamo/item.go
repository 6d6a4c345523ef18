package dynamo

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is an item, or a part of one: values by attribute name.
type Item = map[string]types.AttributeValue

// Conditions of writes.
const (
	Exists    = "attribute_exists(pk)"
	NotExists = "attribute_not_exists(pk)"
	// IsRevision is the condition that the stored item has the revision given by RevisionOf. Only the first attempt of
	// a write can pass it.
	IsRevision = "revision = :revision"
)

// RevisionOf returns the parameter of IsRevision.
func RevisionOf(n int64) Item { return Item{":revision": Number(n)} }

// The maximum key sizes of DynamoDB, in bytes.
const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
)

// Key returns the primary key of one item.
func Key(pk, sk string) Item { return Item{"pk": Text(pk), "sk": Text(sk)} }

// possible reports whether an item can have the key. DynamoDB rejects a read of an empty or too long key, which happens
// when a caller's text is a part of it; no item has such a key.
func possible(key Item) bool {
	pk, sk := len(TextOf(key["pk"])), len(TextOf(key["sk"]))
	return 0 < pk && pk <= maxPartitionKey && 0 < sk && sk <= maxSortKey
}

// Encode converts v, a struct with dynamodbav tags, into an item with the given key. Times become Unix milliseconds, or
// seconds with the tag unixtime; a zero time becomes 0, or is left out with omitempty. Encode panics if a field has a
// type that DynamoDB cannot store.
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

// JSON returns v as JSON, for an attribute that holds a structure of the platform. It panics where Encode would.
func JSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("dynamo: %T is no JSON: %v", v, err))
	}
	return text
}

// Decode converts an item into a T, a struct with dynamodbav tags.
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

// Text returns a string attribute.
func Text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// Number returns a number attribute.
func Number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// Binary returns a binary attribute.
func Binary(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

// Instant returns a time attribute in Unix seconds, as TTL needs it.
func Instant(t time.Time) types.AttributeValue { return Number(t.Unix()) }

// TextOf returns the value of a string attribute, "" for any other.
func TextOf(av types.AttributeValue) string {
	if s, ok := av.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// IntegerOf returns the value of a number attribute as an integer, 0 for any other.
func IntegerOf(av types.AttributeValue) int64 {
	n, ok := av.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}

	i, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil { // the number has an exponent or a fraction
		f, _ := strconv.ParseFloat(n.Value, 64)
		return int64(f)
	}
	return i
}

// BytesOf returns the value of a binary attribute, nil for any other.
func BytesOf(av types.AttributeValue) []byte {
	if b, ok := av.(*types.AttributeValueMemberB); ok {
		return b.Value
	}
	return nil
}

// Millis returns a time in Unix milliseconds; the zero time is 0.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FromMillis is the inverse of Millis.
func FromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
