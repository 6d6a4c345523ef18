// Package bulk updates or deletes many rows with one request: one page of the matching rows, all of them within the
// request, or all of them in the background.
//
//	Page    one page of the matching rows, within the request
//	All     all matching rows: within the request if there are few, otherwise in the background
//	Start   all matching rows, in the background
//	Work    continues a background operation (work.go)
//	Follow  all matching rows, found by indexes, for callers that store the operation's state (follow.go)
//
// Users are rows too; package user decides which of their columns a caller may change.
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
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// MaxAtOnce is the maximum number of rows that All changes within the request. More rows are changed in the
// background (D50).
const MaxAtOnce = 1000

// Status is the status of an operation.
type Status string

// The statuses, as on the wire. An operation fails if it cannot continue at all; a row that cannot be changed does
// not fail it.
const (
	StatusWaiting   Status = "waiting"
	StatusExecuting Status = "executing"
	StatusSuccess   Status = "success"
	StatusFailed    Status = "failed"
)

// Over reports whether the status is final.
func (s Status) Over() bool { return s == StatusSuccess || s == StatusFailed }

// maxOperation is the maximum size of an operation's values in bytes. An operation is one stored item, and no row can
// hold larger values.
const maxOperation = table.MaxRowBytes

// MaxErrors is the maximum number of row errors that an operation stores; later ones are only counted.
const MaxErrors = 50

// RowError is the error of one row that was not changed.
type RowError struct {
	Row     table.RowID
	Kind    errs.Kind
	Message string
	// NotUnique reports that another row has the values in a unique index (table.NotUnique).
	NotUnique bool
}

func rowError(row table.RowID, err error) RowError {
	_, twice := errors.AsType[*table.NotUnique](err)
	return RowError{Row: row, Kind: errs.KindOf(err), Message: errs.Message(err), NotUnique: twice}
}

// Stepper runs the steps of operations without a Table, which do not change rows, such as the replay of triggers.
type Stepper interface {
	// Step runs the next step of an operation. It must be idempotent: it is repeated if its response is lost.
	Step(ctx context.Context, scope tenant.Scope, o Operation, now time.Time) (Step, error)
}

// Step is the outcome of one step.
type Step struct {
	Cursor    table.RowID // where the next step starts; "" = unchanged
	Succeeded int
	Errors    []RowError // of failed items, in their order
	Last      bool       // the operation is complete
}

// Add counts the result of one item.
func (s *Step) Add(name table.RowID, err error) {
	if err == nil {
		s.Succeeded++
		return
	}
	s.Errors = append(s.Errors, rowError(name, err))
}

// Operation is a bulk update or deletion in the background. It walks the rows that existed when it was accepted in id
// order; Cursor is the last processed row. Each step changes rows and moves the cursor in one transaction, so every
// row is changed at most once, even if a worker dies.
type Operation struct {
	ID         id.ID
	Table      table.ID // 0 = does not change rows
	Status     Status
	Where      string // canonical form of package query
	Delete     bool
	Body       []byte // operations of an update as JSON (package update)
	Origin     table.Origin
	Total      int // number of matching rows when accepted, -1 = not counted
	Cursor     table.RowID
	Succeeded  int
	Failed     int
	Errors     []RowError
	Reason     string // why the operation failed
	UpdatedAt  int64  // Unix seconds
	FinishedAt int64  // Unix seconds, 0 = unfinished
	Revision   int64  // number of steps
	Token      string // write token of the request that created it, "" without an Idempotency-Key
	// User is the end user who started the operation and whose permissions limit it (C25); 0 = an administrator or a
	// function.
	User int64
}

// CreatedAt returns when the operation was accepted, in Unix seconds.
func (o Operation) CreatedAt() int64 { return o.ID.Time().Unix() }

// Matched returns the number of matching rows: those that were counted before, or more if more were found. The counters
// lag behind new rows, and a total that a request cannot count is -1.
func (o Operation) Matched() int { return max(o.Total, o.Succeeded+o.Failed) }

// Progress returns the processed share of the rows, 0 to 1.
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

// Store stores operations for 30 days. Reads are strongly consistent.
type Store interface {
	// InsertOperation stores a new operation. It does nothing if an operation with the same id and Token exists.
	InsertOperation(ctx context.Context, scope tenant.Scope, o Operation) error
	// Operation returns an operation, or errs.NotFound.
	Operation(ctx context.Context, scope tenant.Scope, id id.ID) (Operation, error)
	Steps
}

// Steps writes the steps of operations.
type Steps interface {
	// Advance writes the changes and replaces old by next in one transaction. refused maps the index of a change to
	// the reason why nothing was written: errs.Conflict if the row differs from Old, otherwise why the row cannot be
	// stored. If the operation differs from old, the error is an errs.NotFound in the form of a *Moved with the
	// current state. The error is errs.Conflict if another request is changing one of the rows.
	Advance(
		ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next Operation,
	) (refused map[int]error, err error)
}

// Queue submits operations to workers.
type Queue interface {
	// Submit causes at least one call of Work for the operation after delay.
	Submit(ctx context.Context, scope tenant.Scope, operation id.ID, delay time.Duration) error
}

// Subjects reads end users as permissions see them.
type Subjects interface {
	// Subject returns the user with its present groups. It returns errs.NotFound for a user that was deleted, closed or
	// blocked.
	Subject(ctx context.Context, scope tenant.Scope, user int64) (permission.Subject, error)
}

// Message is the body of a queue message.
type Message struct {
	Scope     string `json:"scope"` // tenant.Scope.String
	Operation id.ID  `json:"operation"`
}

// Service runs bulk operations.
type Service struct {
	Tables *manage.Service
	Store  Store
	Queue  Queue // of background operations
	// Others runs operations that do not change rows; only Work uses it.
	Others Stepper
	// Grammar returns the names allowed in a condition on a table's rows; only Work uses it.
	Grammar func(table.Table) query.Grammar
	// Subjects reads the end users of operations; only Work uses it.
	Subjects Subjects
	Clock    clock.Clock
	IDs      *id.Source
	// Marks and Runs write the steps of Follow; only Follow uses them.
	Marks Marks
	Runs  *Runs
	// Patient makes Follow retry a conflicting step for about a second instead of some milliseconds.
	Patient bool
	// AtOnce replaces MaxAtOnce in tests.
	AtOnce int
}

// Change is the update or deletion that an operation applies to each row.
type Change struct {
	Delete     bool
	Operations update.Operations // of an update
	Origin     table.Origin
}

// Done is the response to a bulk write: the changed rows, or the id of the background operation that will change
// them.
type Done struct {
	table.Bulk
	Operation id.ID
}

// Page changes one page of the matching rows.
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

// All changes all matching rows and ignores the page of the query. Up to MaxAtOnce rows are changed within the
// request; more are changed in the background, where no trigger fires (D50).
func (s *Service) All(ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, c Change) (Done, error) {
	most := cmp.Or(s.AtOnce, MaxAtOnce)
	q.Page = page.Request{Limit: most}
	q.Complete = true
	done, err := s.Page(ctx, scope, t, q, c)
	if !errors.Is(err, table.ErrIncomplete) {
		return done, err
	}

	// The count uses the limit as its offset: a row behind the limit is then counted even if the counters lag.
	counted, err := s.count(ctx, scope, t, q, most)
	if err != nil {
		return Done{}, err
	}
	// The decision of the first try is stored: when a retry counts, a different number of rows may match.
	few, err := writetoken.Noted(ctx, "few", 0 <= counted.Total && counted.Total <= most)
	if err != nil {
		return Done{}, err
	}
	if few { // few rows, but too large for one page
		q.Complete = false
		return s.pages(ctx, scope, t, q, c)
	}
	c.Origin.Quiet = true
	return s.accept(ctx, scope, t, q, c, counted)
}

// pages changes one page after another, each as large as one read allows. It drops the field values: the response
// needs only the ids.
func (s *Service) pages(ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, c Change) (Done, error) {
	var all Done
	for n := 0; ; n++ {
		// Each page is its own step: otherwise the write tokens of the first page would mark the others as done.
		done, err := s.Page(writetoken.Step(ctx, strconv.Itoa(n)), scope, t, q, c)
		if err != nil {
			return Done{}, err
		}
		for i := range done.Objects {
			done.Objects[i].Fields = nil
		}
		for i := range done.Outcomes {
			done.Outcomes[i].Row.Fields = nil
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

// Start changes all matching rows in the background.
func (s *Service) Start(
	ctx context.Context, scope tenant.Scope, t table.Table, where query.Predicate, c Change,
) (Done, error) {
	counted, err := s.count(ctx, scope, t, table.Query{Where: where}, 0)
	if err != nil {
		return Done{}, err
	}
	return s.accept(ctx, scope, t, table.Query{Where: where}, c, counted)
}

// count returns the number of matching rows. The total is -1 if counting exceeds the budget of a request, because a
// background operation needs no index.
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
	ctx context.Context, scope tenant.Scope, t table.Table, q table.Query, c Change, counted table.Result,
) (Done, error) {
	o, err := s.NewOperation(t, q.Where, c, counted.Total)
	if err != nil {
		return Done{}, err
	}
	if client := q.Client(); client != nil {
		o.User = client.User
	}
	// A retried request finds the same operation and submits it again, in case the message was lost.
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

// NewOperation returns an operation that is neither stored nor submitted. total is the number of matching rows, -1 =
// not counted.
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

// stalled is how long an operation may make no progress before a read submits it again.
const stalled = 10 * time.Minute

// Operation returns a bulk operation, or errs.NotFound. It submits a stalled operation again.
func (s *Service) Operation(ctx context.Context, scope tenant.Scope, id id.ID) (Operation, error) {
	o, err := s.Store.Operation(ctx, scope, id)
	if err != nil {
		return Operation{}, err
	}
	if o.Status.Over() || s.now()-o.UpdatedAt <= int64(stalled.Seconds()) {
		return o, nil
	}

	// Write the new UpdatedAt first, so that only one of several concurrent readers submits the operation.
	taken := o
	taken.UpdatedAt, taken.Revision = s.now(), o.Revision+1
	switch _, err := s.Store.Advance(ctx, scope, table.Table{}, nil, o, taken); {
	case errs.Is(err, errs.KindNotFound):
		return o, nil // another worker has advanced it
	case err != nil:
		return Operation{}, err
	}

	return taken, s.Queue.Submit(ctx, scope, id, 0)
}

// OperationOf is Operation for the end user who started it; others do not find it.
func (s *Service) OperationOf(ctx context.Context, scope tenant.Scope, id id.ID, user int64) (Operation, error) {
	o, err := s.Operation(ctx, scope, id)
	if err == nil && (o.User != user) {
		return Operation{}, errs.NotFound("bulk operation %d not found", id)
	}
	return o, err
}

// ParseID parses an operation's id from a path. It returns errs.NotFound if the text is not an id.
func ParseID(text string) (id.ID, error) {
	n, ok := id.Parse[id.ID](text)
	if !ok {
		return 0, errs.NotFound("bulk operation %q not found", clip.Text(text, clip.Name))
	}
	return n, nil
}

// now returns the time in Unix seconds.
func (s *Service) now() int64 { return s.Clock.Now().Unix() }
