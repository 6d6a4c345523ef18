// Package bulk changes many rows with one request: a page of them, all of them, or
// all of them in the background.
//
//	Page    one page of the matching rows, now
//	All     all matching rows: now if they are few, else in the background
//	Start   all matching rows, in the background
//	Work    continues an operation in the background (work.go)
//	Follow  all matching rows, found by indexes, for callers that keep the operation's state (follow.go)
//
// Users are rows too; package user decides which of their columns a caller may
// change.
package bulk

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// MaxAtOnce is how many rows All changes before it answers. D50 lets more rows be
// changed in the background.
const MaxAtOnce = 1000

// Status is how far an operation is.
//
//	waiting ──► executing ──► success | failed
type Status string

// The statuses, as on the wire. A failed operation could not go on at all; rows
// that could not be changed do not make it fail.
const (
	StatusWaiting   Status = "waiting"
	StatusExecuting Status = "executing"
	StatusSuccess   Status = "success"
	StatusFailed    Status = "failed"
)

// Over reports whether the status is a last one.
func (s Status) Over() bool { return s == StatusSuccess || s == StatusFailed }

// maxOperation bounds the values of an operation, which is one item of the store,
// in bytes. No row could hold more.
const maxOperation = table.MaxRowBytes

// MaxErrors is how many of its errors an operation remembers, the first ones.
const MaxErrors = 50

// RowError is the error of one row that was not changed.
type RowError struct {
	Row     table.RowID
	Kind    errs.Kind
	Message string
}

// Stepper makes the steps of operations without a Table, which are not about rows.
type Stepper interface {
	// Step does the next part of an operation. It is repeated after a lost answer, so it must be idempotent.
	Step(ctx context.Context, scope tenant.Scope, o Operation, now time.Time) (Step, error)
}

// Step is the outcome of one step.
type Step struct {
	Cursor    table.RowID // where the next one begins, "" = where this one did
	Succeeded int
	Errors    []RowError // of what failed, in its order
	Last      bool       // nothing is left
}

// Add counts the outcome for one item.
func (s *Step) Add(name table.RowID, err error) {
	if err == nil {
		s.Succeeded++
		return
	}
	s.Errors = append(s.Errors, RowError{Row: name, Kind: errs.KindOf(err), Message: errs.Message(err)})
}

// Operation is a bulk update or deletion that goes on in the background. It walks
// the rows that existed when it was accepted in the order of their ids; Cursor is
// the last one it has dealt with. Each step changes some rows and moves the cursor
// in one transaction, so every row is changed at most once, whatever dies.
type Operation struct {
	ID         id.ID
	Table      table.ID // 0 = it is not about rows
	Status     Status
	Where      string // canonical (query)
	Delete     bool
	Body       []byte // of an update: operations as JSON (update)
	Origin     table.Origin
	Total      int // rows that matched when it was accepted, -1 = not counted
	Cursor     table.RowID
	Succeeded  int
	Failed     int
	Errors     []RowError
	Reason     string // why it failed
	UpdatedAt  int64  // Unix seconds
	FinishedAt int64  // Unix seconds, 0 = not over
	Revision   int64  // counts steps
	Token      string // the write token of the request that made it, "" without an Idempotency-Key
}

// CreatedAt returns when it was accepted, Unix seconds.
func (o Operation) CreatedAt() int64 { return o.ID.Time().Unix() }

// Progress returns which part of its rows it has dealt with, 0 to 1.
func (o Operation) Progress() float64 {
	done := o.Succeeded + o.Failed
	switch {
	case o.Status.Over():
		return 1
	case o.Total <= 0:
		return 0
	}
	return min(float64(done)/float64(o.Total), 1)
}

// Store remembers operations for 30 days. Reads see every finished
// write.
type Store interface {
	// InsertOperation adds an operation. It does nothing when an operation with this
	// id and Token exists.
	InsertOperation(ctx context.Context, scope tenant.Scope, o Operation) error
	// Operation returns one, errs.NotFound when there is none.
	Operation(ctx context.Context, scope tenant.Scope, id id.ID) (Operation, error)
	Steps
}

// Steps makes the steps of operations.
type Steps interface {
	// Advance makes the changes and replaces old by next, all or nothing. refused has
	// the changes that prevented it, by index: errs.Conflict when the row is not Old
	// any more, else why it cannot be stored. errs.NotFound, as a *Moved with the
	// current state: the operation is not old any more. errs.Conflict: another
	// request is changing one of the rows.
	Advance(
		ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next Operation,
	) (refused map[int]error, err error)
}

// Queue has operations worked on.
type Queue interface {
	// Submit has Work called for the operation at least once, not before delay.
	Submit(ctx context.Context, scope tenant.Scope, operation id.ID, delay time.Duration) error
}

// Message is the body of a queue message.
type Message struct {
	Scope     string `json:"scope"` // tenant.Scope.String
	Operation id.ID  `json:"operation"`
}

// Service changes many rows.
type Service struct {
	Tables *manage.Service
	Store  Store
	Queue  Queue // of operations that go on in the background
	// Others does operations that are not about rows; Work needs it.
	Others Stepper
	// Grammar is what a condition on a table's rows may name; Work needs it.
	Grammar func(table.Table) query.Grammar
	Clock   clock.Clock
	IDs     *id.Source
	// Marks and Runs are where Follow, which alone needs them, makes its steps.
	Marks Marks
	Runs  *Runs
	// Patient has Follow try a step that meets other programs for about a second instead of some milliseconds.
	Patient bool
	// AtOnce replaces MaxAtOnce in tests.
	AtOnce int
}

// Change is the update, or the deletion, that an operation applies to each row.
type Change struct {
	Delete     bool
	Operations update.Operations // of an update
	Origin     table.Origin
}

// Done is the answer to a bulk write: what was done, or, where Operation is set,
// what will be.
type Done struct {
	table.Bulk
	Operation id.ID
}

// Page changes one page of the rows that match.
func (s *Service) Page(ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, c Change) (Done, error) {
	var done table.Bulk
	var err error
	if c.Delete {
		done, err = s.Tables.DeleteMatching(ctx, scope, t, q, c.Origin)
	} else {
		done, err = s.Tables.UpdateMatching(ctx, scope, t, q, c.Operations, c.Origin)
	}
	return Done{Bulk: done}, err
}

// All changes all rows that match, whatever the page of the query: at once when
// they are at most MaxAtOnce, else in the background, where no trigger fires (D50).
func (s *Service) All(ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, c Change) (Done, error) {
	most := cmp.Or(s.AtOnce, MaxAtOnce)
	q.Page = page.Request{Limit: most}
	q.Complete = true
	done, err := s.Page(ctx, scope, t, q, c)
	if !errors.Is(err, table.ErrIncomplete) {
		return done, err
	}

	// The offset is the limit itself: if there is a row behind it, the total counts it, even when counters lag.
	counted, err := s.count(ctx, scope, t, q, most)
	if err != nil {
		return Done{}, err
	}
	// The first try's decision is recorded: when a repetition counts, other rows may match.
	few, err := writetoken.Noted(ctx, "few", 0 <= counted.Total && counted.Total <= most)
	if err != nil {
		return Done{}, err
	}
	if few { // the rows are few, but too large for one page
		q.Complete = false
		return s.pages(ctx, scope, t, q, c)
	}
	c.Origin.Quiet = true
	return s.accept(ctx, scope, t, q.Where, c, counted)
}

// pages changes page after page, as many rows at a time as one read may hold. It
// does not keep them: the answer needs their ids only.
func (s *Service) pages(
	ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, c Change,
) (Done, error) {
	var all Done
	for n := 0; ; n++ {
		// Each page is a step of its own: else the tokens of the first page would mark the others as done.
		done, err := s.Page(writetoken.Step(ctx, strconv.Itoa(n)), scope, t, q, c)
		if err != nil {
			return Done{}, err
		}
		for i := range done.Objects {
			done.Objects[i].Fields, done.Outcomes[i].Row.Fields = nil, nil
		}
		if n == 0 {
			all.Plan, all.Total = done.Plan, done.Total
		}
		all.Scanned += done.Scanned
		all.Objects, all.Outcomes = append(all.Objects, done.Objects...), append(all.Outcomes, done.Outcomes...)

		if done.Next == "" {
			return all, nil
		}
		q.Page.After, q.Page.Offset = done.Next, len(all.Objects)
	}
}

// Start has all rows that match changed in the background.
func (s *Service) Start(
	ctx context.Context, scope tenant.Scope, t table.Table, where query.Predicate, c Change,
) (Done, error) {
	counted, err := s.count(ctx, scope, t, table.Query{Where: where}, 0)
	if err != nil {
		return Done{}, err
	}
	return s.accept(ctx, scope, t, where, c, counted)
}

// count returns how many rows match, a total of -1 when counting exceeds the budget
// of a request: an operation needs no index.
func (s *Service) count(
	ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, offset int,
) (table.Result, error) {
	q.Total, q.Page, q.Complete = true, page.Request{Offset: offset, Limit: 1}, false
	counted, err := s.Tables.Find(ctx, scope, t, q)
	if errs.Is(err, errs.KindInvalid) {
		counted.Total = -1
		return counted, nil
	}
	return counted, err
}

func (s *Service) accept(
	ctx context.Context, scope tenant.Scope, t table.Table, where query.Predicate, c Change, counted table.Result,
) (Done, error) {
	o, err := s.NewOperation(t, where, c, counted.Total)
	if err != nil {
		return Done{}, err
	}
	// A repeated request names the same operation, and submits it again where the message was lost.
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	o.ID, o.Token = ids.New(now), writetoken.Of(ctx, "operation")
	if err := s.Store.InsertOperation(ctx, scope, o); err != nil {
		return Done{}, err
	}
	if err := s.Queue.Submit(ctx, scope, o.ID, 0); err != nil {
		return Done{}, err
	}
	result := table.Result{Plan: counted.Plan, Scanned: counted.Scanned}
	return Done{Operation: o.ID, Bulk: table.Bulk{Result: result}}, nil
}

// NewOperation returns an operation that is not yet stored or submitted; total is
// how many rows match, -1 = not counted.
func (s *Service) NewOperation(t table.Table, where query.Predicate, c Change, total int) (Operation, error) {
	size := 0
	for _, o := range c.Operations {
		size += table.Size(o.Value)
	}

	// The operation is stored as one item, and an item holds at most 400 KB.
	if size > maxOperation {
		return Operation{}, errs.Invalid("an update in the background has at most %d KB of values", maxOperation>>10)
	}

	body, err := c.Operations.JSON()
	if err != nil {
		return Operation{}, err
	}

	text := where.String()
	if len(text) > query.MaxBytes {
		return Operation{}, errs.Invalid("where and the filters together are longer than %d KB", query.MaxBytes>>10)
	}

	return Operation{
		ID: s.IDs.New(s.Clock.Now()), Table: t.ID, Status: StatusWaiting, Where: text, Delete: c.Delete, Body: body,
		Origin: c.Origin, Total: total, UpdatedAt: s.now(),
	}, nil
}

// stalled is how long an operation may make no progress before a read of it submits
// it again.
const stalled = 10 * time.Minute

// Operation returns a bulk operation, errs.NotFound when there is none.
func (s *Service) Operation(ctx context.Context, scope tenant.Scope, id id.ID) (Operation, error) {
	o, err := s.Store.Operation(ctx, scope, id)
	if err != nil {
		return Operation{}, err
	}
	if o.Status.Over() || s.now()-o.UpdatedAt <= int64(stalled.Seconds()) {
		return o, nil
	}

	// The new UpdatedAt is written first, so that only one of concurrent readers submits the operation.
	taken := o
	taken.UpdatedAt, taken.Revision = s.now(), o.Revision+1
	switch _, err := s.Store.Advance(ctx, scope, table.Table{}, nil, o, taken); {
	case errs.Is(err, errs.KindNotFound):
		return o, nil // it moves after all
	case err != nil:
		return Operation{}, err
	}

	return taken, s.Queue.Submit(ctx, scope, id, 0)
}

// ParseID reads an operation's id from a path; what cannot be one does not exist.
func ParseID(text string) (id.ID, error) {
	n, ok := id.Parse[id.ID](text)
	if !ok {
		return 0, errs.NotFound("bulk operation %q not found", clip.Text(text, clip.Name))
	}
	return n, nil
}

// now returns the time in Unix seconds.
func (s *Service) now() int64 { return s.Clock.Now().Unix() }
