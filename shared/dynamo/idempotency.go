package dynamo

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/idempotency"
)

// IdempotencyKeys is the idempotency.Store:
//
//	pk = <scope>#<key hash>   sk = claim       request_digest, claimed_by, lease_until, answered, answer_*
//	                          sk = body#<n>    what of the body does not fit the claim
type IdempotencyKeys struct {
	Client *dynamodb.Client
	Table  string
}

var _ idempotency.Store = (*IdempotencyKeys)(nil)

// idempotencyChunk is how much of a compressed body one item holds, in bytes.
const idempotencyChunk = 350_000

type idempotencyItem struct {
	PK      string            `dynamodbav:"pk"`
	SK      string            `dynamodbav:"sk"`
	Request string            `dynamodbav:"request_digest,omitempty"`
	Holder  string            `dynamodbav:"claimed_by,omitempty"`
	Until   int64             `dynamodbav:"lease_until,omitempty"` // Unix milliseconds
	Done    bool              `dynamodbav:"answered,omitempty"`
	Status  int               `dynamodbav:"answer_status,omitempty"`
	Header  map[string]string `dynamodbav:"answer_header,omitempty"`
	Body    []byte            `dynamodbav:"answer_body,omitempty"`
	Chunks  int               `dynamodbav:"answer_chunks,omitempty"`
	Expires int64             `dynamodbav:"expires_at"` // Unix seconds, swept by TTL
}

func idempotencyKey(c idempotency.Claim, sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: c.Scope.String() + "#" + c.KeyHash},
		"sk": &types.AttributeValueMemberS{Value: sk},
	}
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}

// Claim is one conditional write; a key already held costs no second call
// unless its answer is in chunks. A claim whose answer was lost meets itself when
// the client tries again.
func (s *IdempotencyKeys) Claim(ctx context.Context, c idempotency.Claim, now time.Time) (*idempotency.Held, error) {
	item := idempotencyItem{
		PK: c.Scope.String() + "#" + c.KeyHash, SK: "claim",
		Request: c.Request, Holder: c.Holder, Until: c.Until.UnixMilli(), Expires: c.Expires.Unix(),
	}
	av, err := attributevalue.MarshalMap(item)
	if err != nil {
		return nil, fmt.Errorf("idempotency claim: %w", err)
	}
	_, err = s.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                           &s.Table,
		Item:                                av,
		ConditionExpression:                 aws.String("attribute_not_exists(pk) OR expires_at < :seconds OR (attribute_not_exists(answered) AND lease_until < :now)"),
		ExpressionAttributeValues:           map[string]types.AttributeValue{":now": number(now.UnixMilli()), ":seconds": number(now.Unix())},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	failed, isHeld := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !isHeld {
		return nil, wrap("claim idempotency key", err)
	}
	if _, done := failed.Item["answered"]; !done && stringOf(failed.Item["claimed_by"]) == c.Holder {
		return nil, nil
	}
	return s.held(ctx, c, failed.Item)
}

func (s *IdempotencyKeys) held(ctx context.Context, c idempotency.Claim, av map[string]types.AttributeValue) (*idempotency.Held, error) {
	var item idempotencyItem
	if err := attributevalue.UnmarshalMap(av, &item); err != nil {
		return nil, fmt.Errorf("idempotency claim: %w", err)
	}
	held := &idempotency.Held{Request: item.Request, Until: time.UnixMilli(item.Until)}
	if !item.Done {
		return held, nil
	}
	packed := item.Body
	for n := range item.Chunks {
		out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: &s.Table, Key: idempotencyKey(c, bodyKey(n)), ConsistentRead: aws.Bool(true),
		})
		if err != nil {
			return nil, wrap("read idempotent answer", err)
		}
		var chunk idempotencyItem
		if err := attributevalue.UnmarshalMap(out.Item, &chunk); err != nil {
			return nil, fmt.Errorf("idempotent answer: %w", err)
		}
		packed = append(packed, chunk.Body...)
	}
	body, err := unzip(packed)
	if err != nil {
		return nil, fmt.Errorf("idempotent answer: %w", err)
	}
	held.Answer = &idempotency.Answer{Status: item.Status, Header: item.Header, Body: body}
	return held, nil
}

func bodyKey(n int) string { return fmt.Sprintf("body#%03d", n) }

// Answer writes what does not fit the claim first, so that an answered claim is
// always whole.
func (s *IdempotencyKeys) Answer(ctx context.Context, c idempotency.Claim, answer idempotency.Answer) error {
	packed, err := zip(answer.Body)
	if err != nil {
		return fmt.Errorf("idempotent answer: %w", err)
	}
	first, rest := packed[:min(len(packed), idempotencyChunk)], packed[min(len(packed), idempotencyChunk):]
	chunks := 0
	for ; len(rest) > 0; chunks++ {
		n := min(len(rest), idempotencyChunk)
		av := idempotencyKey(c, bodyKey(chunks))
		av["answer_body"] = &types.AttributeValueMemberB{Value: rest[:n]}
		av["expires_at"] = number(c.Expires.Unix())
		if _, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: av}); err != nil {
			return wrap("keep idempotent answer", err)
		}
		rest = rest[n:]
	}
	header, err := attributevalue.Marshal(answer.Header)
	if err != nil {
		return fmt.Errorf("idempotent answer: %w", err)
	}
	_, err = s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           &s.Table,
		Key:                 idempotencyKey(c, "claim"),
		UpdateExpression:    aws.String("SET answered = :true, answer_status = :status, answer_header = :header, answer_body = :body, answer_chunks = :chunks"),
		ConditionExpression: aws.String("claimed_by = :holder"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":true": &types.AttributeValueMemberBOOL{Value: true}, ":status": number(int64(answer.Status)), ":header": header,
			":body": &types.AttributeValueMemberB{Value: first}, ":chunks": number(int64(chunks)),
			":holder": text(c.Holder),
		},
	})
	return wrap("keep idempotent answer", err)
}

// Release deletes the claim if it is still this one and has no answer.
func (s *IdempotencyKeys) Release(ctx context.Context, c idempotency.Claim) error {
	_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:                 &s.Table,
		Key:                       idempotencyKey(c, "claim"),
		ConditionExpression:       aws.String("claimed_by = :holder AND attribute_not_exists(answered)"),
		ExpressionAttributeValues: item{":holder": text(c.Holder)},
	})
	if _, gone := errors.AsType[*types.ConditionalCheckFailedException](err); gone {
		return nil
	}
	return wrap("release idempotency key", err)
}

func zip(plain []byte) ([]byte, error) {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err := w.Close()
	return buf.Bytes(), err
}

func unzip(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
