package triggerdb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// gone returns the write that keeps a deleted trigger as long as its log may exist: its running actions finish with the
// settings and keys they had (G9).
//
//	pk = <scope>#gone    sk = <id>
func (s *Triggers) gone(scope tenant.Scope, t trigger.Trigger, now time.Time) dynamo.Part {
	it := encode(goneKey(scope), t)
	it["expires_at"] = dynamo.Instant(now.Add(run.Keep))
	return dynamo.Put(s.Table, it, "", nil)
}

// Deleted returns a deleted trigger as it was last stored. It returns errs.NotFound if there is none. It makes one
// GetItem.
func (s *Triggers) Deleted(ctx context.Context, scope tenant.Scope, t trigger.ID) (trigger.Trigger, error) {
	return s.trigger(ctx, goneKey(scope), t)
}

func goneKey(scope tenant.Scope) string { return scope.String() + "#gone" }

// Gone returns the deleted triggers that may have a log. It makes one Query.
func (s *Triggers) Gone(ctx context.Context, scope tenant.Scope) ([]trigger.ID, error) {
	query := dynamo.Query(s.Table, goneKey(scope), "", "", true, 0)
	dynamo.Project(query, "sk")
	return dynamo.Collect(ctx, s.Client, query, func(it dynamo.Item) (t trigger.ID, err error) {
		if _, err = fmt.Sscanf(dynamo.TextOf(it["sk"]), "%d", &t); err != nil {
			err = fmt.Errorf("deleted trigger %q: %w", dynamo.TextOf(it["sk"]), err)
		}
		return t, err
	})
}
