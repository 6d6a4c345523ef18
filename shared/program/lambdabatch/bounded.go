package lambdabatch

import (
	"context"
	"encoding/json"
	"fmt"

	"minicloud/shared/console/deadletter"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/chain"
)

// chainAttribute is the attribute of a message with its place in its chain.
const chainAttribute = "Chain"

type linkKey struct{}

// Bounded returns work that refuses a message whose chain is too long or makes no progress: the message becomes a dead
// letter with the reason, from where it begins a new chain. queues are the URLs of the program's own queues.
func Bounded(dead deadletter.Refuser, limits chain.Limits, work Work, queues ...string) Work {
	return func(ctx context.Context, body []byte) error {
		at, _ := ctx.Value(linkKey{}).(chain.Link)
		if reason := limits.Broken(at); reason != "" {
			return dead.Refuse(ctx, Application(body), reason, body)
		}
		return work(chain.NewContext(ctx, at, queues...), body)
	}
}

// Application returns the application of a message, which is its fairness key. SQS refuses a key that is arbitrary text.
func Application(body []byte) string {
	var m struct{ Scope string }
	_ = json.Unmarshal(body, &m) // the program says what is wrong with another message
	scope, err := tenant.Parse(m.Scope)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprint(int64(scope.App))
}
