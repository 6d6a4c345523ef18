package jobdb_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/job/runlog"
)

// TestDamagedItems: reading a damaged item returns an error that names it.
func TestDamagedItems(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	const of = "7.production"
	n := id.First(noon)
	read := map[string]func() error{
		"active":  func() error { _, err := s.Active(ctx); return err },
		"due":     func() error { _, err := s.Due(ctx, noon, 10); return err },
		"job":     func() error { _, err := s.Read(ctx, shop, fn, n, noon); return err },
		"pending": func() error { _, err := s.ReadPending(ctx, shop, fn, n); return err },
		"all":     func() error { _, err := s.Pending(ctx, shop, fn, time.Time{}); return err },
		"list":    func() error { _, err := s.List(ctx, shop, fn, job.Filter{}, noon, firstPage); return err },
		"slots":   func() error { _, err := s.Slots(ctx, 7); return err },
		"result":  func() error { _, err := s.Started(ctx, shop, "t"); return err },
		"told":    func() error { _, err := s.Callback(ctx, shop, fn, n); return err },
		"signs":   func() error { _, err := s.CallbackKey(ctx, shop); return err },
	}
	wrongType, noJSON := dynamo.Item{"started": dynamo.Text("x")}, dynamo.Item{"input": dynamo.Binary([]byte("{"))}
	noGzip := dynamo.Item{"result": dynamo.Binary([]byte("no gzip"))}
	for i, c := range []struct {
		pk, sk string
		more   dynamo.Item
		reads  string
		says   string
	}{
		{"active", "x#1", nil, "active", "x"}, {"active", of + "#x", nil, "active", of + "#x"},
		{"due", "00x#" + of + "#1#2", nil, "due", "00x#"},
		{"due", "0000000001#x#1#2", nil, "due", "x"}, {"due", "0000000001#" + of + "#1#x", nil, "due", of + "#1#x"},
		{of + "#job#" + fn.Key(), "waiting#" + n.Key(), wrongType, "job pending all list", "decode job"},
		{of + "#job#" + fn.Key(), "waiting#" + n.Key(), noJSON, "pending", "decode input"},
		{of + "#job#" + fn.Key(), "ended#" + n.Key(), wrongType, "job list", "decode job"},
		{"7#slots", "free#001", wrongType, "slots list job", "decode job"},
		{"7#slots", "free#001", dynamo.Item{"scope": dynamo.Text("x")}, "slots list job", "x"},
		{of + "#token#t", "job", noGzip, "result", "decompress"},
		{of + "#callback#" + fn.Key(), n.Key(), noGzip, "told", "decompress"},
		{of + "#callback#" + fn.Key(), n.Key(), dynamo.Item{"next": dynamo.Text("x")}, "told", "decode"},
		{of + "#callback", "key", dynamo.Item{"made_at": dynamo.Text("x")}, "signs", "decode"},
	} {
		it := dynamo.Key(c.pk, c.sk)
		for name, av := range c.more {
			it[name] = av
		}
		if _, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: it}); err != nil {
			t.Fatal(err)
		}
		for _, what := range strings.Fields(c.reads) {
			if err := read[what](); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("item %d is %s: %v", i, what, err)
			}
		}
		if _, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &s.Table, Key: dynamo.Key(c.pk, c.sk),
		}); err != nil {
			t.Fatal(err)
		}
	}

	for what, key := range map[string]events.DynamoDBAttributeValue{
		"pk": events.NewNumberAttribute("1"), "sk": events.NewNumberAttribute("1"),
	} {
		record := events.DynamoDBEventRecord{EventID: "event", EventName: "INSERT"}
		record.Change.Keys = map[string]events.DynamoDBAttributeValue{
			"pk": events.NewStringAttribute("a"), "sk": events.NewStringAttribute("waiting#1"),
		}
		record.Change.Keys[what] = key
		if _, err := jobdb.Change(record); err == nil || !strings.Contains(err.Error(), "event") {
			t.Errorf("a %s that is a number: %v", what, err)
		}
	}
}

// TestReadsByState: a log can be read for a day, a job until its record expires.
func TestReadsByState(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	calls := dynamotest.Record(s.Client)
	recorded := &jobdb.Store{Client: calls.Client, Table: s.Table}
	r := ended(madeAt(noon), job.StatusFulfilled)
	r.Log = runlog.Pack("a line\n")
	if err := failed(s.End(ctx, shop, r, job.Nowhere)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at    int64 // milliseconds after the creation of the job
		bytes int
	}{{0, r.Log.Bytes}, {job.KeepLog.Milliseconds(), r.Log.Bytes}, {job.KeepLog.Milliseconds() + 1, 0}} {
		got, err := s.Read(ctx, shop, fn, r.ID, noon.Add(time.Duration(c.at)*time.Millisecond))
		if err != nil || got.Log.Bytes != c.bytes {
			t.Errorf("after %d ms: a log of %d bytes, %v", c.at, got.Log.Bytes, err)
		}
	}
	for _, none := range []id.ID{0, 1<<53 - 1, 1 << 53} {
		calls.Take()
		if _, err := recorded.Read(ctx, shop, fn, none, noon); err == nil {
			t.Errorf("job %d is there", none)
		}
		if looked := len(calls.Take()) > 0; looked != (none == 1<<53-1) {
			t.Errorf("job %d is looked for: %v", none, looked)
		}
	}
}
