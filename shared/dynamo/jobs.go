package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Jobs is the job.Store:
//
//	pk = <scope>#line#<function>    sk = <id>               a waiting job, oldest first
//	pk = <scope>#input#<function>   sk = <id>               its input, when too large for the line; for a day
//	pk = <app>#slots#<lane>         sk = <plan>#<nnn>       a slot, only while a job is in it
//	pk = <scope>#job#<function>#<kind><lane>   sk = <id>    an ended job
//	pk = <scope>#lanes#<function>   sk = <lane>#<hour>      how many ended, by minute of creation and kind, until they are folded:
//	pk = <scope>#minutes#<function> sk = <hour>             the same of all lanes
//	pk = <scope>#hours#<function>   sk = <day>              how many ended, by hour and kind
//	pk = <scope>#days#<function>    sk = summary            how many ended, by day and kind, of all days
//	pk = <scope>#log#<function>     sk = <id>#<nn>          a log too large for its record
//	pk = <scope>#descendants#<job>  sk = count              how many functions a root call started, written only when it does
//	pk = <scope>#token#<token>      sk = job                the job of a request with an Idempotency-Key, and its result
//	pk = active                     sk = <scope>#<function> where Reap looks
//	pk = due                        sk = <run_at>#<scope>#<function>#<id>
//	pk = platform                   sk = key                the key for signing
//
// Tallies are spread over lanes, as many as the application runs jobs at once, so
// there is no hot item. Slots and ended jobs are items of their own: their lanes
// only share a partition's 1,000 writes a second, and every lane is one more to
// look into, so there are fewer.
// A kind is status, source and service type, one letter each: an ended job never
// changes, so it lies where every filter finds it (job_tally.go, job_pages.go).
type Jobs struct {
	Client *dynamodb.Client
	Table  string

	key atomic.Pointer[[]byte]
}

var _ job.Store = (*Jobs)(nil)

const (
	inlineInput = 2 << 10   // bytes of JSON the line holds itself
	inlineLog   = 2 << 10   // compressed bytes a record holds itself
	logChunk    = 300 << 10 // bytes of one chunk
	maxMessage  = 8 << 10   // bytes kept of an error's message
	maxStack    = 16 << 10
	tallyLanes  = 16
	jobLanes    = 4 // divides tallyLanes
	day         = 24 * time.Hour
	keepInput   = day // of a large input, after its job may begin
)

// bit stands for the lane of ended jobs that a tally's lane counts.
func bit(tallyLane int) uint16 { return 1 << (tallyLane % jobLanes) }

// jobItem is a job in any place; what a place does not need is left out.
type jobItem struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	ID       int64  `dynamodbav:"id"`
	Function int64  `dynamodbav:"function"`
	Name     string `dynamodbav:"name"`
	Status   string `dynamodbav:"status"`
	Source   string `dynamodbav:"source"`
	Service  string `dynamodbav:"service"`
	Plan     string `dynamodbav:"plan"`
	Started  int64  `dynamodbav:"started,omitempty"`  // Unix milliseconds
	Finished int64  `dynamodbav:"finished,omitempty"` // Unix milliseconds
	Claim    string `dynamodbav:"claim,omitempty"`    // who wrote it, so that a repeated write knows itself

	Scope string `dynamodbav:"scope,omitempty"` // in a slot
	Slot  int    `dynamodbav:"slot,omitempty"`
	Lease int64  `dynamodbav:"lease,omitempty"` // Unix milliseconds

	Ready int64  `dynamodbav:"ready,omitempty"` // in line: Unix milliseconds
	Input []byte `dynamodbav:"input,omitempty"` // JSON
	Apart bool   `dynamodbav:"apart,omitempty"` // the input is in an item of its own

	Mem       int64   `dynamodbav:"mem,omitempty"` // ended
	Execution float64 `dynamodbav:"execution,omitempty"`
	Message   string  `dynamodbav:"message,omitempty"`
	Type      string  `dynamodbav:"type,omitempty"`
	Stack     string  `dynamodbav:"stack,omitempty"`
	Log       []byte  `dynamodbav:"log,omitempty"` // job.Log.Stored
	LogBytes  int     `dynamodbav:"log_bytes,omitempty"`
	LogChunks int     `dynamodbav:"log_chunks,omitempty"`
	Expires   int64   `dynamodbav:"expires_at,omitempty"` // Unix seconds
}

func lineKey(scope tenant.Scope, fn id.ID) string  { return scope.String() + "#line#" + fn.Key() }
func inputKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#input#" + fn.Key() }
func logKey(scope tenant.Scope, fn id.ID) string   { return scope.String() + "#log#" + fn.Key() }
func tallyKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#lanes#" + fn.Key() }

func encodeJob(pk, sk string, r job.Record) jobItem {
	it := jobItem{
		PK: pk, SK: sk, ID: int64(r.ID), Function: int64(r.Function), Name: r.Name, Status: string(r.Status),
		Source: string(r.Source), Service: string(r.Service), Plan: string(r.Plan),
		Started: millis(r.StartedAt), Finished: millis(r.FinishedAt), Mem: r.MemUsage, Execution: r.Execution,
	}
	if r.Error != nil {
		it.Message, it.Type, it.Stack = cut(r.Error.Message, maxMessage), cut(r.Error.Type, maxMessage), cut(r.Error.Stack, maxStack)
	}
	return it
}

func (it jobItem) record() job.Record {
	r := job.Record{
		ID: id.ID(it.ID), Function: id.ID(it.Function), Name: it.Name, Status: job.Status(it.Status),
		Source: job.Source(it.Source), Service: job.ServiceType(it.Service), Plan: sandbox.Plan(it.Plan),
		StartedAt: fromMillis(it.Started), FinishedAt: fromMillis(it.Finished), MemUsage: it.Mem, Execution: it.Execution,
		Log: job.Log{Stored: it.Log, Bytes: it.LogBytes},
	}
	if it.Type != "" {
		r.Error = &sandbox.Error{Message: it.Message, Type: it.Type, Stack: it.Stack}
	}
	return r
}

func (s *Jobs) get(ctx context.Context, pk, sk string) (item, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.Table, Key: itemKey(pk, sk), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, wrap("read job", err)
	}
	if len(out.Item) == 0 {
		return nil, errs.NotFound("this job does not exist")
	}
	return out.Item, nil
}

// claim puts an item where nothing is, or where this same write put it before.
func (s *Jobs) claim(it jobItem) (types.TransactWriteItem, error) {
	av, err := attributevalue.MarshalMap(it)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("encode job: %w", err)
	}
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &s.Table, Item: av,
		ConditionExpression:       aws.String("attribute_not_exists(pk) OR claim = :claim"),
		ExpressionAttributeValues: item{":claim": text(it.Claim)},
	}}, nil
}

func (s *Jobs) remove(pk, sk string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: &s.Table, Key: itemKey(pk, sk)}}
}

// write is one call: a PutItem where that is all, at half the price of a transaction.
func (s *Jobs) write(ctx context.Context, writes []types.TransactWriteItem) error {
	if put := writes[0].Put; len(writes) == 1 && put != nil {
		_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: put.TableName, Item: put.Item,
			ConditionExpression: put.ConditionExpression, ExpressionAttributeValues: put.ExpressionAttributeValues,
		})
		return err
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	return err
}

// failedAt reports whether the condition of part i did not hold.
func failedAt(err error, i int) bool {
	if _, single := errors.AsType[*types.ConditionalCheckFailedException](err); single {
		return i == 0
	}
	return conditionFailedAt(err, i)
}

func decodeJob(av item) (jobItem, error) {
	var it jobItem
	if err := attributevalue.UnmarshalMap(av, &it); err != nil {
		return it, fmt.Errorf("decode job: %w", err)
	}
	return it, nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// cut shortens text to at most n bytes of whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
