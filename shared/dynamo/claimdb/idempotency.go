// Package claimdb implements idempotency.Store on DynamoDB: it stores the claims, answers and notes of requests with an
// Idempotency-Key.
package claimdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"minicloud/shared/compress"
	"minicloud/shared/dynamo"
	"minicloud/shared/idempotency"
)

// Store implements idempotency.Store:
//
//	pk = <scope>#<key hash>   sk = claim            request_digest, seed, claimed_at, answered, answer_*
//	                          sk = body#<try>#<n>   the rest of a body too large for the claim
//	                          sk = note#<name>      a note of what the request is about to do
type Store struct {
	Client *dynamo.Client
	Table  string
}

// bodyChunk is the maximum number of bytes of a compressed body per item.
const bodyChunk = 350_000

type claimItem struct {
	Request string            `dynamodbav:"request_digest,omitempty"`
	Seed    string            `dynamodbav:"seed,omitempty"`
	At      int64             `dynamodbav:"claimed_at,omitempty"` // Unix milliseconds
	Done    string            `dynamodbav:"answered,omitempty"`   // the try that answered
	Status  int               `dynamodbav:"answer_status,omitempty"`
	Header  map[string]string `dynamodbav:"answer_header,omitempty"`
	Body    []byte            `dynamodbav:"answer_body,omitempty"`
	Chunks  int               `dynamodbav:"answer_chunks,omitempty"`
	Expires int64             `dynamodbav:"expires_at"` // Unix seconds, swept by TTL
}

const claimSK = "claim"

func claimPK(c idempotency.Claim) string { return c.Scope.String() + "#" + c.KeyHash }

func bodySK(try string, n int) string { return fmt.Sprintf("body#%s#%03d", try, n) }

// putFresh writes an item unless an unexpired one exists. It compares the expiry with the time at, because TTL deletes
// late. It returns the existing item, nil if it wrote its own.
func (s *Store) putFresh(ctx context.Context, it dynamo.Item, at time.Time) (there dynamo.Item, err error) {
	err = dynamo.Write(ctx, s.Client, dynamo.Put(
		s.Table, it, dynamo.NotExists+" OR expires_at < :at", dynamo.Item{":at": dynamo.Instant(at)},
	))
	if dynamo.ConditionFailed(err) {
		return dynamo.ItemAt(err, 0), nil
	}
	return nil, dynamo.Wrap("write under an idempotency key", err)
}

// Claim makes one conditional write. For a key that is claimed already it reads only the chunks of a large answer.
func (s *Store) Claim(ctx context.Context, c idempotency.Claim, now time.Time) (*idempotency.Held, error) {
	there, err := s.putFresh(ctx, dynamo.Encode(claimPK(c), claimSK, claimItem{
		Request: c.Request, Seed: c.Seed, At: c.At.UnixMilli(), Expires: c.Expires().Unix(),
	}), now)
	if err != nil || there == nil {
		return nil, err
	}
	return s.held(ctx, c, there)
}

func (s *Store) held(ctx context.Context, c idempotency.Claim, av dynamo.Item) (*idempotency.Held, error) {
	it, err := dynamo.Decode[claimItem](av)
	if err != nil {
		return nil, err
	}
	held := &idempotency.Held{Request: it.Request, Seed: it.Seed, At: time.UnixMilli(it.At).UTC()}
	if it.Done == "" {
		return held, nil
	}

	packed := it.Body
	// An item holds at most 400 KB, so a large answer is stored in chunks beside its claim.
	for n := range it.Chunks {
		chunk, err := dynamo.GetItem(ctx, s.Client, s.Table, claimPK(c), bodySK(it.Done, n))
		if err != nil {
			return nil, err
		}
		packed = append(packed, dynamo.BytesOf(chunk["answer_body"])...)
	}
	body, err := compress.Gunzip(packed)
	if err != nil {
		return nil, fmt.Errorf("idempotent answer: %w", err)
	}
	held.Answer = &idempotency.Answer{Status: it.Status, Header: it.Header, Body: body}
	return held, nil
}

// Answer writes the chunks first and the claim last, so that an answered claim is always complete. Each try has chunks
// of its own.
func (s *Store) Answer(
	ctx context.Context, c idempotency.Claim, answer idempotency.Answer,
) (*idempotency.Answer, error) {
	packed := compress.Gzip(answer.Body)
	first := packed[:min(len(packed), bodyChunk)]
	chunks, err := s.putChunks(ctx, c, packed[len(first):])
	if err != nil {
		return nil, err
	}
	header, err := attributevalue.Marshal(answer.Header)
	if err != nil {
		return nil, fmt.Errorf("idempotent answer: %w", err)
	}

	// answered = :try: an earlier attempt of the SDK succeeded, but its answer was lost.
	const ours = "seed = :seed AND (attribute_not_exists(answered) OR answered = :try)"
	err = dynamo.Write(ctx, s.Client, dynamo.Update(s.Table, claimPK(c), claimSK,
		"SET answered = :try, answer_status = :status, answer_header = :header, "+
			"answer_body = :body, answer_chunks = :chunks", ours,
		dynamo.Item{
			":try": dynamo.Text(c.Try), ":seed": dynamo.Text(c.Seed),
			":status": dynamo.Number(int64(answer.Status)), ":header": header,
			":body": dynamo.Binary(first), ":chunks": dynamo.Number(int64(chunks)),
		}))
	if !dynamo.ConditionFailed(err) {
		return nil, dynamo.Wrap("keep idempotent answer", err)
	}

	held, err := s.held(ctx, c, dynamo.ItemAt(err, 0))
	if err != nil {
		return nil, err
	}
	if held.Seed != c.Seed { // the claim expired after a day, and another request has the key now
		return nil, errors.New("keep idempotent answer: the claim is gone")
	}
	return held.Answer, nil
}

func (s *Store) putChunks(ctx context.Context, c idempotency.Claim, rest []byte) (chunks int, err error) {
	for chunk := range slices.Chunk(rest, bodyChunk) {
		it := dynamo.Encode(claimPK(c), bodySK(c.Try, chunks), claimItem{Body: chunk, Expires: c.Expires().Unix()})
		if err := dynamo.Do(ctx, s.Client, "keep idempotent answer", nil, dynamo.Put(s.Table, it, "", nil)); err != nil {
			return 0, err
		}
		chunks++
	}
	return chunks, nil
}

// Note makes one conditional write. The compressed text must fit one item.
func (s *Store) Note(ctx context.Context, c idempotency.Claim, name, note string) (string, error) {
	it := dynamo.Key(claimPK(c), "note#"+name)
	it["note"], it["expires_at"] = dynamo.Binary(compress.Gzip([]byte(note))), dynamo.Instant(c.Expires())

	// The item of an earlier request with this key may not be deleted yet.
	there, err := s.putFresh(ctx, it, c.At)
	if err != nil || there == nil {
		return note, err
	}
	plain, err := compress.Gunzip(dynamo.BytesOf(there["note"]))
	if err != nil {
		return "", fmt.Errorf("idempotency note %q: %w", name, err)
	}
	return string(plain), nil
}
