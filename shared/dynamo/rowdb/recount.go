package rowdb

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
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

// Collections implements books.Base. It yields a sharded table once for each shard.
func (s *Rows) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return counted.Collections(ctx, s.Client, s.Table, func(key count.Collection) error {
		return yield(partition.Collection(string(key)))
	})
}

// Records implements books.Base. Rows have no kinds. It reads the table for its shards; a deleted one has none.
func (s *Rows) Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(id.ID, string)) error {
	of, ok := tableOf(c)
	if !ok {
		return fmt.Errorf("%q is no table", c)
	}
	name, _, _ := strings.Cut(string(c), "#")
	scope, err := tenant.Parse(name)
	if err != nil {
		return err
	}
	t, err := (&Tables{Client: s.Client, Name: s.Schemas}).Table(ctx, scope, of)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return err
	}

	t.ID = of
	for _, key := range partition.All(scope, of, t.Epochs.Most()) {
		in := dynamo.Query(s.Table, key, string(t.FirstRowID(from)), string(t.FirstRowID(to)), false, 0)
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
	}
	return nil
}
