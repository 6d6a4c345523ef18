package triggerdb

import (
	"context"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// Quotas implements action.Quotas, in the table of the log:
//
//	pk = <scope>#spent#<root job>   sk = <what>   number of messages that the functions of a call have sent
type Quotas struct {
	Client *dynamo.Client
	Table  string
	Clock  clock.Clock
}

// keepSpent is longer than anything that a call starts can run, including delayed runs.
const keepSpent = job.MaxDelay + 24*time.Hour

// Spend makes one conditional UpdateItem of a small item.
func (s *Quotas) Spend(ctx context.Context, scope tenant.Scope, root id.ID, what string, most int) error {
	refused := errs.TooMany(0, "one call may send at most %d messages by %s", most, what)
	return dynamo.Do(ctx, s.Client, "count what was sent", refused, dynamo.Increment(
		s.Table, scope.String()+"#spent#"+root.Key(), what, "spent", most, s.Clock.Now().Add(keepSpent),
	))
}
