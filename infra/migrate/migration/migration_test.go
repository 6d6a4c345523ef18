package migration_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"minicloud/infra/local/dynamotest"
	"minicloud/infra/migrate/migration"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

const table = "FunctionsTable"

var (
	shop     = tenant.Scope{App: 7, Env: tenant.Production}
	shopTest = tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
)

// stored are the functions in testdata/functions.json. The store of commit b6d8cef7 wrote it: each function was created
// under its name as sent and changed once.
var stored = []struct {
	scope          tenant.Scope
	sent, composed string
	twin           bool // another function has the composed name
}{
	{shop, "plain", "plain", false},
	{shop, "cafe\u0301", "caf\u00e9", false},
	{shop, "na\u00efve", "na\u00efve", false},
	{shop, "nai\u0308ve", "na\u00efve", true},
	{shopTest, "cafe\u0301", "caf\u00e9", false},
	{shopTest, "u\u0308ber", "\u00fcber", false},
}

// before starts a database with the items of the release before.
func before(t *testing.T) (*dynamodb.Client, *cloudfunction.Service) {
	t.Helper()
	client := load(t, table, "testdata/functions.json")
	return client, &cloudfunction.Service{Store: &functiondb.Functions{Client: client, Table: table}}
}

// load starts a database with the items of a file.
func load(t *testing.T, table, path string) *dynamodb.Client {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(source, &file); err != nil {
		t.Fatal(err)
	}

	client := dynamotest.Start(t, table)
	for _, text := range file.Items {
		it, err := attributevalue.UnmarshalMapJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	return client
}

// all returns every item but the progress.
func all(t *testing.T, client *dynamodb.Client) []dynamo.Item {
	t.Helper()
	out, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(out.Items, func(it dynamo.Item) bool { return dynamo.TextOf(it["pk"]) == "!migration" })
}

// exact compares attributes by their exported fields.
var exact = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberL{}, types.AttributeValueMemberM{}, types.AttributeValueMemberSS{},
)

func names(client *dynamodb.Client, write bool) *migration.Run {
	return &migration.Run{
		Client: client, Table: table, Name: "composed-names", Write: write, Rate: 5, Out: io.Discard,
		Step:  migration.ComposedNames(&functiondb.Functions{Client: client, Table: table}),
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
}

// readable reports functions that are not found under the name that they were sent with. The reader is the one of
// b6d8cef7: the release before reads what the migration writes.
func readable(t *testing.T, s *cloudfunction.Service) {
	t.Helper()
	for _, f := range stored {
		got, err := s.Read(t.Context(), f.scope, f.sent)
		if err != nil {
			t.Errorf("%+q: %v", f.sent, err)
			continue
		}
		if code, err := got.Code.Source(); err != nil || !strings.Contains(code, "second "+f.sent) {
			t.Errorf("%+q has the code %q, %v", f.sent, code, err)
		}
	}
}

func TestDryRun(t *testing.T) {
	client, service := before(t)
	was := all(t, client)
	var said strings.Builder
	run := names(client, false)
	run.Out = &said

	got, err := run.Do(t.Context())
	if err != nil || got.Migrated != 3 || got.Refused != 1 || got.Seen != len(was) || !got.Ended {
		t.Errorf("%+v, %v; want 3 migrated and 1 refused of %d", got, err, len(was))
	}
	if !strings.Contains(said.String(), `name "naïve" already exists`) {
		t.Errorf("the refused function is not named:\n%s", said.String())
	}
	if diff := cmp.Diff(was, all(t, client), exact); diff != "" {
		t.Errorf("a dry run changed (-before +after):\n%s", diff)
	}
	readable(t, service)
}

// TestMigratesWhileItCrashes kills a run before and after each item, lets the next one go on, and reads in between.
func TestMigratesWhileItCrashes(t *testing.T) {
	client, service := before(t)
	total := len(all(t, client))
	errCrash := errors.New("crash")
	most := 0
	for life := 0; ; life++ {
		calls, run := 0, names(client, true)
		step := run.Step
		run.Step = func(ctx context.Context, it dynamo.Item, write bool) (migration.Outcome, error) {
			if calls++; calls > 3+life%4 { // pages have 5 items: some lives store their progress, some only change items
				return migration.Current, errCrash
			}
			return step(ctx, it, write)
		}
		got, err := run.Do(t.Context())
		readable(t, service)
		if got.Seen < most {
			t.Fatalf("life %d begins at %d, an earlier one had come to %d", life, got.Seen, most)
		}
		most = got.Seen
		if err == nil {
			break
		}
		if !errors.Is(err, errCrash) || life > 10*total {
			t.Fatalf("life %d: %+v, %v", life, got, err)
		}
	}

	for _, f := range stored {
		sent, err := service.Read(t.Context(), f.scope, f.sent)
		if err != nil {
			t.Fatal(err)
		}
		composed, err := service.Read(t.Context(), f.scope, f.composed)
		if err != nil || (composed.ID == sent.ID) == f.twin {
			t.Errorf("%+q is %d, %+q is %d, %v", f.sent, sent.ID, f.composed, composed.ID, err)
		}
		if want := map[bool]string{false: f.composed, true: f.sent}[f.twin]; string(sent.Name) != want {
			t.Errorf("%+q is named %+q, want %+q", f.sent, sent.Name, want)
		}
		if version, err := service.Version(t.Context(), f.scope, f.sent, 1); err != nil || version.Number != 1 {
			t.Errorf("version 1 of %+q: %+v, %v", f.sent, version, err)
		}
	}

	// Once more: it begins at the start, and finds nothing to do.
	was := all(t, client)
	got, err := names(client, true).Do(t.Context())
	if err != nil || got.Migrated != 0 || got.Refused != 1 || got.Seen < total {
		t.Errorf("once more: %+v, %v", got, err)
	}
	if diff := cmp.Diff(was, all(t, client), exact); diff != "" {
		t.Errorf("once more changed (-before +after):\n%s", diff)
	}
}

// TestMeetsTheOwner renames a function that was changed, and one that was deleted, since it was read.
func TestMeetsTheOwner(t *testing.T) {
	client, service := before(t)
	key := "name#cafe\u0301"
	stale, err := dynamo.GetItem(t.Context(), client, table, shop.String(), key)
	if err != nil || len(stale) == 0 {
		t.Fatal(stale, err)
	}
	stale["sk"] = dynamo.Text("id#") // the walk finds the record by id, of the same content
	f, err := service.Read(t.Context(), shop, "cafe\u0301")
	if err != nil {
		t.Fatal(err)
	}
	changed := f
	changed.Remark, changed.Revision = "by the owner", f.Revision+1
	if err := service.Store.Update(t.Context(), shop, f, changed); err != nil {
		t.Fatal(err)
	}

	step := names(client, true).Step
	if outcome, err := step(t.Context(), stale, true); err != nil || outcome != migration.Migrated {
		t.Errorf("a changed function: %v, %v", outcome, err)
	}
	if got, err := service.Read(t.Context(), shop, "caf\u00e9"); err != nil || got.Remark != "by the owner" {
		t.Errorf("the owner's change: %+v, %v", got, err)
	}
	if outcome, err := step(t.Context(), stale, true); err != nil || outcome != migration.Current {
		t.Errorf("a renamed function: %v, %v", outcome, err)
	}
	if err := service.Delete(t.Context(), shop, "caf\u00e9"); err != nil {
		t.Fatal(err)
	}
	if outcome, err := step(t.Context(), stale, true); err != nil || outcome != migration.Current {
		t.Errorf("a deleted function: %v, %v", outcome, err)
	}
	if _, err := service.Read(t.Context(), shop, "caf\u00e9"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("the deleted function is back: %v", err)
	}
}

func TestKeepsTheRate(t *testing.T) {
	client, _ := before(t)
	var waited time.Duration
	run := names(client, false)
	run.Sleep = func(_ context.Context, d time.Duration) error {
		if d > time.Second {
			t.Errorf("a page takes %v, a second at most holds %d items", d, run.Rate)
		}
		waited += d
		return nil
	}
	got, err := run.Do(t.Context())
	if want := time.Duration(got.Seen) * time.Second / time.Duration(run.Rate); err != nil || waited != want {
		t.Errorf("waited %v for %d items, want %v; %v", waited, got.Seen, want, err)
	}
}
