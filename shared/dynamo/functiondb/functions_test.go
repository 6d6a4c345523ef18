package functiondb_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

var (
	shop      = tenant.Scope{App: 7, Env: tenant.Production}
	shopTest  = tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
	noon      = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	firstPage = page.Request{Limit: 20}
)

func newFunctions(t *testing.T) (*cloudfunction.Service, *dynamodb.Client) {
	client := dynamotest.Start(t, "FunctionsTable")
	return &cloudfunction.Service{
		Store: &functiondb.Functions{Client: client, Table: "FunctionsTable"},
		IDs:   new(id.Source),
		Clock: clock.Fixed(noon),
	}, client
}

// incompressible returns source code of n bytes that gzip cannot shrink.
func incompressible(n int) string {
	b := make([]byte, n/2)
	rand.Read(b)
	return hex.EncodeToString(b)
}

func mustCreate(t *testing.T, s *cloudfunction.Service, name, code string) cloudfunction.Function {
	t.Helper()
	f, err := s.Create(t.Context(), shop, "Ada", cloudfunction.New{Name: name, Code: code})
	if err != nil {
		t.Fatalf("create %q: %v", name, err)
	}
	return f
}

func source(t *testing.T, c cloudfunction.Code) string {
	t.Helper()
	text, err := c.Source()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func items(t *testing.T, client *dynamodb.Client, table string) int {
	t.Helper()
	n := 0
	p := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)})
	for p.HasMorePages() {
		out, err := p.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		n += len(out.Items)
	}
	return n
}

func TestStoresCodeOfEverySize(t *testing.T) {
	s, _ := newFunctions(t)
	for _, size := range []int{10, 60 << 10, 140 << 10, 400 << 10, cloudfunction.MaxCode} {
		name := fmt.Sprintf("f%d", size)
		code := incompressible(size)
		made := mustCreate(t, s, name, code)
		got, err := s.Read(t.Context(), shop, name)
		if err != nil {
			t.Fatal(err)
		}
		if source(t, got.Code) != code || got.ID != made.ID || got.Code.Digest != made.Code.Digest ||
			!got.CreatedAt.Equal(noon) {
			t.Errorf("%d bytes did not come back as they were", size)
		}
	}
	list, err := s.List(t.Context(), shop, cloudfunction.Filter{}, firstPage)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Objects) != 5 || list.Total != 5 || len(source(t, list.Objects[0].Code)) != cloudfunction.MaxCode {
		t.Errorf("list shows %d of %d, newest with %d bytes", len(list.Objects), list.Total, list.Objects[0].Code.Bytes)
	}
}

func TestListFitsTheGateway(t *testing.T) {
	s, _ := newFunctions(t)
	code := strings.Repeat("x", cloudfunction.MaxCode)
	for i := range 6 {
		mustCreate(t, s, fmt.Sprintf("f%d", i), code)
	}
	req, seen := firstPage, 0
	for pages := 1; ; pages++ {
		got, err := s.List(t.Context(), shop, cloudfunction.Filter{}, req)
		if err != nil {
			t.Fatal(err)
		}
		if got.Total != 6 || len(got.Objects) == 0 || len(got.Objects) > 4 {
			t.Fatalf("page %d: %d of %d", pages, len(got.Objects), got.Total)
		}
		seen += len(got.Objects)
		if req.After = got.Next; got.Next == "" {
			break
		}
	}
	if seen != 6 {
		t.Errorf("pages show %d functions, want 6", seen)
	}
}

func TestListPagesNewestFirst(t *testing.T) {
	s, _ := newFunctions(t)
	for i := range 23 {
		mustCreate(t, s, fmt.Sprintf("f%02d", i), "1")
	}
	for _, c := range []struct {
		offset, limit int
		want          string
		next          bool
	}{
		{0, 3, "f22 f21 f20", true},
		{20, 3, "f02 f01 f00", false},
		{21, 5, "f01 f00", false},
		{19, 3, "f03 f02 f01", true},
		{23, 5, "", false},
		{500, 5, "", false},
	} {
		got, err := s.List(t.Context(), shop, cloudfunction.Filter{}, page.Request{Offset: c.offset, Limit: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range got.Objects {
			names = append(names, string(f.Name))
		}
		if strings.Join(names, " ") != c.want || got.Total != 23 || (got.Next != "") != c.next {
			t.Errorf("offset %d limit %d: %v of %d, next %q", c.offset, c.limit, names, got.Total, got.Next)
		}
	}
	for _, forged := range []page.Cursor{"name#f01", "id#", "id#~x", "id#x", page.Cursor("id#" + strings.Repeat("1", 1100))} {
		if _, err := s.List(t.Context(), shop, cloudfunction.Filter{}, page.Request{Limit: 3, After: forged}); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("forged cursor %.10q: %v", forged, err)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	s, _ := newFunctions(t)
	var wg sync.WaitGroup
	var won, lost atomic.Int32
	for range 100 {
		wg.Go(func() {
			_, err := s.Create(t.Context(), shop, "Ada", cloudfunction.New{Name: "pay", Code: "1"})
			switch {
			case err == nil:
				won.Add(1)
			case errs.Is(err, errs.KindDuplicate):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != 99 {
		t.Errorf("%d won, %d lost", won.Load(), lost.Load())
	}
	if got, _ := s.List(t.Context(), shop, cloudfunction.Filter{}, firstPage); got.Total != 1 {
		t.Errorf("total %d", got.Total)
	}
}

func TestKeepsAllConcurrentChanges(t *testing.T) {
	s, _ := newFunctions(t)
	mustCreate(t, s, "pay", "1")
	changes := []cloudfunction.Patch{
		{Code: new("2")}, {Plan: new("P_PERSONAL")}, {Remark: new("for the shop")},
	}
	var wg sync.WaitGroup
	for _, p := range changes {
		wg.Go(func() {
			if _, err := s.Modify(t.Context(), shop, "Bob", "pay", p); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := s.Read(t.Context(), shop, "pay")
	if err != nil {
		t.Fatal(err)
	}
	if source(t, got.Code) != "2" || got.Plan != sandbox.PlanPersonal || got.Remark != "for the shop" ||
		got.Version != 4 {
		t.Errorf("lost a change: %+v", got)
	}
	versions, err := s.Versions(t.Context(), shop, "pay", firstPage)
	if err != nil || versions.Total != 4 {
		t.Errorf("%d versions, %v", versions.Total, err)
	}
}

func TestRenameMovesTheNameOnly(t *testing.T) {
	s, _ := newFunctions(t)
	made := mustCreate(t, s, "pay", "1")
	mustCreate(t, s, "other", "1")
	if _, err := s.Modify(
		t.Context(), shop, "Bob", "pay", cloudfunction.Patch{Name: new("other")},
	); !errs.Is(err, errs.KindDuplicate) {
		t.Errorf("rename to a taken name: %v", err)
	}
	moved, err := s.Modify(t.Context(), shop, "Bob", "pay", cloudfunction.Patch{Name: new("付款")})
	if err != nil || moved.ID != made.ID || moved.UpdatedBy != "Bob" || moved.CreatedBy != "Ada" {
		t.Fatalf("%+v, %v", moved, err)
	}
	if _, err := s.Read(t.Context(), shop, "pay"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("old name: %v", err)
	}
	if got, err := s.Read(t.Context(), shop, "付款"); err != nil || got.ID != made.ID {
		t.Errorf("new name: %+v, %v", got, err)
	}
	versions, err := s.Versions(t.Context(), shop, "付款", firstPage)
	if err != nil || versions.Total != 2 || versions.Objects[1].Name != "pay" {
		t.Errorf("history: %+v, %v", versions, err)
	}
	if got, _ := s.List(t.Context(), shop, cloudfunction.Filter{}, firstPage); got.Total != 2 {
		t.Errorf("total %d", got.Total)
	}
}

// TestDeleteBesideRename: a function that is renamed while its versions are being deleted is deleted under its new name.
func TestDeleteBesideRename(t *testing.T) {
	s, client := newFunctions(t)
	mustCreate(t, s, "pay", "1")
	if _, err := s.Modify(t.Context(), shop, "Bob", "pay", cloudfunction.Patch{Remark: new("a version")}); err != nil {
		t.Fatal(err)
	}
	deleting, writes := *s, 0
	deleting.Store = &functiondb.Functions{Table: "FunctionsTable", Client: dynamotest.Faulty(client,
		func(operation string) dynamotest.Fault {
			if operation != "TransactWriteItems" {
				return 0
			}
			if writes++; writes == 2 { // the first one has deleted the version
				if _, err := s.Modify(t.Context(), shop, "Bob", "pay", cloudfunction.Patch{Name: new("paid")}); err != nil {
					t.Error(err)
				}
			}
			return 0
		})}
	if err := deleting.Delete(t.Context(), shop, "pay"); err != nil {
		t.Error(err)
	}
	if got, err := s.List(t.Context(), shop, cloudfunction.Filter{}, firstPage); err != nil || got.Total != 0 {
		t.Errorf("left: %+v, %v", got, err)
	}
}

func TestVersionsKeepTwentyAndTheirCode(t *testing.T) {
	s, client := newFunctions(t)
	big := incompressible(200 << 10)
	mustCreate(t, s, "pay", big)
	for i := range 30 {
		if _, err := s.Modify(t.Context(), shop, "Bob", "pay", cloudfunction.Patch{Remark: new(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	// All 31 versions have the code of the first one, so its chunk remains.
	v, err := s.Version(t.Context(), shop, "pay", 11)
	if err != nil || source(t, v.Code) != big || v.Remark != "9" {
		t.Fatalf("version 11: %+v, %v", v.Number, err)
	}
	if _, err := s.Version(t.Context(), shop, "pay", 10); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("version 10: %v", err)
	}
	page1, err := s.Versions(t.Context(), shop, "pay", page.Request{Limit: 5})
	if err != nil || page1.Total != 21 || page1.Objects[0].Number != 31 || !page1.Objects[0].Current || page1.Next == "" {
		t.Errorf("versions: %+v, %v", page1, err)
	}
	for i := range 25 {
		if _, err := s.Modify(
			t.Context(), shop, "Bob", "pay", cloudfunction.Patch{Code: new(fmt.Sprintf("let a = %d", i))},
		); err != nil {
			t.Fatal(err)
		}
	}
	// Both records, a counter, 20 versions, and 21 codes of one chunk each.
	if n := items(t, client, "FunctionsTable"); n != 23+21 {
		t.Errorf("%d items stay, want %d", n, 23+21)
	}
	back, err := s.Restore(t.Context(), shop, "Eve", "pay", 40)
	if err != nil || source(t, back.Code) != "let a = 8" || back.Version != 57 || back.UpdatedBy != "Eve" {
		t.Errorf("restore: %+v, %v", back, err)
	}
	if err := s.Delete(t.Context(), shop, "pay"); err != nil {
		t.Fatal(err)
	}
	if n := items(t, client, "FunctionsTable"); n != 1 {
		t.Errorf("%d items stay after delete, want the count", n)
	}
}

func TestEnvironmentsAreIsolated(t *testing.T) {
	s, _ := newFunctions(t)
	f := mustCreate(t, s, "pay", "1")
	for _, other := range []tenant.Scope{shopTest, {App: 70, Env: tenant.Production}} {
		if _, err := s.Read(t.Context(), other, "pay"); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%v reads it: %v", other, err)
		}
		if _, err := s.Store.ReadID(t.Context(), other, f.ID); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%v reads it by id: %v", other, err)
		}
		if err := s.Delete(t.Context(), other, "pay"); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%v deletes it: %v", other, err)
		}
		if got, err := s.List(t.Context(), other, cloudfunction.Filter{}, firstPage); err != nil || got.Total != 0 || len(got.Objects) != 0 {
			t.Errorf("%v lists it: %v", other, err)
		}
	}
}

func TestAuditMakesNoVersion(t *testing.T) {
	s, _ := newFunctions(t)
	mustCreate(t, s, "pay", "1")
	for _, status := range []cloudfunction.AuditStatus{
		cloudfunction.AuditWaiting, cloudfunction.AuditRejected, cloudfunction.AuditApproved,
	} {
		if _, err := s.SetAudit(t.Context(), shop, "pay", status); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Read(t.Context(), shop, "pay"); err != nil || got.Audit != status || got.Version != 1 {
			t.Errorf("%s: %+v, %v", status, got, err)
		}
	}
	if _, err := s.SetAudit(t.Context(), shop, "pay", "fine"); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("unknown status: %v", err)
	}
}
