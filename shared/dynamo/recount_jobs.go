package dynamo

import (
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"minicloud/shared/count"
	"minicloud/shared/id"
	"minicloud/shared/job"
)

var _ count.Base = (*Jobs)(nil)

// Has implements count.Base: jobs that ended are counted by function.
func (s *Jobs) Has(c count.Collection) bool {
	_, function, ok := strings.Cut(string(c), "#job#")
	_, err := strconv.ParseInt(function, 10, 64)

	return ok && err == nil
}

// Collections implements count.Base.
func (s *Jobs) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return eachPartition(ctx, s.Client, s.Table, func(pk string) error {
		if c := count.Collection(pk); s.Has(c) {
			return yield(c)
		}
		return nil
	})
}

// Records implements count.Base.
func (s *Jobs) Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(id.ID, string)) error {
	in := queryInput(s.Table, string(c), placeKey(endedPlace, from), placeKey(endedPlace, to), false, 0)
	in.ProjectionExpression = aws.String("sk, #status, #source, #service")
	in.ExpressionAttributeNames = map[string]string{"#status": "status", "#source": "source", "#service": "service"}

	return eachPage(ctx, s.Client, in, func(items []item) {
		for _, it := range items {
			n, _ := strconv.ParseInt(strings.TrimPrefix(textOf(it["sk"]), endedPlace+"#"), 10, 64)
			if id.ID(n) < to {
				yield(id.ID(n), JobKind(job.Status(textOf(it["status"])), job.Source(textOf(it["source"])),
					job.ServiceType(textOf(it["service"]))))
			}
		}
	})
}
