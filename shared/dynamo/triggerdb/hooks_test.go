package triggerdb_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/hook"
)

// TestCallsAreNotOverwritten: a call is kept if another program gives a second call the same id in the same
// millisecond.
func TestCallsAreNotOverwritten(t *testing.T) {
	triggers := &triggerdb.Triggers{Client: dynamotest.Start(t, "TriggersTable"), Table: "TriggersTable"}
	h := hook.Hook{ID: "h", Scope: shop, Trigger: 3}
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

	for i := range 3 { // refused calls of one second replace each other
		refused := hook.ReceivedCall{ID: fmt.Sprint(i), At: noon.UnixMilli() + int64(i), Reason: fmt.Sprint(i)}
		if err := triggers.Refuse(t.Context(), h, refused); err != nil {
			t.Error(err)
		}
	}
	calls, err := triggers.Calls(t.Context(), shop, 3)
	if err != nil || len(calls) != 2 || calls[0].Reason != "2" || calls[1].ID != "7" {
		t.Errorf("%+v, %v", calls, err)
	}
	for e, err := range triggers.CallEvents(t.Context(), shop, 3, noon.Add(-1)) {
		if e.ID == "" || err != nil {
			t.Errorf("a refused call fires: %+v, %v", e, err)
		}
	}
}

// TestLimitsCallsPerSecond: the limit holds per environment.
func TestLimitsCallsPerSecond(t *testing.T) {
	triggers, ctx := &triggerdb.Triggers{Client: dynamotest.Start(t, "TriggersTable"), Table: "TriggersTable"}, t.Context()
	for i := range hook.PerSecond + 1 {
		err := triggers.Admit(ctx, shop, noon.Add(time.Duration(i)*time.Millisecond))
		if full := i == hook.PerSecond; full != (err != nil) || full && !errs.Is(err, errs.KindTooMany) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if err := errors.Join(
		triggers.Admit(ctx, shop, noon.Add(time.Second)), triggers.Admit(ctx, tenant.Scope{App: 8, Env: shop.Env}, noon),
	); err != nil {
		t.Error(err)
	}
}
