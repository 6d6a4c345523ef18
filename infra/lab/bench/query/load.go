package query

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"minicloud/infra/lab/seed/datafile"
	"minicloud/infra/local/ddb"
	seed "minicloud/infra/seed/people"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// spacing is between two planted rows: fifty a second.
const spacing = 20 * time.Millisecond

// plant adds the rows from to to as the platform would, but
// straight into the database's file, because through its API a million rows with
// three indexes would take an hour. It then compares the counters and the
// entries with what lies in the file.
func (p *people) plant(ctx context.Context, from, to int) error {
	file, err := datafile.Open(filepath.Join(p.cloud.DataDir(), "ddb.db"))
	if err != nil {
		return err
	}
	defer file.Close()
	client := ddb.NewClient(p.cloud.Database)
	scope := tenant.Scope{App: tenant.AppID(p.cloud.Credentials.Miniapp), Env: tenant.Production}
	t, err := (&rowdb.Tables{Client: client, Name: p.named("TablesTable")}).Table(ctx, scope, p.id)
	if err != nil {
		return err
	}

	rows := &rowdb.Rows{Client: file.Client(client), Table: p.named("RowsTable"), Indexes: p.named("RowIndexesTable")}
	counts := &countdb.Store{Client: client, Table: p.named("CountsTable")}
	if err := counted(ctx, counts, table.Collection(scope, t.ID), from); err != nil {
		return err
	}

	begin := time.Now().Add(-time.Duration(to-from)*spacing - time.Hour)
	const batch = 1000
	made := make([]table.Row, 0, batch)
	for i := from; i < to; i++ {
		made = append(made, person(i, begin.Add(time.Duration(i-from)*spacing)))
		if len(made) == batch || i == to-1 {
			if err := seed.Load(ctx, rows, counts, scope, t, made); err != nil {
				return err
			}
			made = made[:0]
		}
	}

	if err := file.Commit(); err != nil {
		return err
	}
	if err := counted(ctx, counts, table.Collection(scope, t.ID), to); err != nil {
		return err
	}

	return recount(ctx, file, rows, scope, t, to)
}

// person is what drafts makes of number i, as a row.
func person(i int, at time.Time) table.Row {
	fields := map[string]any{}
	for name, v := range draft(i) {
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		fields[name] = v
	}
	n := id.First(at.Truncate(time.Millisecond)) | id.ID(i&(1<<12-1))
	perm := []string{"user:*"}
	return table.Row{
		ID: table.RowID(fmt.Sprintf("%014x%010x", int64(n), i)), UpdatedAt: at.Unix(), CreatedBy: 1, Revision: 1,
		Perm: table.RowPerm{Read: perm, Write: perm}, Fields: fields,
	}
}

// counted waits until the stream's consumer has counted as many rows.
func counted(ctx context.Context, counts *countdb.Store, c count.Collection, want int) error {
	for n := 0; ; {
		tree := count.Tree{Reader: counts, Collection: c}
		var err error
		if n, err = tree.Total(ctx); err != nil || n == want {
			return err
		}

		select {
		case <-ctx.Done():
			return fmt.Errorf("%d rows are counted, there are %d: %w", n, want, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// recount compares the number of rows that lie in the file, and of entries of every
// index, with how many there are to be.
func recount(
	ctx context.Context, file *datafile.File, rows *rowdb.Rows, scope tenant.Scope, t table.Table, want int,
) error {
	partitions := map[string]string{string(table.Collection(scope, t.ID)): rows.Table}
	for _, c := range t.Columns {
		if c.Index != nil {
			partitions[fmt.Sprintf("%s#%d#ix#%s", scope, t.ID, c.Index.ID)] = rows.Indexes
		}
	}

	for pk, name := range partitions {
		n, err := file.Count(ctx, name, pk)
		if err != nil {
			return err
		}
		if n != want {
			return fmt.Errorf("%s holds %d items of %d rows", pk, n, want)
		}
	}
	return nil
}
