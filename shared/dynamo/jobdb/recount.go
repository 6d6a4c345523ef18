package jobdb

import (
	"context"
	"strconv"
	"strings"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"

	"minicloud/shared/dynamo/counted"
)

// Has implements books.Base: a collection is the ended jobs of a function.
func (s *Store) Has(c count.Collection) bool {
	_, function, ok := strings.Cut(string(c), "#job#")
	_, err := strconv.ParseInt(function, 10, 64)

	return ok && err == nil
}

// Collections implements books.Base.
func (s *Store) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return counted.Collections(ctx, s.Client, s.Table, yield)
}

// Records implements books.Base.
func (s *Store) Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(id.ID, string)) error {
	in := dynamo.Query(s.Table, string(c), placeKey(endedPlace, from), placeKey(endedPlace, to), false, 0)
	dynamo.Project(in, "sk", "status", "source", "service")

	for it, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return err
		}
		n, _ := strconv.ParseInt(strings.TrimPrefix(dynamo.TextOf(it["sk"]), endedPlace+"#"), 10, 64)
		if id.ID(n) < to {
			yield(id.ID(n), Kind(wordsOf(it)))
		}
	}
	return nil
}
