package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"minicloud/infra/local/api"
	"minicloud/infra/local/bucket"
	"minicloud/infra/local/bucket/objects"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/lambdahost"
	"minicloud/shared/clock"
)

// TestKeepsBatchesThatFailAgain: a batch is deleted only after its function took all of its records.
func TestKeepsBatchesThatFailAgain(t *testing.T) {
	store, err := objects.Open(t.TempDir(), []string{localBucket}, clock.System)
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range map[string]string{
		"a": batch("good", `{"Records":[1]}`), "b": batch("partly", `{"Records":[2]}`), "c": batch("broken", `{}`),
		"d": batch("missing", `{}`), "e": `{"requestContext":{"functionArn":"good"}}`, "f": "no JSON",
		"g": batch("empty", `{"Records":[3]}`),
	} {
		if err := store.Put(localBucket, key, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	var invoked []string
	buckets := &bucket.API{Store: store, Count: func(string) {}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if buckets.Serves(r) {
			buckets.ServeHTTP(w, r)
			return
		}
		payload, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		name := lambdahost.Name(r.URL.Path)
		invoked = append(invoked, name+" "+string(payload))
		switch name {
		case "good":
			fmt.Fprint(w, `{"batchItemFailures":[]}`)
		case "empty":
			fmt.Fprint(w, `null`)
		case "partly":
			fmt.Fprint(w, `{"batchItemFailures":[{"itemIdentifier":"200"}]}`)
		case "broken":
			w.Header().Set("X-Amz-Function-Error", "Unhandled")
			fmt.Fprint(w, `{}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()

	r := over(ddb.SDK(server.URL), localBucket)
	var out strings.Builder
	r.Out = &out
	if err := r.Run(t.Context()); !errors.Is(err, errLeft) {
		t.Errorf("%v", err)
	}
	want := []string{`good {"Records":[1]}`, `partly {"Records":[2]}`, "broken {}", "missing {}", `empty {"Records":[3]}`}
	if !slices.Equal(invoked, want) {
		t.Errorf("invoked %q", invoked)
	}
	if left := keys(t, r); !slices.Equal(left, []string{"b", "c", "d", "e", "f"}) {
		t.Errorf("left %q", left)
	}
	for _, said := range []string{
		"partly failed from record 200 on", "broken failed: Unhandled", "no payload",
		"2 batches were given to their functions again, 5 are left",
	} {
		if !strings.Contains(out.String(), said) {
			t.Errorf("it does not say %q: %s", said, out.String())
		}
	}
}

// batch is a batch as Lambda keeps it.
func batch(function, event string) string {
	return fmt.Sprintf(`{"requestContext":{"functionArn":"arn:aws:lambda:r:1:function:%s"},"payload":%q}`, function, event)
}

func keys(t *testing.T, r *Redrive) (all []string) {
	t.Helper()
	objects, err := r.Objects.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &r.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects.Contents {
		all = append(all, *o.Key)
	}
	return all
}

// TestPaidOrderFiresAfterRedrive: recordtrigger finds no concurrency until the record of a payment is too old. Its trigger
// fires once the record is given to the program again.
func TestPaidOrderFiresAfterRedrive(t *testing.T) {
	data := t.TempDir()
	cfg, err := cloudtest.Config(data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(cfg.Root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	throttled := strings.ReplaceAll(string(text), "MaximumRecordAgeInSeconds: 21600", "MaximumRecordAgeInSeconds: 3")
	throttled = strings.Replace(throttled, "CodeUri: functions/recordtrigger/\n",
		"CodeUri: functions/recordtrigger/\n      ReservedConcurrentExecutions: 0\n", 1)
	usual := cfg.Template
	cfg.Template = filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(cfg.Template, []byte(throttled), 0o600); err != nil {
		t.Fatal(err)
	}

	c := start(t, cfg)
	client, err := api.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(client.Send(t.Context(), http.MethodPost, "/oserve/v3/trigger/", map[string]any{
		"name": "paid", "type": "chat_pay", "condition": map[string]any{"result": "success"},
		"actions": []any{map[string]any{"type": "cloud_function", "settings": map[string]any{"function": "hello"}}},
	}, nil))
	must(client.Send(t.Context(), http.MethodPost, "/_local/events", map[string]any{
		"detail-type": "payment", "detail": map[string]any{
			"miniapp": int64(c.Credentials.Miniapp), "gateway_type": "chatpay", "status": "success", "trade_no": "T1", "total_cost": 1.5,
			"created_by": 70, "paid_at": 1795262414,
		},
	}, nil))
	await(t, "the record in the bucket", func() bool { return len(keys(t, over(ddb.SDK(c.Services), localBucket))) == 1 })
	if fired := runs(t, client); fired != 0 {
		t.Fatalf("the trigger fired %d times while its program was throttled", fired)
	}
	c.Stop()

	cfg.Template = usual
	c = start(t, cfg)
	client, err = api.Connect(t.Context(), c)
	must(err)
	for range 2 { // the second finds nothing
		r := over(ddb.SDK(c.Services), localBucket)
		r.Out = t.Output()
		must(r.Run(t.Context()))
		await(t, "the run of the trigger", func() bool { return runs(t, client) == 1 })
	}
	if left := keys(t, over(ddb.SDK(c.Services), localBucket)); len(left) != 0 {
		t.Errorf("left %q", left)
	}
}

func start(t *testing.T, cfg cloud.Config) *cloud.Cloud {
	t.Helper()
	c, err := cloud.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// runs returns how many runs the log of the application's triggers has.
func runs(t *testing.T, client *api.Client) int {
	t.Helper()
	var log struct{ Objects []any }
	if err := client.Send(t.Context(), http.MethodGet, "/oserve/v3/trigger-log/", nil, &log); err != nil {
		t.Fatal(err)
	}
	return len(log.Objects)
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not in time", what)
		}
	}
}
