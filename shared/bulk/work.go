package bulk

import (
	"context"
	"slices"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value/update"
	"minicloud/shared/permission"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/chain"
)

// The maximum size of a step, chosen to fit one transaction (100 items, 4 MB).
const (
	stepItems = 90
	stepRows  = 45
	stepBytes = 2 << 20
)

// ahead is how far the id of an existing row may be ahead of the operation's id: ids of rows created together are
// spread over a second, and the clocks of machines differ.
const ahead = time.Second

// A worker uses a schema for schemaAge and then reads it again: a new index is complete only if no write uses an
// older schema for longer than table.Grace. No write starts after schemaLimit.
const (
	schemaAge   = 20 * time.Second
	schemaLimit = table.Grace - 10*time.Second
)

// work is the state of a worker on one operation.
type work struct {
	*Service
	scope      tenant.Scope
	table      table.Table
	where      query.Predicate
	operations update.Operations
	operation  Operation
	opened     time.Time
	store      Steps
	run        string    // run id if the operation's state is a mark, "" = it is in the store
	until      time.Time // deadline of Follow
	last       bool      // the next step finishes the operation
	steps      int       // number of steps made
	// client is the end user of the operation; nil = an administrator or a function.
	client *permission.Subject
}

// Work continues an operation until the deadline and then submits it again. Repeated and concurrent calls are safe:
// only one of them makes progress. It returns errs.NotFound if the operation does not exist (yet).
func (s *Service) Work(ctx context.Context, scope tenant.Scope, id id.ID, until time.Time) error {
	o, err := s.Store.Operation(ctx, scope, id)
	if err != nil {
		return err
	}

	w := &work{Service: s, scope: scope, operation: o, store: s.Store}
	for err == nil && !w.operation.Status.Over() {
		if !s.Clock.Now().Before(until) {
			return s.submit(ctx, scope, o, w.operation, 0)
		}
		if o.Table == 0 {
			err = w.other(ctx)
		} else {
			err = w.walkBySchema(ctx)
		}
	}

	switch {
	// A message may arrive before its operation is stored, as in the deletion of a group.
	case errs.Is(err, errs.KindNotFound):
		return s.later(ctx, scope, o)
	case errs.Is(err, errs.KindInvalid):
		return w.fail(ctx, err)
	}

	return err
}

// other runs one step of an operation that does not change rows.
func (w *work) other(ctx context.Context) error {
	done, err := w.Others.Step(ctx, w.scope, w.operation, w.Clock.Now())
	if err != nil {
		return err
	}

	next := w.next()
	next.Succeeded, next.Failed = next.Succeeded+done.Succeeded, next.Failed+len(done.Errors)
	next.Errors = slices.Concat(next.Errors, done.Errors[:min(MaxErrors-len(next.Errors), len(done.Errors))])
	if done.Cursor != "" {
		next.Cursor = done.Cursor
	}
	if done.Last {
		next.Status, next.FinishedAt = StatusSuccess, w.now()
	}
	if _, err := w.Store.Advance(ctx, w.scope, table.Table{}, nil, w.operation, next); err != nil {
		return err
	}
	w.operation = next
	return nil
}

// later submits an operation again after another worker has advanced it, or this worker in a write whose response was
// lost. The delay gives the other worker time to continue.
func (s *Service) later(ctx context.Context, scope tenant.Scope, begun Operation) error {
	now, err := s.Store.Operation(ctx, scope, begun.ID)
	if err != nil || now.Status.Over() {
		return err
	}
	return s.submit(ctx, scope, begun, now, lookAgain)
}

// submit submits the rest of an operation. A step since its message came, also one of another worker, is progress.
func (s *Service) submit(ctx context.Context, scope tenant.Scope, begun, now Operation, delay time.Duration) error {
	if now.Revision > begun.Revision {
		chain.Progressed(ctx)
	}
	return s.Queue.Submit(ctx, scope, now.ID, delay)
}

const lookAgain = 30 * time.Second

// walkBySchema reads the current schema and continues the operation with it.
func (w *work) walkBySchema(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, schemaLimit)
	defer cancel()
	if err := w.open(ctx); err != nil {
		return err
	}
	return w.walk(ctx)
}

// open reads the table and parses the operation. It returns errs.Invalid if a schema change or deletion has made the
// operation impossible.
func (w *work) open(ctx context.Context) error {
	var err error
	w.opened = w.Clock.Now()
	w.table, err = w.Tables.Table(ctx, w.scope, w.operation.Table)
	if errs.Is(err, errs.KindNotFound) {
		return errs.Invalid("%s", errs.Message(err))
	}
	if err != nil {
		return err
	}
	if err := w.identify(ctx); err != nil {
		return err
	}
	if w.where, err = w.Grammar(w.table).Where(w.operation.Where); err != nil {
		return err
	}
	if w.where, err = w.table.Narrowed(w.client, w.where, nil); err != nil {
		return err
	}
	// A deletion has no body to parse.
	if w.operation.Delete {
		return nil
	}
	w.operations, err = update.Parse(w.operation.Body, w.table.WritableByFunction(), nil)
	return err
}

// identify reads the end user of the operation (C25). It returns errs.Invalid if the user may no longer do anything.
func (w *work) identify(ctx context.Context) error {
	if w.operation.User == 0 {
		return nil
	}
	client, err := w.Subjects.Subject(ctx, w.scope, w.operation.User)
	if errs.Is(err, errs.KindNotFound) {
		return errs.Invalid("the user who started the operation was deleted, closed or blocked")
	}
	w.client = &client
	return err
}

// fail ends the operation with StatusFailed.
func (w *work) fail(ctx context.Context, why error) error {
	next := w.next()
	next.Status, next.Reason, next.FinishedAt = StatusFailed, errs.Message(why), w.now()
	_, err := w.store.Advance(ctx, w.scope, w.table, nil, w.operation, next)
	if errs.Is(err, errs.KindNotFound) {
		return nil
	}
	return err
}

func (w *work) next() Operation {
	next := w.operation
	next.Status, next.UpdatedAt, next.Revision = StatusExecuting, w.now(), next.Revision+1
	return next
}

// walk reads as many rows as one read returns and changes those that match. It returns early if the schema is too
// old.
func (w *work) walk(ctx context.Context) error {
	from := w.operation.Cursor
	if from != "" {
		from += "0" // the smallest key after the cursor
	}

	to := w.table.FirstRowID(id.First(w.operation.ID.Time().Add(ahead)))
	step, err := w.Tables.Rows.ScanRows(ctx, w.scope, w.table, table.RowScan{From: from, To: to})
	if err != nil {
		return err
	}
	// The user may have left a group since the last batch.
	if err := w.identify(ctx); err != nil {
		return err
	}

	for _, rows := range w.parts(step.Rows) {
		if w.Clock.Now().Sub(w.opened) > schemaAge {
			return nil
		}
		if err := w.step(ctx, rows); err != nil {
			return err
		}
	}

	next := w.next()
	if next.Cursor = step.Last; step.Last == "" {
		next.Cursor, next.Status, next.FinishedAt = w.operation.Cursor, StatusSuccess, w.now()
	}
	if _, err := w.store.Advance(ctx, w.scope, w.table, nil, w.operation, next); err != nil {
		return err
	}

	w.operation = next

	return nil
}

// parts splits the matching rows into steps that fit one transaction each.
func (w *work) parts(rows []table.Row) [][]table.Row {
	most := w.most()
	var parts [][]table.Row
	var part []table.Row
	size, items := 0, 0
	for _, row := range rows {
		if !w.matches(row) {
			continue
		}

		bytes := table.Size(row.Fields) + len(w.operation.Body)
		own := w.itemsPerRow() + w.readerItems(row)
		if len(part) == most || len(part) > 0 && (size+bytes > stepBytes || items+own > stepItems) {
			parts, part, size, items = append(parts, part), nil, 0, 0
		}

		part, size, items = append(part, row), size+bytes, items+own
	}

	if len(part) > 0 {
		parts = append(parts, part)
	}

	return parts
}

// most returns the maximum number of rows of a step: one if the operation changes values that must be unique, because two
// rows of a transaction cannot touch the same claim.
func (w *work) most() int {
	for _, x := range w.table.FieldIndexes {
		for _, o := range w.operations {
			if x.Claims() && slices.Contains(x.Fields, o.Column.Name) {
				return 1
			}
		}
	}
	return max(1, min(stepRows, stepItems/w.itemsPerRow()))
}

// itemsPerRow returns the maximum number of items that one row uses in a transaction.
func (w *work) itemsPerRow() int {
	items := 1
	if w.operation.Delete {
		items += len(w.table.Indexes())
		if w.table.HasIndex(table.ReadersIndex) { // each row has its own number of entries, see readerItems
			items--
		}
	}
	for _, o := range w.operations {
		if c, ok := w.table.Column(o.Column.Name); ok && c.Index != nil {
			items += 2 // a moved index entry: one delete, one put
		}
	}
	return items
}

// readerItems returns the maximum number of entries in the index of readers that a change of the row moves.
func (w *work) readerItems(row table.Row) int {
	entries := len(w.table.ReaderEntries(row))
	if w.operation.Delete {
		return entries
	}
	for _, o := range w.operations {
		// The permission may name the creator.
		if _, own := w.table.Column(o.Column.Name); !own && (o.Column.Name == "_read_perm" || o.Column.Name == "created_by") {
			return entries + table.MaxReaders + 1
		}
	}
	return 0
}

// matches reports whether the operation changes the row: of an end user's operation, the user may read and write it.
func (w *work) matches(row table.Row) bool {
	return w.table.Readable(w.client, row) && w.table.PermitWrite(w.client, row) == nil &&
		w.where.Match(w.table.Record(row))
}

// step changes rows and moves the cursor past them.
func (w *work) step(ctx context.Context, rows []table.Row) error {
	if w.run != "" {
		return w.Runs.step(ctx, w, rows)
	}
	return w.alone(ctx, rows)
}

// alone makes a step without merging it with others.
func (w *work) alone(ctx context.Context, rows []table.Row) error {
	j := &joint{parts: []*part{newPart(w, rows)}, rows: rows}
	if err := j.commit(ctx, w.policy()); err != nil {
		return err
	}
	return j.parts[0].err
}

// policy returns the retry policy for steps that conflict with other writes.
func (w *work) policy() retry.Policy {
	switch {
	case w.run == "":
		return retry.Writes
	case w.Patient && w.Clock.Now().Before(w.until):
		return patient
	}
	return soon
}

// plan returns the changes of a step and the state of the operation after it; last is the last row of the step.
func (w *work) plan(rows []table.Row, last table.RowID, impossible map[table.RowID]error) ([]table.Change, Operation) {
	next := w.next()
	next.Cursor, next.Errors = max(next.Cursor, last), slices.Clone(w.operation.Errors)
	if w.last {
		next.Status, next.FinishedAt = StatusSuccess, w.now()
	}
	var changes []table.Change
	for _, old := range rows {
		change, err := w.change(old)
		if impossible[old.ID] != nil {
			err = impossible[old.ID]
		}

		if err == nil {
			changes = append(changes, change)
			next.Succeeded++
			continue
		}

		next.Failed++
		// Failed counts every row, but the item has room for the first messages only.
		if len(next.Errors) < MaxErrors {
			next.Errors = append(next.Errors, rowError(old.ID, err))
		}
	}

	return changes, next
}

func (w *work) change(old table.Row) (table.Change, error) {
	if w.operation.Delete {
		return table.Change{Old: &old, Origin: w.operation.Origin}, nil
	}
	if err := w.table.PermitUpdate(w.client, old, w.operations); err != nil {
		return table.Change{}, err
	}
	next, err := w.table.Applied(old, w.operations, w.now())
	next.Origin = w.operation.Origin
	return table.Change{Old: &old, New: &next}, err
}
