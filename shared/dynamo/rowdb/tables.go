package rowdb

import (
	"context"
	"encoding/json"
	"fmt"

	"minicloud/shared/cache"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Tables implements table.TableStore:
//
//	pk = <scope>          sk = <table id>   the schema
//	pk = <scope>#name     sk = <name>       guard: the id of the table with this name
//	pk = <scope>#build    sk = <table id>#<index id>   how far the build of an index is
//
// A built-in table is stored once an application has changed it. Built-in ids sort before all others.
type Tables struct {
	Client *dynamo.Client
	Name   string // name of the DynamoDB table
	Rows   string // name of the table of the rows that Prefetch announces; "" = none

	// seen has the id and the epochs of tables by what a path may call them, as they were read last; Prefetch needs them.
	seen cache.Map[namedIn, table.Table]
}

type namedIn struct {
	scope tenant.Scope
	name  string
}

const (
	attrSchema = "table_schema"
	// The number of triggers that listen to changes of the table's rows.
	attrOnCreate, attrOnUpdate, attrOnDelete = "on_create", "on_update", "on_delete"
)

func namesPK(scope tenant.Scope) string { return scope.String() + "#name" }

// fromTable returns the item of a table. The schema is one JSON text: it is read and written as a whole.
func fromTable(scope tenant.Scope, t table.Table) (dynamo.Item, error) {
	schema, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", t.Name, err)
	}
	it := dynamo.Key(scope.String(), id.ID(t.ID).Key())
	it[attrSchema] = dynamo.Text(string(schema))
	it[attrRevision] = dynamo.Number(t.Revision)
	it[attrOnCreate] = dynamo.Number(int64(t.Listeners.Create))
	it[attrOnUpdate] = dynamo.Number(int64(t.Listeners.Update))
	it[attrOnDelete] = dynamo.Number(int64(t.Listeners.Delete))
	return it, nil
}

func toTable(it dynamo.Item) (table.Table, error) {
	var t table.Table
	if err := json.Unmarshal([]byte(dynamo.TextOf(it[attrSchema])), &t); err != nil {
		return t, fmt.Errorf("table item: %w", err)
	}
	// Listen changes these attributes without rewriting the text.
	t.Revision = dynamo.IntegerOf(it[attrRevision])
	t.Listeners = table.Listeners{
		Create: int(dynamo.IntegerOf(it[attrOnCreate])), Update: int(dynamo.IntegerOf(it[attrOnUpdate])),
		Delete: int(dynamo.IntegerOf(it[attrOnDelete])),
	}
	return t, t.Restore()
}

func guard(scope tenant.Scope, t table.Table) dynamo.Item {
	it := dynamo.Key(namesPK(scope), t.Name)
	it["table_id"] = dynamo.Number(int64(t.ID))
	return it
}

// InsertTable runs one transaction of the table and its name's guard.
func (s *Tables) InsertTable(ctx context.Context, scope tenant.Scope, t table.Table) error {
	it, err := fromTable(scope, t)
	if err != nil {
		return err
	}

	err = dynamo.Transact(ctx, s.Client,
		dynamo.Put(s.Name, it, dynamo.NotExists, nil), dynamo.Put(s.Name, guard(scope, t), dynamo.NotExists, nil))
	// If both conditions fail, report the name: the caller can change it.
	switch {
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Duplicate("a table named %q exists", t.Name)
	case dynamo.ConditionFailed(err):
		return errs.Duplicate("table %d exists", t.ID)
	}
	return dynamo.Wrap("insert table", err)
}

// Prefetch makes the authentication read of the request also read this table, so that the next Table or TableByName
// needs no call, and a row of it, unless row is "". Of a name that this process has not read before, it reads the guard
// only. A guess of the row's partition that is wrong gives one call more, never another row.
func (s *Tables) Prefetch(ctx context.Context, scope tenant.Scope, idOrName, row string) context.Context {
	var keys []dynamo.Item
	seen, known := s.seen.Get(namedIn{scope, idOrName})
	tableID, err := table.ParseID(idOrName)
	switch {
	case err == nil:
	case idOrName == table.UserProfilesName:
		tableID = table.UserProfiles
	case table.IsName(idOrName):
		keys = append(keys, dynamo.Key(namesPK(scope), idOrName))
		tableID = seen.ID
	}
	if tableID != 0 {
		keys = append(keys, dynamo.Key(scope.String(), id.ID(tableID).Key()))
	}
	all := map[string][]dynamo.Item{s.Name: keys}
	if rowID, ok := seen.RowIDOf(row); ok && known && s.Rows != "" {
		all[s.Rows] = []dynamo.Item{Key(scope, seen, rowID)}
	}
	return dynamo.WithPrefetch(ctx, all)
}

// Table makes one read, or none if the table was prefetched.
func (s *Tables) Table(ctx context.Context, scope tenant.Scope, tableID table.ID) (table.Table, error) {
	it, err := dynamo.FindPrefetched(ctx, s.Client, s.Name, scope.String(), id.ID(tableID).Key(),
		errs.NotFound("table %d not found", tableID))
	if err != nil {
		return table.Table{}, err
	}
	t, err := toTable(it)
	if err == nil {
		s.seen.Put(namedIn{scope, tableID.String()}, table.Table{ID: t.ID, Epochs: t.Epochs})
	}
	return t, err
}

// TableByName makes two reads, or none if the table was prefetched.
func (s *Tables) TableByName(ctx context.Context, scope tenant.Scope, name string) (table.Table, error) {
	it, err := dynamo.FindPrefetched(ctx, s.Client, s.Name, namesPK(scope), name,
		errs.NotFound("table %q not found", name))
	if err != nil {
		return table.Table{}, err
	}
	t, err := s.Table(ctx, scope, table.ID(dynamo.IntegerOf(it["table_id"])))
	if err == nil {
		s.seen.Put(namedIn{scope, name}, table.Table{ID: t.ID, Epochs: t.Epochs})
	}
	return t, err
}

// Tables makes one Query per MB of schemas.
func (s *Tables) Tables(ctx context.Context, scope tenant.Scope) ([]table.Table, error) {
	return dynamo.Collect(ctx, s.Client, dynamo.Query(s.Name, scope.String(), "", "", true, 0), toTable)
}

// ReplaceTable runs one transaction. A new name needs its guard and frees the guard of the old name. A built-in table
// that is not stored yet has the revision 0.
func (s *Tables) ReplaceTable(ctx context.Context, scope tenant.Scope, old, next table.Table) error {
	it, err := fromTable(scope, next)
	if err != nil {
		return err
	}

	// The first change of a built-in table stores it.
	parts := []dynamo.Part{dynamo.PutRevision(s.Name, it, old.Revision)}
	if old.Name != next.Name {
		parts = append(parts, dynamo.Put(s.Name, guard(scope, next), dynamo.NotExists, nil),
			dynamo.Delete(s.Name, namesPK(scope), old.Name, "", nil))
	}

	err = dynamo.Transact(ctx, s.Client, parts...)
	switch {
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("another request is changing table %q, try again", old.Name)
	case dynamo.ConditionFailed(err):
		return errs.Duplicate("a table named %q exists", next.Name)
	}
	return dynamo.Wrap("replace table", err)
}

// DeleteTable runs one transaction of the table and its name's guard.
func (s *Tables) DeleteTable(ctx context.Context, scope tenant.Scope, t table.Table) error {
	return dynamo.Do(ctx, s.Client, "delete table",
		errs.Conflict("another request is changing table %q, try again", t.Name),
		dynamo.Delete(s.Name, scope.String(), id.ID(t.ID).Key(), dynamo.IsRevision, dynamo.RevisionOf(t.Revision)),
		dynamo.Delete(s.Name, namesPK(scope), t.Name, "", nil))
}

func buildKey(scope tenant.Scope, tableID table.ID, index string) (pk, sk string) {
	return scope.String() + "#build", id.ID(tableID).Key() + "#" + index
}

// Build makes one read.
func (s *Tables) Build(
	ctx context.Context, scope tenant.Scope, tableID table.ID, index string,
) (b table.Build, err error) {
	pk, sk := buildKey(scope, tableID, index)
	it, err := dynamo.Find(ctx, s.Client, s.Name, pk, sk, errs.NotFound("no build"))
	if errs.Is(err, errs.KindNotFound) {
		return b, nil
	}
	return table.Build{After: table.RowID(dynamo.TextOf(it["after"])), At: dynamo.IntegerOf(it["at"])}, err
}

// PutBuild makes one write.
func (s *Tables) PutBuild(
	ctx context.Context, scope tenant.Scope, tableID table.ID, index string, b table.Build,
) error {
	pk, sk := buildKey(scope, tableID, index)
	it := dynamo.Key(pk, sk)
	if b == (table.Build{}) {
		return dynamo.Do(ctx, s.Client, "forget an index build", nil, dynamo.Delete(s.Name, pk, sk, "", nil))
	}
	it["after"], it["at"] = dynamo.Text(string(b.After)), dynamo.Number(b.At)
	return dynamo.Do(ctx, s.Client, "note an index build", nil, dynamo.Put(s.Name, it, "", nil))
}
