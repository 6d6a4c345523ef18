package jobdb

import (
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/job"
)

var _ count.Base = (*Store)(nil)

// Has implements count.Base: jobs that ended are counted by function.
func (s *Store) Has(c count.Collection) bool {
	_, function, ok := strings.Cut(string(c), "#job#")
	_, err := strconv.ParseInt(function, 10, 64)

	return ok && err == nil
}

// Collections implements count.Base.
func (s *Store) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return dynamo.EachPartition(ctx, s.Client, s.Table, func(pk string) error {
		if c := count.Collection(pk); s.Has(c) {
			return yield(c)
		}
		return nil
	})
}

// Records implements count.Base.
func (s *Store) Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(id.ID, string)) error {
	in := dynamo.Query(s.Table, string(c), placeKey(endedPlace, from), placeKey(endedPlace, to), false, 0)
	in.ProjectionExpression = aws.String("sk, #status, #source, #service")
	in.ExpressionAttributeNames = map[string]string{"#status": "status", "#source": "source", "#service": "service"}

	return dynamo.EachItem(ctx, s.Client, in, func(it dynamo.Item) error {
		n, _ := strconv.ParseInt(strings.TrimPrefix(dynamo.TextOf(it["sk"]), endedPlace+"#"), 10, 64)
		if id.ID(n) < to {
			yield(id.ID(n), Kind(job.Status(dynamo.TextOf(it["status"])), job.Source(dynamo.TextOf(it["source"])),
				job.ServiceType(dynamo.TextOf(it["service"]))))
		}
		return nil
	})
}
