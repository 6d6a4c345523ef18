package dynamotest_test

import (
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
)

// TestFaults: retries hide a fault that happens once; a lasting fault becomes an Unavailable error, as in the cloud.
func TestFaults(t *testing.T) {
	client := dynamotest.Start(t, "JobsTable")
	for name, c := range map[string]struct {
		fault   dynamotest.Fault
		forever bool
		there   bool
	}{
		"throttled once":    {dynamotest.Throttled, false, true},
		"throttled always":  {dynamotest.Throttled, true, false},
		"not sent once":     {dynamotest.Unsent, false, true},
		"never heard of it": {dynamotest.Unheard, true, true},
	} {
		calls := 0
		faulty := dynamotest.Faulty(client, func(operation string) dynamotest.Fault {
			if operation != "TransactWriteItems" {
				t.Errorf("%s: %s is asked for", name, operation)
			}
			if calls++; calls > 1 && !c.forever {
				return 0
			}
			return c.fault
		})
		err := dynamo.Wrap("put", dynamo.Transact(t.Context(), faulty, dynamo.Put("JobsTable", dynamo.Key(name, "x"), "", nil)))
		if errs.Is(err, errs.KindUnavailable) != c.forever || !c.forever && err != nil {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
		it, err := dynamo.GetItem(t.Context(), client, "JobsTable", name, "x")
		if err != nil || (len(it) > 0) != c.there {
			t.Errorf("%s: %v, %v", name, it, err)
		}
	}
}
