package user

import (
	"cmp"
	"context"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/query"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/value/update"
)

// MaxAtOnce is how many users a bulk update without a limit may match before it
// goes on in the background (endpoint 18).
const MaxAtOnce = 1000

// Status is how far an operation is.
//
//	waiting ──► executing ──► finished | failed
type Status string

// The statuses, as on the wire. A failed operation could not go on at all; rows
// that could not be changed do not make it fail.
const (
	StatusWaiting   Status = "waiting"
	StatusExecuting Status = "executing"
	StatusFinished  Status = "finished"
	StatusFailed    Status = "failed"
)

// Over reports whether the status is a last one.
func (s Status) Over() bool { return s == StatusFinished || s == StatusFailed }

// maxOperation bounds the values of an operation, which is one item of the store,
// in bytes. No row could hold more.
const maxOperation = table.MaxRowBytes

// MaxErrors is how many of its errors an operation remembers, the first ones.
const MaxErrors = 50

// RowError is why one user was not changed.
type RowError struct {
	User    ID
	Kind    errs.Kind
	Message string
}

// Operation is a bulk update that goes on in the background. It walks the users
// that existed when it was accepted in the order of their ids; Cursor is the
// last one it has dealt with. Each step changes some users and moves the cursor
// in one transaction, so every user is changed at most once, whatever dies.
type Operation struct {
	ID         id.ID
	Status     Status
	Where      string // canonical (query)
	Body       []byte // operations as JSON (update)
	Origin     table.Origin
	Total      int // users that matched when it was accepted, -1 = not counted
	Cursor     table.RowID
	Succeeded  int
	Failed     int
	Errors     []RowError
	Reason     string // why it failed
	UpdatedAt  int64  // Unix seconds
	FinishedAt int64  // Unix seconds, 0 = not over
	Revision   int64  // counts steps
}

// CreatedAt returns when it was accepted, Unix seconds.
func (o Operation) CreatedAt() int64 { return o.ID.Time().Unix() }

// Progress returns which part of its users it has dealt with, 0 to 1.
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

// OperationStore remembers operations for 30 days. Reads see every finished
// write.
type OperationStore interface {
	// InsertOperation adds one.
	InsertOperation(ctx context.Context, scope tenant.Scope, o Operation) error
	// Operation returns one, errs.NotFound when there is none.
	Operation(ctx context.Context, scope tenant.Scope, id id.ID) (Operation, error)
	// Advance makes the changes, which have an Old and a New, and puts next in the
	// place of old, all or nothing. refused has the changes that stand in the way,
	// by index: errs.Conflict where the row is not Old any more, else why it
	// cannot be stored. errs.NotFound: the operation is not old any more.
	// errs.Conflict: another request is changing one of the rows.
	Advance(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next Operation) (refused map[int]error, err error)
}

// Queue has operations worked on.
type Queue interface {
	// Submit has Work called for the operation at least once, not before delay.
	Submit(ctx context.Context, scope tenant.Scope, operation id.ID, delay time.Duration) error
}

// Message is what the queue carries.
type Message struct {
	Scope     string `json:"scope"` // tenant.Scope.String
	Operation id.ID  `json:"operation"`
}

// Bulk is the answer to a bulk update: what was done, or, where Operation is
// set, what will be.
type Bulk struct {
	table.Bulk
	Operation id.ID
}

// BulkUpdate selects users and says how to change their custom fields.
type BulkUpdate struct {
	Query
	Body   []byte // D28
	Origin table.Origin
	// Paged is set when the caller asked for a part of the users, by limit,
	// offset or cursor; then exactly that part is updated now.
	Paged bool
}

// UpdateMatching changes custom fields of many users (endpoint 18): one page of
// them now or, when the caller asks for no page and more than MaxAtOnce match,
// all of them in the background. Errors as Profiles and Update.
func (s *Service) UpdateMatching(ctx context.Context, scope tenant.Scope, b BulkUpdate) (Bulk, error) {
	t, err := s.profiles(ctx, scope)
	if err != nil {
		return Bulk{}, err
	}
	operations, err := customOperations(t, b.Body)
	if err != nil {
		return Bulk{}, err
	}
	find, err := b.compile(t)
	if err != nil {
		return Bulk{}, err
	}
	if !b.Paged {
		count := find
		count.Total, count.Page = true, page.Request{Limit: 1}
		counted, err := s.Tables.Find(ctx, scope, t, count)
		if err != nil {
			return Bulk{}, err
		}
		if counted.Total > cmp.Or(s.atOnce, MaxAtOnce) {
			return s.accept(ctx, scope, find.Where, operations, counted, b.Origin)
		}
	}
	done, err := s.Tables.UpdateMatching(ctx, scope, t, find, operations, b.Origin)
	return Bulk{Bulk: done}, err
}

func (s *Service) accept(ctx context.Context, scope tenant.Scope, where query.Predicate, operations update.Operations, counted table.Result, origin table.Origin) (Bulk, error) {
	o, err := s.newOperation(where, operations, counted.Total, origin)
	if err != nil {
		return Bulk{}, err
	}
	if err := s.Bulk.InsertOperation(ctx, scope, o); err != nil {
		return Bulk{}, err
	}
	if err := s.Queue.Submit(ctx, scope, o.ID, 0); err != nil {
		return Bulk{}, err
	}
	return Bulk{Operation: o.ID, Bulk: table.Bulk{Result: table.Result{Plan: counted.Plan, Scanned: counted.Scanned}}}, nil
}

func (s *Service) newOperation(where query.Predicate, operations update.Operations, total int, origin table.Origin) (Operation, error) {
	size := 0
	for _, o := range operations {
		size += table.Size(o.Value)
	}
	if size > maxOperation {
		return Operation{}, errs.Invalid("an update of more than %d users has at most %d KB of values", MaxAtOnce, maxOperation>>10)
	}
	body, err := operations.JSON()
	if err != nil {
		return Operation{}, err
	}
	text := where.String()
	if len(text) > query.MaxBytes {
		return Operation{}, errs.Invalid("where and the filters together are longer than %d KB", query.MaxBytes>>10)
	}
	return Operation{
		ID: s.IDs.New(s.Clock.Now()), Status: StatusWaiting, Where: text, Body: body,
		Origin: origin, Total: total, UpdatedAt: s.now(),
	}, nil
}

// stalled is how long an operation may show no progress before somebody who
// asks for it has it taken up again.
const stalled = 10 * time.Minute

// Operation returns a bulk operation, errs.NotFound when there is none.
func (s *Service) Operation(ctx context.Context, scope tenant.Scope, id id.ID) (Operation, error) {
	o, err := s.Bulk.Operation(ctx, scope, id)
	if err != nil {
		return Operation{}, err
	}
	if o.Status.Over() || s.now()-o.UpdatedAt <= int64(stalled.Seconds()) {
		return o, nil
	}
	// Noted first, so that of many who ask only one submits it.
	noted := o
	noted.UpdatedAt, noted.Revision = s.now(), o.Revision+1
	switch _, err := s.Bulk.Advance(ctx, scope, table.Table{}, nil, o, noted); {
	case errs.Is(err, errs.KindNotFound):
		return o, nil // it moves after all
	case err != nil:
		return Operation{}, err
	}
	return noted, s.Queue.Submit(ctx, scope, id, 0)
}

// ParseOperationID reads an operation's id from a path; what cannot be one does
// not exist.
func ParseOperationID(text string) (id.ID, error) {
	n, ok := parseNumber(text)
	if !ok {
		return 0, errs.NotFound("bulk operation %q not found", clip(text))
	}
	return id.ID(n), nil
}
