package stats

import (
	"sync"
	"testing"
)

func TestCounters(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			c.Add("dynamodb", "GetItem")
			c.Add("invoke", "OauthFunction")
			c.AddN("billed", "OauthFunction", 3)
			c.AddUnits("RowsTable Query", 0.5, 0)
		})
	}
	wg.Wait()
	got := c.Snapshot()
	if got.DynamoDB["GetItem"] != 50 || got.Invoke["OauthFunction"] != 50 || got.SQS == nil || len(got.SQS) != 0 {
		t.Errorf("%+v", got)
	}
	if got.Billed["OauthFunction"] != 150 || got.ReadUnits["RowsTable Query"] != 25 || len(got.WriteUnits) != 0 {
		t.Errorf("%+v", got)
	}
	c.Reset()
	if after := c.Snapshot(); len(after.DynamoDB) != 0 || after.Since.Before(got.Since) {
		t.Errorf("after a reset %+v", after)
	}
}
