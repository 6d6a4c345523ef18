// Package claimdb keeps what requests with an Idempotency-Key did in DynamoDB: it is the idempotency.Store.
package claimdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/compress"
	"minicloud/shared/dynamo"
	"minicloud/shared/idempotency"
)

// Store is the idempotency.Store:
//
//	pk = <scope>#<key hash>   sk = claim            request_digest, seed, claimed_at, answered, answer_*
//	                          sk = body#<try>#<n>   what of the body does not fit the claim
//	                          sk = note#<name>      what the request is about to do
type Store struct {
	Client *dynamodb.Client
	Table  string
}

var _ idempotency.Store = (*Store)(nil)

// idempotencyChunk is how much of a compressed body one item holds, in bytes.
const idempotencyChunk = 350_000

type idempotencyItem struct {
	PK      string            `dynamodbav:"pk"`
	SK      string            `dynamodbav:"sk"`
	Request string            `dynamodbav:"request_digest,omitempty"`
	Seed    string            `dynamodbav:"seed,omitempty"`
	At      int64             `dynamodbav:"claimed_at,omitempty"` // Unix milliseconds
	Done    string            `dynamodbav:"answered,omitempty"`   // by which try
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

// Claim is one conditional write; a key already held costs no second call
// unless its answer is in chunks.
func (s *Store) Claim(ctx context.Context, c idempotency.Claim, now time.Time) (*idempotency.Held, error) {
	av, err := attributevalue.MarshalMap(idempotencyItem{
		PK: c.Scope.String() + "#" + c.KeyHash, SK: "claim",
		Request: c.Request, Seed: c.Seed, At: c.At.UnixMilli(), Expires: c.Expires().Unix(),
	})
	if err != nil {
		return nil, fmt.Errorf("idempotency claim: %w", err)
	}
	_, err = s.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.Table, Item: av,
		ConditionExpression:                 aws.String("attribute_not_exists(pk) OR expires_at < :seconds"),
		ExpressionAttributeValues:           dynamo.Item{":seconds": dynamo.Number(now.Unix())},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	failed, isHeld := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !isHeld {
		return nil, dynamo.Wrap("claim idempotency key", err)
	}
	return s.held(ctx, c, failed.Item)
}

func (s *Store) held(ctx context.Context, c idempotency.Claim, av map[string]types.AttributeValue) (*idempotency.Held, error) {
	var item idempotencyItem
	if err := attributevalue.UnmarshalMap(av, &item); err != nil {
		return nil, fmt.Errorf("idempotency claim: %w", err)
	}
	held := &idempotency.Held{Request: item.Request, Seed: item.Seed, At: time.UnixMilli(item.At).UTC()}
	if item.Done == "" {
		return held, nil
	}
	packed := item.Body
	for n := range item.Chunks {
		out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: &s.Table, Key: idempotencyKey(c, bodyKey(item.Done, n)), ConsistentRead: aws.Bool(true),
		})
		if err != nil {
			return nil, dynamo.Wrap("read idempotent answer", err)
		}
		var chunk idempotencyItem
		if err := attributevalue.UnmarshalMap(out.Item, &chunk); err != nil {
			return nil, fmt.Errorf("idempotent answer: %w", err)
		}
		packed = append(packed, chunk.Body...)
	}
	body, err := compress.Gunzip(packed)
	if err != nil {
		return nil, fmt.Errorf("idempotent answer: %w", err)
	}
	held.Answer = &idempotency.Answer{Status: item.Status, Header: item.Header, Body: body}
	return held, nil
}

func bodyKey(try string, n int) string { return fmt.Sprintf("body#%s#%03d", try, n) }

// Answer writes what does not fit the claim first, so that an answered claim is
// always whole; every try has chunks of its own.
func (s *Store) Answer(ctx context.Context, c idempotency.Claim, answer idempotency.Answer) (*idempotency.Answer, error) {
	packed := compress.Gzip(answer.Body)
	first := packed[:min(len(packed), idempotencyChunk)]
	chunks, err := s.putChunks(ctx, c, packed[len(first):])
	if err != nil {
		return nil, err
	}
	header, err := attributevalue.Marshal(answer.Header)
	if err != nil {
		return nil, fmt.Errorf("idempotent answer: %w", err)
	}
	_, err = s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.Table, Key: idempotencyKey(c, "claim"),
		UpdateExpression: aws.String("SET answered = :try, answer_status = :status, answer_header = :header, " +
			"answer_body = :body, answer_chunks = :chunks"),
		// By this try: an earlier attempt of the client, of which it heard nothing.
		ConditionExpression: aws.String("seed = :seed AND (attribute_not_exists(answered) OR answered = :try)"),
		ExpressionAttributeValues: dynamo.Item{
			":try": dynamo.Text(c.Try), ":seed": dynamo.Text(c.Seed), ":status": dynamo.Number(int64(answer.Status)), ":header": header,
			":body": &types.AttributeValueMemberB{Value: first}, ":chunks": dynamo.Number(int64(chunks)),
		},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	failed, other := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !other {
		return nil, dynamo.Wrap("keep idempotent answer", err)
	}
	held, err := s.held(ctx, c, failed.Item)
	if err != nil {
		return nil, err
	}
	if held.Seed != c.Seed { // a day has passed, and the key belongs to another request
		return nil, errors.New("keep idempotent answer: the claim is gone")
	}
	return held.Answer, nil
}

func (s *Store) putChunks(ctx context.Context, c idempotency.Claim, rest []byte) (chunks int, err error) {
	for ; len(rest) > 0; chunks++ {
		n := min(len(rest), idempotencyChunk)
		av := idempotencyKey(c, bodyKey(c.Try, chunks))
		av["answer_body"] = &types.AttributeValueMemberB{Value: rest[:n]}
		av["expires_at"] = dynamo.Instant(c.Expires())
		if _, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: av}); err != nil {
			return 0, dynamo.Wrap("keep idempotent answer", err)
		}
		rest = rest[n:]
	}
	return chunks, nil
}

// Note is one conditional write. The text must fit an item when it is compressed.
func (s *Store) Note(ctx context.Context, c idempotency.Claim, name, note string) (string, error) {
	packed := compress.Gzip([]byte(note))
	av := idempotencyKey(c, "note#"+name)
	av["note"], av["expires_at"] = &types.AttributeValueMemberB{Value: packed}, dynamo.Instant(c.Expires())
	_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.Table, Item: av,
		// What an earlier request left under the key may outlive it until TTL sweeps.
		ConditionExpression:                 aws.String("attribute_not_exists(pk) OR expires_at < :claimed"),
		ExpressionAttributeValues:           dynamo.Item{":claimed": dynamo.Number(c.At.Unix())},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	failed, there := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !there {
		return note, dynamo.Wrap("note what a request does", err)
	}
	old, _ := failed.Item["note"].(*types.AttributeValueMemberB)
	if old == nil {
		return "", errors.New("idempotency note: it is damaged")
	}
	plain, err := compress.Gunzip(old.Value)
	if err != nil {
		return "", fmt.Errorf("idempotency note: %w", err)
	}
	return string(plain), nil
}
