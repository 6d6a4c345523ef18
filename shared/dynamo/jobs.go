package dynamo

import (
	"context"
	"crypto/rand"
	"encoding/json"
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
//	pk = <app>#slot#<plan>#<nnn>    sk = <plan>#<nnn>       a slot, only while a job is in it
//	pk = <scope>#job#<function>#<kind><lane>   sk = <id>    an ended job
//	pk = <scope>#tally#<function>   sk = <day>#<lane>       how many ended, by hour of creation and kind
//	pk = <scope>#log#<function>     sk = <id>#<nn>          a log too large for its record
//	pk = active                     sk = <scope>#<function> where Reap looks
//	pk = due                        sk = <run_at>#<scope>#<function>#<id>
//	pk = platform                   sk = key                the key for signing
//
// Each slot has a partition of its own, so there is no hot item; ended jobs and
// tallies are spread over lanes, as many as the application runs jobs at once.
// A kind is status, source and service type, one letter each: an ended job never
// changes, so it lies where every filter finds it (see history.go).
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
	lanes       = 16
	day         = 24 * time.Hour
	keepInput   = day // of a large input, after its job may begin
)

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
	Log       []byte  `dynamodbav:"log,omitempty"` // gzip
	LogBytes  int     `dynamodbav:"log_bytes,omitempty"`
	LogChunks int     `dynamodbav:"log_chunks,omitempty"`
	Expires   int64   `dynamodbav:"expires_at,omitempty"` // Unix seconds
}

func lineKey(scope tenant.Scope, fn id.ID) string  { return scope.String() + "#line#" + fn.Key() }
func inputKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#input#" + fn.Key() }
func logKey(scope tenant.Scope, fn id.ID) string   { return scope.String() + "#log#" + fn.Key() }
func tallyKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#tally#" + fn.Key() }

func slotKey(s job.Slot) (pk, sk string) {
	sk = fmt.Sprintf("%s#%03d", s.Plan, s.Number)
	return fmt.Sprintf("%d#slot#%s", s.App, sk), sk
}

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
		Log: job.Log{Gzip: it.Log, Bytes: it.LogBytes},
	}
	if it.Type != "" {
		r.Error = &sandbox.Error{Message: it.Message, Type: it.Type, Stack: it.Stack}
	}
	return r
}

// Accept is one write: the line alone, or a transaction with what else is needed.
func (s *Jobs) Accept(ctx context.Context, scope tenant.Scope, w job.Waiting, delayed bool, announce time.Time) error {
	writes, err := s.line(scope, w)
	if err != nil {
		return err
	}
	if delayed {
		due := itemKey("due", dueKey(job.Due{Scope: scope, Function: w.Function, Job: w.ID, RunAt: w.Ready}))
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: due}})
	}
	err = s.write(ctx, append(writes, s.announce(scope, w.Function, announce)...))
	if failedAt(err, 0) {
		return errs.Conflict("job id %d is taken", w.ID)
	}
	return wrap("accept job", err)
}

// line puts a job in the line: the item there, and one for a large input.
func (s *Jobs) line(scope tenant.Scope, w job.Waiting) ([]types.TransactWriteItem, error) {
	input, err := json.Marshal(w.Input)
	if err != nil {
		return nil, fmt.Errorf("encode input: %w", err)
	}
	it := encodeJob(lineKey(scope, w.Function), w.ID.Key(), w.Record)
	it.Ready, it.Claim, it.Apart = millis(w.Ready), id.Hex(8), len(input) > inlineInput
	if !it.Apart {
		it.Input = input
	}
	put, err := s.claim(it)
	if err != nil || !it.Apart {
		return []types.TransactWriteItem{put}, err
	}
	av := itemKey(inputKey(scope, w.Function), w.ID.Key())
	av["input"] = &types.AttributeValueMemberB{Value: input}
	// Deleting it would cost as much as writing it; TTL is free.
	av["expires_at"] = instant(w.Ready.Add(keepInput))
	return []types.TransactWriteItem{put, {Put: &types.Put{TableName: &s.Table, Item: av}}}, nil
}

// PutBack is one transaction.
func (s *Jobs) PutBack(ctx context.Context, r job.Running, w job.Waiting) error {
	line, err := s.line(r.Scope, w)
	if err != nil {
		return err
	}
	err = s.write(ctx, append([]types.TransactWriteItem{s.release(r.Scope, r.Record, r.ID, r.Slot)}, line...))
	if failedAt(err, 0) {
		return errs.NotFound("job %d is not in slot %d", r.ID, r.Slot)
	}
	return wrap("put job back", err)
}

// release frees a slot, if the job is in it that began then under that id.
func (s *Jobs) release(scope tenant.Scope, r job.Record, begun id.ID, slot int) types.TransactWriteItem {
	pk, sk := slotKey(job.Slot{App: scope.App, Plan: r.Plan, Number: slot})
	held := s.remove(pk, sk)
	held.Delete.ConditionExpression = aws.String("id = :id AND #scope = :scope AND started = :started")
	held.Delete.ExpressionAttributeNames = map[string]string{"#scope": "scope"}
	held.Delete.ExpressionAttributeValues = item{":id": number(int64(begun)), ":scope": text(scope.String()), ":started": number(millis(r.StartedAt))}
	return held
}

// Waiting is one GetItem, and one for an input apart.
func (s *Jobs) Waiting(ctx context.Context, scope tenant.Scope, fn, jobID id.ID) (job.Waiting, error) {
	av, err := s.get(ctx, lineKey(scope, fn), jobID.Key())
	if err != nil {
		return job.Waiting{}, err
	}
	it, err := decodeJob(av)
	if err != nil {
		return job.Waiting{}, err
	}
	if it.Apart {
		apart, err := s.get(ctx, inputKey(scope, fn), jobID.Key())
		if err != nil {
			return job.Waiting{}, err
		}
		if input, ok := apart["input"].(*types.AttributeValueMemberB); ok {
			it.Input = input.Value
		}
	}
	return it.waiting()
}

func (it jobItem) waiting() (job.Waiting, error) {
	w := job.Waiting{Record: it.record(), Ready: fromMillis(it.Ready)}
	if len(it.Input) > 0 {
		if err := json.Unmarshal(it.Input, &w.Input); err != nil {
			return w, fmt.Errorf("decode input: %w", err)
		}
	}
	return w, nil
}

// Line is one Query per MB.
func (s *Jobs) Line(ctx context.Context, scope tenant.Scope, fn id.ID, limit int) ([]job.Waiting, error) {
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item{":pk": text(lineKey(scope, fn))},
	}
	var line []job.Waiting
	for {
		query.Limit = aws.Int32(int32(limit - len(line)))
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return nil, wrap("read line", err)
		}
		for _, av := range out.Items {
			it, err := decodeJob(av)
			if err != nil {
				return nil, err
			}
			line = append(line, job.Waiting{Record: it.record(), Ready: fromMillis(it.Ready)})
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil || len(line) == limit {
			return line, nil
		}
	}
}

// Begin is one PutItem for a new job; a transaction from the line, or when the
// function is announced.
func (s *Jobs) Begin(ctx context.Context, r job.Running, from job.Place, announce time.Time) error {
	pk, sk := slotKey(r.In())
	it := encodeJob(pk, sk, r.Record)
	it.Scope, it.Slot, it.Lease, it.Claim = r.Scope.String(), r.Slot, millis(r.Lease), id.Hex(8)
	slot, err := s.claim(it)
	if err != nil {
		return err
	}
	writes := []types.TransactWriteItem{slot}
	if from == job.InLine {
		writes = append(writes, s.leave(lineKey(r.Scope, r.Function), r.ID))
	}
	err = s.write(ctx, append(writes, s.announce(r.Scope, r.Function, announce)...))
	switch {
	case failedAt(err, 0):
		return errs.Conflict("slot %d is taken", r.Slot)
	case from == job.InLine && failedAt(err, 1):
		return s.began(ctx, it)
	}
	return wrap("begin job", err)
}

// began tells a write that was answered late, and repeated, from one that came
// too late: only the first finds its own claim in the slot.
func (s *Jobs) began(ctx context.Context, it jobItem) error {
	av, err := s.get(ctx, it.PK, it.SK)
	if err == nil && stringOf(av["claim"]) == it.Claim {
		return nil
	}
	return errs.NotFound("job %d is not waiting", it.ID)
}

// Slots is one BatchGetItem per plan.
func (s *Jobs) Slots(ctx context.Context, app tenant.AppID) ([]job.Running, error) {
	var running []job.Running
	for _, plan := range []sandbox.Plan{sandbox.PlanFree, sandbox.PlanPersonal} {
		var keys []item
		for n := range job.Slots(plan) {
			keys = append(keys, itemKey(slotKey(job.Slot{App: app, Plan: plan, Number: n})))
		}
		found, err := batchGet(ctx, s.Client, s.Table, keys...)
		if err != nil {
			return nil, wrap("read slots", err)
		}
		for _, av := range found {
			it, err := decodeJob(av)
			if err != nil {
				return nil, err
			}
			scope, err := tenant.Parse(it.Scope)
			if err != nil {
				return nil, err
			}
			running = append(running, job.Running{Record: it.record(), Scope: scope, Slot: it.Slot, Lease: fromMillis(it.Lease)})
		}
	}
	return running, nil
}

// End is one transaction: the place it leaves, history, tally, and a large log.
func (s *Jobs) End(ctx context.Context, scope tenant.Scope, r job.Record, from job.Place, slot int) error {
	begun := r.ID
	for {
		writes, err := s.ending(scope, r, begun, from, slot)
		if err != nil {
			return err
		}
		err = s.write(ctx, writes)
		switch {
		case from != job.Nowhere && failedAt(err, 1):
			return errs.NotFound("job %d has ended already", r.ID)
		case failedAt(err, 0):
			// Two processes drew one id in the same millisecond: the later record moves.
			r.ID++
		default:
			return wrap("end job", err)
		}
	}
}

// ending is the transaction that ends a job begun under that id.
func (s *Jobs) ending(scope tenant.Scope, r job.Record, begun id.ID, from job.Place, slot int) ([]types.TransactWriteItem, error) {
	lane := int(begun % lanes)
	if from == job.InSlot {
		lane = slot % lanes
	}
	it := encodeJob(historyKey(scope, r.Function, kindOf(r), lane), r.ID.Key(), r)
	it.Expires, it.LogBytes = recordExpiry(r.CreatedAt()).Unix(), r.Log.Bytes
	var logs []types.TransactWriteItem
	if len(r.Log.Gzip) <= inlineLog {
		it.Log = r.Log.Gzip
	} else {
		logs = s.putLog(scope, r)
		it.LogChunks = len(logs)
	}
	av, err := attributevalue.MarshalMap(it)
	if err != nil {
		return nil, fmt.Errorf("encode job: %w", err)
	}
	writes := []types.TransactWriteItem{{Put: &types.Put{TableName: &s.Table, Item: av, ConditionExpression: aws.String("attribute_not_exists(pk)")}}}
	switch from {
	case job.InSlot:
		writes = append(writes, s.release(scope, r, begun, slot))
	case job.InLine:
		writes = append(writes, s.leave(lineKey(scope, r.Function), begun))
	}
	return append(append(writes, s.tally(scope, r, lane)), logs...), nil
}

func (s *Jobs) putLog(scope tenant.Scope, r job.Record) []types.TransactWriteItem {
	var writes []types.TransactWriteItem
	for n := 0; n*logChunk < len(r.Log.Gzip); n++ {
		it := itemKey(logKey(scope, r.Function), fmt.Sprintf("%s#%02d", r.ID.Key(), n))
		it["part"] = &types.AttributeValueMemberB{Value: r.Log.Gzip[n*logChunk : min((n+1)*logChunk, len(r.Log.Gzip))]}
		it["expires_at"] = instant(r.CreatedAt().Add(job.KeepLog))
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: it}})
	}
	return writes
}

// Key is one GetItem per process, and on the very first use one PutItem.
func (s *Jobs) Key(ctx context.Context) ([]byte, error) {
	if key := s.key.Load(); key != nil {
		return *key, nil
	}
	key, err := s.readKey(ctx)
	if err == nil {
		s.key.Store(&key)
	}
	return key, err
}

func (s *Jobs) readKey(ctx context.Context) ([]byte, error) {
	for range 2 {
		av, err := s.get(ctx, "platform", "key")
		if err == nil {
			if key, ok := av["key"].(*types.AttributeValueMemberB); ok && len(key.Value) == 32 {
				return key.Value, nil
			}
			return nil, errors.New("the key for signing is damaged")
		}
		if !errs.Is(err, errs.KindNotFound) {
			return nil, err
		}
		fresh := make([]byte, 32)
		rand.Read(fresh)
		it := itemKey("platform", "key")
		it["key"] = &types.AttributeValueMemberB{Value: fresh}
		_, err = s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)")})
		if err != nil && !conditionFailed(err) {
			return nil, wrap("make key", err)
		}
	}
	return nil, errors.New("the key for signing cannot be read")
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

// leave takes a job out of a line where it must be.
func (s *Jobs) leave(line string, jobID id.ID) types.TransactWriteItem {
	w := s.remove(line, jobID.Key())
	w.Delete.ConditionExpression = aws.String("attribute_exists(pk)")
	return w
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
