package jobdb

import (
	"context"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/compress"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/tenant"
)

func callbackKey(scope tenant.Scope, fn id.ID) string {
	return scope.String() + "#callback#" + fn.Key()
}

// callbackItem is the stored form of a callback.
type callbackItem struct {
	URL      string `dynamodbav:"url"`
	Status   string `dynamodbav:"status"`
	Attempts int    `dynamodbav:"attempts"`
	Next     int64  `dynamodbav:"next"` // Unix seconds
	Code     int    `dynamodbav:"code,omitempty"`
	Error    string `dynamodbav:"error,omitempty"`
	Result   []byte `dynamodbav:"result,omitempty"` // JSON, compressed
	Omitted  bool   `dynamodbav:"omitted,omitempty"`
	Expires  int64  `dynamodbav:"expires_at"`
}

func (s *Store) encodeCallback(scope tenant.Scope, c callback.Callback) dynamo.Item {
	it := callbackItem{
		URL: c.URL, Status: string(c.Status), Attempts: c.Attempts, Next: c.Next.Unix(), Code: c.StatusCode,
		Error: clip.Bytes(c.Error, maxMessage), Omitted: c.Omitted, Expires: c.Next.Add(callback.Keep).Unix(),
	}
	if len(c.Result) > 0 {
		it.Result = compress.Gzip(c.Result)
	}
	return dynamo.Encode(callbackKey(scope, c.Function), c.Job.Key(), it)
}

func callbackDue(scope tenant.Scope, c callback.Callback) job.Due {
	return job.Due{Scope: scope, Function: c.Function, Job: c.Job, RunAt: c.Next, Callback: true}
}

// putCallback returns the writes of a job's callback for the transaction that ends the job; none if the job has no
// callback URL.
func (s *Store) putCallback(ctx context.Context, scope tenant.Scope, r job.Record) ([]dynamo.Part, error) {
	if r.Callback == "" {
		return nil, nil
	}
	c := callback.Callback{
		Function: r.Function, Job: r.ID, URL: r.Callback, Status: callback.Pending,
		Next: r.FinishedAt.Add(callback.First).Truncate(time.Second), Result: r.Result,
	}
	// An item holds at most 400 KB, so the callback leaves out a larger result.
	if len(compress.Gzip(r.Result)) > job.MaxKeptResult {
		c.Result, c.Omitted = nil, true
	}
	due, err := s.putDue(ctx, callbackDue(scope, c))
	return []dynamo.Part{dynamo.Put(s.Table, s.encodeCallback(scope, c), "", nil), due}, err
}

// Callback makes one GetItem.
func (s *Store) Callback(ctx context.Context, scope tenant.Scope, fn, jobID id.ID) (callback.Callback, error) {
	it, err := dynamo.Get[callbackItem](ctx, s.Client, s.Table, callbackKey(scope, fn), jobID.Key(), noJob())
	if err != nil {
		return callback.Callback{}, err
	}
	c := callback.Callback{
		Function: fn, Job: jobID, URL: it.URL, Status: callback.Status(it.Status), Attempts: it.Attempts,
		Next: time.Unix(it.Next, 0).UTC(), StatusCode: it.Code, Error: it.Error, Omitted: it.Omitted,
	}
	if len(it.Result) > 0 {
		c.Result, err = compress.Gunzip(it.Result)
	}
	return c, err
}

// PutCallback runs one transaction of the callback and its entry in the due list.
func (s *Store) PutCallback(ctx context.Context, scope tenant.Scope, old, next callback.Callback) error {
	parts := []dynamo.Part{
		dynamo.Put(s.Table, s.encodeCallback(scope, next), "attempts = :attempts", dynamo.Item{
			":attempts": dynamo.Number(int64(old.Attempts)),
		}),
	}
	// The key of the entry contains the time of the next attempt, so a new time needs a new entry.
	was, is := dueKey(callbackDue(scope, old)), dueKey(callbackDue(scope, next))
	if next.Status == callback.Pending {
		due, err := s.putDue(ctx, callbackDue(scope, next))
		if err != nil {
			return err
		}
		parts = append(parts, due)
	}
	if next.Status != callback.Pending || was != is {
		// After the number of shards was raised the entry may be in another one: the tick that reads it there asks for
		// an attempt that is not due, and drops it.
		due, err := s.dueList().Key(ctx, was)
		if err != nil {
			return err
		}
		parts = append(parts, dynamo.Delete(s.Table, dynamo.TextOf(due["pk"]), was, "", nil))
	}
	err := dynamo.Transact(ctx, s.Client, parts...)
	if dynamo.ConditionFailedAt(err, 0) {
		return errs.Conflict("another attempt at this callback was recorded")
	}
	return dynamo.Wrap("write callback", err)
}

// callbackKeyItem is the stored form of the key that signs callbacks.
type callbackKeyItem struct {
	Sealed []byte          `dynamodbav:"sealed"`
	Before []byte          `dynamodbav:"before,omitempty"`
	MadeAt time.Time       `dynamodbav:"made_at"`
	Tokens writetoken.List `dynamodbav:"tokens,omitempty"`
}

// CallbackKey makes one GetItem.
func (s *Store) CallbackKey(ctx context.Context, scope tenant.Scope) (callback.Key, error) {
	it, err := dynamo.Get[callbackKeyItem](ctx, s.Client, s.Table, scope.String()+"#callback", "key", noJob())
	return callback.Key(it), err
}

// PutCallbackKey runs one transaction of one put.
func (s *Store) PutCallbackKey(ctx context.Context, scope tenant.Scope, next callback.Key, was time.Time) error {
	it := dynamo.Encode(scope.String()+"#callback", "key", callbackKeyItem(next))
	return dynamo.DoTransact(ctx, s.Client, "write key of callbacks", errs.Conflict("another request has made a key"),
		dynamo.PutUnchanged(s.Table, it, "made_at", was))
}
