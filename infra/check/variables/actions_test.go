package variables

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	actionrunner "minicloud/functions/actionrunner/wire"
	"minicloud/infra/check"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// TestEveryActionHasDoer: runs of a type without a doer would fail as unsupported.
func TestEveryActionHasDoer(t *testing.T) {
	var executor *action.Executor
	check.VariablesRead(func(p *program.Program) {
		b := backend.Open(p)
		executor = actionrunner.Executor(b, queues.Open(b), secrets.Open(b))
	})
	got, want := slices.Sorted(maps.Keys(executor.Doers)), slices.Sorted(slices.Values(trigger.ActionTypes))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types of actions (-declared +done):\n%s", diff)
	}
}
