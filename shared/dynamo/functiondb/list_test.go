package functiondb_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/id"
	"minicloud/shared/page"
)

// many creates functions f000, f001 … with size bytes of code each; every tenth is named mail000 …
func many(t *testing.T, s *cloudfunction.Service, n, size int) {
	t.Helper()
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := worker; i < n; i += 8 {
				name := fmt.Sprintf("f%03d", i)
				if i%10 == 0 {
					name = fmt.Sprintf("mail%03d", i)
				}
				if _, err := s.Create(t.Context(), shop, "Ada", cloudfunction.New{Name: name, Code: incompressible(size)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestListWithoutCodeReadsRecordsOnly: a list without code reads no code, with hundreds of functions of 20 KB.
func TestListWithoutCodeReadsRecordsOnly(t *testing.T) {
	s, client := newFunctions(t)
	const n = 200
	many(t, s, n, 20<<10)
	lists := func(f cloudfunction.Filter) (names map[cloudfunction.Name]bool, total int, c dynamotest.Cost) {
		// A new service has cached no code.
		fresh := &cloudfunction.Service{
			Store: &functiondb.Functions{Client: dynamotest.Metered(client, &c), Table: "FunctionsTable"},
			IDs:   new(id.Source), Clock: clock.Fixed(noon),
		}
		names = map[cloudfunction.Name]bool{}
		for req := (page.Request{Limit: 80}); ; {
			got, err := fresh.List(t.Context(), shop, f, req)
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range got.Objects {
				names[each.Name] = true
				if f.NoCode != (each.Code.Gzip == nil) {
					t.Fatalf("%s has %d bytes of code", each.Name, len(each.Code.Gzip))
				}
			}
			total = got.Total
			if req.After = got.Next; got.Next == "" {
				return names, total, c
			}
		}
	}

	all, total, full := lists(cloudfunction.Filter{})
	t.Logf("%d functions of 20 KB with code: %d calls, %.1f read units", len(all), full.Calls, full.Units)
	if len(all) != n || total != n {
		t.Errorf("%d of %d functions, total %d", len(all), n, total)
	}
	all, total, bare := lists(cloudfunction.Filter{NoCode: true})
	t.Logf("without code: %d calls, %.1f read units", bare.Calls, bare.Units)
	if len(all) != n || total != n || bare.Units > n*0.2 || bare.Units > full.Units/10 {
		t.Errorf("%d of %d functions, total %d, for %.1f units", len(all), n, total, bare.Units)
	}
	all, total, found := lists(cloudfunction.Filter{Name: "mail", NoCode: true})
	t.Logf("by a part of the name: %d calls, %.1f read units", found.Calls, found.Units)
	if len(all) != n/10 || total != n/10 || found.Units > bare.Units+1 {
		t.Errorf("%d functions, total %d, for %.1f units", len(all), total, found.Units)
	}
}

func TestSearchPages(t *testing.T) {
	s, _ := newFunctions(t)
	for i := range 12 {
		mustCreate(t, s, fmt.Sprintf("%s%02d", []string{"mail", "sms"}[i%2], i), "1")
	}
	f := cloudfunction.Filter{Name: "mail"}
	var seen []string
	for req := (page.Request{Limit: 4}); ; {
		got, err := s.List(t.Context(), shop, f, req)
		if err != nil {
			t.Fatal(err)
		}
		if got.Total != 6 {
			t.Errorf("total %d", got.Total)
		}
		for _, each := range got.Objects {
			seen = append(seen, string(each.Name))
			if source(t, each.Code) != "1" {
				t.Errorf("%s has no code", each.Name)
			}
		}
		if req.After = got.Next; got.Next == "" {
			break
		}
	}
	if got := strings.Join(seen, " "); got != "mail10 mail08 mail06 mail04 mail02 mail00" {
		t.Error(got)
	}

	got, err := s.List(t.Context(), shop, f, page.Request{Limit: 2, Offset: 3})
	if err != nil || len(got.Objects) != 2 || got.Objects[0].Name != "mail04" || got.Total != 6 || got.Next == "" {
		t.Errorf("%v %+v", err, got)
	}
	got, err = s.List(t.Context(), shop, cloudfunction.Filter{Name: "none"}, firstPage)
	if err != nil || len(got.Objects) != 0 || got.Total != 0 || got.Next != "" {
		t.Errorf("%v %+v", err, got)
	}
}
