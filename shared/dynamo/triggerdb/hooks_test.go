package triggerdb_test

import (
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/trigger"
)

// TestACallIsNotOverwritten by one that another program has given the same id in the same millisecond.
func TestACallIsNotOverwritten(t *testing.T) {
	triggers := &triggerdb.Triggers{Client: dynamotest.Start(t, "TriggersTable"), Table: "TriggersTable"}
	h := trigger.Hook{ID: "h", Scope: shop, Trigger: 3}
	call := trigger.HookCall{ID: "7", Hook: "h", Method: "POST", At: noon, Payload: "first"}
	if err := triggers.Keep(t.Context(), h, call, 1); err != nil {
		t.Fatal(err)
	}
	call.Payload = "second"
	if err := triggers.Keep(t.Context(), h, call, 1); !errs.Is(err, errs.KindConflict) {
		t.Errorf("kept over the first: %v", err)
	}
	for e, err := range triggers.CallEvents(t.Context(), shop, 3, noon.Add(-1)) {
		if err != nil || e.Payload["payload"] != "first" {
			t.Errorf("%+v, %v", e.Payload, err)
		}
	}

	for range 2 { // those that were refused in one second replace each other
		if err := triggers.Refuse(t.Context(), h, trigger.ReceivedCall{ID: "8", At: noon.UnixMilli()}); err != nil {
			t.Error(err)
		}
	}
}
