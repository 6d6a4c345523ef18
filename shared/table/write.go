package table

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// The limits of writing (D29, D49).
const (
	MaxRowBytes = 350 << 10
	MaxBulk     = 1000
)

const (
	// idSpacing keeps the ids of rows created together as far apart as if they
	// came one by one, so that no leaf of the counters gets large. maxAhead is how
	// far into the future ids may get by it.
	idSpacing = 250 * time.Microsecond
	maxAhead  = time.Second
	// parallel is how many rows of one bulk request are written at a time.
	parallel = 8
	// maxPatch is how many fields an update changes unread: a store's expression
	// has at most 4 KB, of which a field takes 80 bytes.
	maxPatch = 40
)

// Author is the user who writes, and the origin of the write.
type Author struct {
	UserID int64
	Origin Origin
	// ByFunction allows created_by, created_at and updated_at in drafts (F15: functions may write them).
	ByFunction bool
}

// Outcome is the result for one row of a bulk request.
type Outcome struct {
	Row Row // the current row; a deleted row as it was before
	Err error
}

// Insert creates rows from decoded JSON objects: the columns' values and,
// where the defaults of the table do not fit, _read_perm and _write_perm.
// Outcome i belongs to drafts[i]; its error is an errs.Invalid naming the
// field, or says why the row could not be written. At most MaxBulk drafts.
func (s *Service) Insert(
	ctx context.Context, scope tenant.Scope, t Table, drafts []map[string]any, author Author,
) []Outcome {
	outcomes := make([]Outcome, len(drafts))
	if len(drafts) > MaxBulk {
		return fail(outcomes, errs.Invalid("at most %d rows can be created in one request", MaxBulk))
	}

	var changes []Change
	var places []int
	ids, next := s.source(ctx)
	// Ids of hex digits have ten random ones, so they are new, unless a write token makes every try draw the same ids.
	fresh := !t.IntegerIDs() && writetoken.FromContext(ctx) == nil
	for i, draft := range drafts {
		row, said, err := t.newRow(draft, author.ByFunction)
		if err == nil {
			err = s.checkCreation(said)
		}
		if err != nil {
			outcomes[i].Err = err
			continue
		}
		n := next() // drawn even if unused, so that a repetition draws the same ids for the other rows
		if said.createdAt != nil {
			n = numberAtSecond(ids, *said.createdAt)
		}
		row.ID = t.newRowID(ids, n)
		row.begin(author)
		said.write(&row)
		if t.IntegerIDs() && row.CreatedBy == 0 { // users who sign up create their own profile
			row.CreatedBy = int64(row.ID.Number())
		}
		row.Perm = row.Perm.ofCreator(row.CreatedBy)
		outcomes[i].Row = row
		changes, places = append(changes, Change{New: &outcomes[i].Row, Fresh: fresh}), append(places, i)
	}

	for i, err := range s.Rows.Write(ctx, scope, t, changes) {
		if errs.Is(err, errs.KindDuplicate) && !t.IntegerIDs() && !fresh {
			err = nil // the first try of this request created the row
		}
		outcomes[places[i]].Err = err
	}
	return outcomes
}

// begin fills in what every new row has beside its id and its content.
func (r *Row) begin(author Author) {
	r.UpdatedAt, r.CreatedBy, r.Origin, r.Revision = r.CreatedAt(), author.UserID, author.Origin, 1
}

// CheckDraft returns the error of a draft that Insert would refuse.
func (t Table) CheckDraft(draft map[string]any, byFunction bool) error {
	_, _, err := t.newRow(draft, byFunction)
	return err
}

// NewRow returns the row that Insert would create, for a caller that writes it in a transaction of its own.
func (s *Service) NewRow(ctx context.Context, t Table, draft map[string]any, author Author) (Row, error) {
	row, _, err := t.newRow(draft, false)
	if err != nil {
		return row, err
	}
	ids, next := s.source(ctx)
	row.ID = t.newRowID(ids, next())
	row.begin(author)
	row.Perm = row.Perm.ofCreator(row.CreatedBy)
	return row, nil
}

func fail(outcomes []Outcome, err error) []Outcome {
	for i := range outcomes {
		outcomes[i].Err = err
	}
	return outcomes
}

// newRow converts a draft, and for functions also the author and times that the draft gives.
func (t Table) newRow(draft map[string]any, byFunction bool) (row Row, said authorship, err error) {
	var refused value.Refused
	perm := RowPerm{Read: slices.Clone(t.DefaultRowPerm.Read), Write: slices.Clone(t.DefaultRowPerm.Write)}
	fields := make(map[string]any, len(draft))
	for _, name := range slices.Sorted(maps.Keys(draft)) {
		list, v := perm.of(name), draft[name]
		switch {
		case list != nil:
			converted, err := permColumn(name).Convert(v)
			refused.Add(name, permColumn(name).Needs(), err)
			if converted != nil {
				*list = texts(converted)
				// Never skipped: without it the row would get the table's default permissions, which may be wider.
				refused.Add(name, "", checkEntries(name, *list))
			}
		case byFunction && said.of(name) != nil:
			refused.Add(name, "needs an integer", said.set(name, v))
		default:
			fields[name] = v
		}
	}

	fields, err = t.Schema().Row(fields)
	if others, ok := errors.AsType[*value.Refused](err); ok {
		refused.Fields = append(refused.Fields, others.Fields...)
	}
	if err := refused.Err(); err != nil {
		return Row{}, said, err
	}

	row = Row{Fields: fields, Perm: perm}
	return row, said, row.checkSize()
}

// of returns the list with that JSON name, nil for any other name.
func (p *RowPerm) of(name string) *[]string {
	switch name {
	case "_read_perm":
		return &p.Read
	case "_write_perm":
		return &p.Write
	}
	return nil
}

func permColumn(name string) value.Column {
	return value.Column{Name: name, Type: value.Array, Items: value.String}
}

func texts(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, item := range list {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// Writable returns the columns an update of a row may name: the table's own,
// and the permissions.
func (t Table) Writable() value.Schema {
	return append(t.Schema(), permColumn("_read_perm"), permColumn("_write_perm"))
}

// Read returns one row, errs.NotFound when there is none.
func (s *Service) Read(ctx context.Context, scope tenant.Scope, t Table, id RowID) (Row, error) {
	rows, err := s.Rows.ReadRows(ctx, scope, t, []RowID{id})
	if err != nil {
		return Row{}, err
	}
	row, ok := rows[id]
	if !ok {
		return Row{}, t.errNoRow(t.Wire(id))
	}
	return row, nil
}

// Update changes one row and returns it as it is then. The operations are
// those of update.Parse over Writable. It is atomic: of concurrent updates
// each has its whole effect (D28). errs.NotFound, or errs.Invalid when a value
// would leave its range or the row its size.
func (s *Service) Update(
	ctx context.Context, scope tenant.Scope, t Table, id RowID, operations update.Operations, origin Origin,
) (Row, error) {
	token := tokenOf(ctx, t, id)
	if t.Patchable(operations) {
		patch := Patch{Operations: operations, UpdatedAt: s.now(), Origin: origin, Token: token}
		row, err := s.Rows.Patch(ctx, scope, t, id, patch)
		if !errors.Is(err, ErrMustRead) {
			return row, err
		}
	}
	return s.change(ctx, scope, t, id, token, func(old Row) (Change, error) {
		return s.updated(old, t, operations, origin, token)
	})
}

// updated returns the change that applies operations to a row and leaves the token.
func (s *Service) updated(
	old Row, t Table, operations update.Operations, origin Origin, token string,
) (Change, error) {
	next, err := t.Applied(old, operations, s.now())
	next.Origin = origin
	c := Change{Old: &old, New: &next}
	if !s.LeaveToken(&next, token) {
		c.Token = token
	}
	return c, err
}

// Delete removes one row and returns what it was, errs.NotFound when there is
// none.
func (s *Service) Delete(ctx context.Context, scope tenant.Scope, t Table, id RowID, origin Origin) (Row, error) {
	return s.change(ctx, scope, t, id, "", func(old Row) (Change, error) {
		return Change{Old: &old, Origin: origin}, nil
	})
}

// Patchable reports whether a store can make the change without reading the
// row: no column of it has an index, no operation depends on the items of an
// array or reaches into an object, and they are not too many for one expression.
func (t Table) Patchable(operations update.Operations) bool {
	return len(operations) <= maxPatch && !slices.ContainsFunc(operations, func(o update.Operation) bool {
		c, own := t.Column(o.Column.Name)
		if !own || c.Index != nil || len(o.Path) > 0 {
			return true
		}
		return o.Kind != update.Set && o.Kind != update.Unset && o.Kind != update.IncrBy && o.Kind != update.Append
	})
}

// Applied returns the row after the operations, with the next revision. UpdatedAt is now (Unix seconds) unless the
// operations set it.
func (t Table) Applied(old Row, operations update.Operations, now int64) (Row, error) {
	next := old
	next.Revision++
	// An update takes back a deletion that stopped halfway: the row is still there.
	next.Deleting, next.UpdatedAt = false, now
	said, operations, err := t.splitAuthorship(old.ID, operations)
	if err != nil {
		return Row{}, err
	}
	said.write(&next)

	if err := CheckPermissions(operations); err != nil {
		return Row{}, err
	}

	var own update.Operations
	for _, o := range operations {
		list := next.Perm.of(o.Column.Name)
		if list == nil {
			own = append(own, o)
			continue
		}

		v, err := o.Apply(anys(*list))
		if err != nil {
			return Row{}, err
		}

		*list = withCreator(texts(v), next.CreatedBy)
		if len(*list) > maxPermissions {
			return Row{}, errs.Invalid("%s has more than %d entries", o.Column.Name, maxPermissions)
		}
	}

	fields, err := own.Apply(old.Fields)
	if err != nil {
		return Row{}, err
	}

	next.Fields = fields

	return next, next.checkSize()
}

// change reads the row and writes the change that plan makes of it, again after a concurrent write. It writes nothing
// when the row has the token: an earlier try of the request made the change.
func (s *Service) change(
	ctx context.Context, scope tenant.Scope, t Table, id RowID, token string, plan func(old Row) (Change, error),
) (row Row, err error) {
	var stale *Stale

	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		// The refusal holds the current row. Using it saves a read, during which yet another write could come in.
		if stale != nil {
			row = stale.Row
		} else if row, err = s.Read(ctx, scope, t, id); err != nil {
			return err
		}
		if row.HasToken(token) {
			return nil
		}

		c, err := plan(row)
		if err != nil {
			return err
		}
		if c.New != nil {
			row = *c.New
		}
		err = s.Rows.Write(ctx, scope, t, []Change{c})[0]
		stale, _ = errors.AsType[*Stale](err)
		return err
	})
	switch {
	case errors.Is(err, ErrDone):
		return s.Read(ctx, scope, t, id)
	case err != nil:
		return Row{}, err
	}
	return row, nil
}

// checkSize refuses a row over MaxRowBytes.
func (r Row) checkSize() error {
	if Size(r.Fields)+Size(anys(r.Perm.Read))+Size(anys(r.Perm.Write)) > MaxRowBytes {
		return ErrTooLarge
	}
	return nil
}

// numberBytes is the stored size of the longest number: half of the 17 digits of a
// float, its exponent and its sign.
const numberBytes = 11

// Size returns an upper bound of a value's bytes in the store.
func Size(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case int64, float64:
		return numberBytes
	case []any:
		sum := 3
		for _, item := range v {
			sum += 1 + Size(item)
		}
		return sum
	case map[string]any:
		sum := 3
		for name, item := range v {
			sum += 1 + len(name) + Size(item)
		}
		return sum
	}
	return 9
}
