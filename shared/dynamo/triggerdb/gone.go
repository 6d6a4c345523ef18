package triggerdb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// gone keeps a deleted trigger as long as there may be a log of it: its actions under way finish, with the settings
// and the keys they had (G9).
//
//	pk = <scope>#gone    sk = <id>
func (s *Triggers) gone(scope tenant.Scope, t trigger.Trigger, now time.Time) (types.TransactWriteItem, error) {
	it, err := encode(goneKey(scope), t)
	if err != nil {
		return types.TransactWriteItem{}, err
	}
	it["expires_at"] = dynamo.Instant(now.Add(run.Keep))
	return dynamo.Put(s.Table, it, "", nil), nil
}

// Deleted returns a trigger as it was when it was deleted, errs.NotFound when there was none. It is one GetItem.
func (s *Triggers) Deleted(ctx context.Context, scope tenant.Scope, t trigger.ID) (trigger.Trigger, error) {
	return s.trigger(ctx, goneKey(scope), t)
}

func goneKey(scope tenant.Scope) string { return scope.String() + "#gone" }

// Gone returns the triggers that were deleted and may have a log. It is one Query.
func (s *Triggers) Gone(ctx context.Context, scope tenant.Scope) ([]trigger.ID, error) {
	var all []trigger.ID
	query := dynamo.Query(s.Table, goneKey(scope), "", "", true, 0)
	dynamo.Project(query, "sk")
	for it, err := range dynamo.Items(ctx, s.Client, query) {
		if err != nil {
			return nil, err
		}
		var number id.ID
		if _, err := fmt.Sscanf(dynamo.TextOf(it["sk"]), "%d", &number); err != nil {
			return nil, fmt.Errorf("deleted trigger %q: %w", dynamo.TextOf(it["sk"]), err)
		}
		all = append(all, trigger.ID(number))
	}
	return all, nil
}
