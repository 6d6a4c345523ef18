package rowdb

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/id"
	"minicloud/shared/table"
)

// Has implements books.Base: a collection is a table, named by its number.
func (s *Rows) Has(c count.Collection) bool {
	_, ok := tableOf(c)
	return ok
}

// tableOf returns the table whose rows are the collection.
func tableOf(c count.Collection) (table.ID, bool) {
	_, number, _ := strings.Cut(string(c), "#")
	n, err := strconv.ParseInt(number, 10, 64)
	return table.ID(n), err == nil
}

// Collections implements books.Base.
func (s *Rows) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return counted.Collections(ctx, s.Client, s.Table, s.Has, yield)
}

// Records implements books.Base. Rows have no kinds.
func (s *Rows) Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(id.ID, string)) error {
	of, ok := tableOf(c)
	if !ok {
		return fmt.Errorf("%q is no table", c)
	}
	ids := table.Table{ID: of}

	in := dynamo.Query(s.Table, string(c), string(ids.FirstRowID(from)), string(ids.FirstRowID(to)), false, 0)
	dynamo.Project(in, "sk")
	for it, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return err
		}
		// BETWEEN includes its upper end.
		if row := table.RowID(dynamo.TextOf(it["sk"])).Number(); row < to {
			yield(row, "")
		}
	}
	return nil
}
