package functiondb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	smithy "github.com/aws/smithy-go/middleware"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// watched returns a client whose calls are shown to before, which may refuse them.
func watched(client *dynamodb.Client, before func(operation string) error) *dynamodb.Client {
	watch := smithy.InitializeMiddlewareFunc("watch", func(ctx context.Context, in smithy.InitializeInput, next smithy.InitializeHandler) (smithy.InitializeOutput, smithy.Metadata, error) {
		if err := before(middleware.GetOperationName(ctx)); err != nil {
			return smithy.InitializeOutput{}, smithy.Metadata{}, err
		}
		return next.HandleInitialize(ctx, in)
	})
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *smithy.Stack) error {
			return stack.Initialize.Add(watch, smithy.After)
		})
	})
}

// process is a program's view of the functions, with a cache of its own.
func process(client *dynamodb.Client) *cloudfunction.Service {
	return &cloudfunction.Service{
		Store: &functiondb.Functions{Client: client, Table: "FunctionsTable"}, IDs: new(id.Source), Clock: clock.Fixed(noon),
	}
}

// codeBytes is how many bytes of code the table holds, and the largest record.
func codeBytes(t *testing.T, client *dynamodb.Client) (code, record int) {
	t.Helper()
	p := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String("FunctionsTable"), ConsistentRead: aws.Bool(true)})
	for p.HasMorePages() {
		out, err := p.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range out.Items {
			if part, ok := it["part"].(*types.AttributeValueMemberB); ok {
				code += len(part.Value)
				continue
			}
			size := 0
			for name, av := range it {
				size += len(name) + 8
				switch v := av.(type) {
				case *types.AttributeValueMemberS:
					size += len(v.Value)
				case *types.AttributeValueMemberB:
					size += len(v.Value)
				}
			}
			record = max(record, size)
		}
	}
	return code, record
}

func TestCodeIsStoredOnce(t *testing.T) {
	s, client := newFunctions(t)
	big := incompressible(500 << 10)
	packed, err := cloudfunction.Pack(big)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		mustCreate(t, s, name, big)
		for _, p := range []cloudfunction.Patch{{Remark: new("again")}, {Code: new("1")}, {Code: new(big)}} {
			if _, err := s.Modify(t.Context(), shop, "Bob", name, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	code, record := codeBytes(t, client)
	if code < len(packed.Gzip) || code > len(packed.Gzip)+100 {
		t.Errorf("the table holds %d bytes of code, want %d and those of \"1\" once", code, len(packed.Gzip))
	}
	if record > 1024 {
		t.Errorf("a record has %d bytes, to read it is to take more than one unit", record)
	}

	if _, err := s.Create(t.Context(), shopTest, "Ada", cloudfunction.New{Name: "a", Code: big}); err != nil {
		t.Fatal(err)
	}
	if both, _ := codeBytes(t, client); both != code+len(packed.Gzip) {
		t.Errorf("two environments hold %d bytes, want their own each", both)
	}
	if err := s.Delete(t.Context(), shop, "a"); err != nil {
		t.Fatal(err)
	}
	if got, err := process(client).Read(t.Context(), shop, "b"); err != nil || source(t, got.Code) != big {
		t.Errorf("the code went with the other function: %v", err)
	}
	if err := s.Delete(t.Context(), shop, "b"); err != nil {
		t.Fatal(err)
	}
	if left, _ := codeBytes(t, client); left != len(packed.Gzip) {
		t.Errorf("%d bytes stay, want only the other environment's %d", left, len(packed.Gzip))
	}
}

// TestCodeIsReadOncePerProcess: what a run reads, and a list, once it is known.
func TestCodeIsReadOncePerProcess(t *testing.T) {
	s, client := newFunctions(t)
	for i := range 5 {
		mustCreate(t, s, fmt.Sprintf("f%d", i), fmt.Sprintf("let a = %d", i%3))
	}
	var calls []string
	p := process(watched(client, func(operation string) error { calls = append(calls, operation); return nil }))
	read := func() {
		got, err := p.Read(t.Context(), shop, "f1")
		if err != nil || source(t, got.Code) != "let a = 1" {
			t.Fatal(err)
		}
	}
	list := func() {
		got, err := p.List(t.Context(), shop, firstPage)
		if err != nil || got.Total != 5 || source(t, got.Objects[0].Code) != "let a = 1" || source(t, got.Objects[4].Code) != "let a = 0" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	for i, step := range []struct {
		do   func()
		want string
	}{
		{read, "GetItem BatchGetItem"}, {read, "GetItem"}, {list, "Query BatchGetItem"}, {list, "Query"},
	} {
		calls = nil
		step.do()
		if got := strings.Join(calls, " "); got != step.want {
			t.Errorf("step %d calls %s, want %s", i, got, step.want)
		}
	}
}

// TestCodeInUseIsNeverMissing: while its last uses go, others bring the same code
// again, restore a version that has it, and read it without any cache.
func TestCodeInUseIsNeverMissing(t *testing.T) {
	s, client := newFunctions(t)
	code := incompressible(4 << 10)
	mustCreate(t, s, "restored", code)
	if _, err := s.Modify(t.Context(), shop, "Bob", "restored", cloudfunction.Patch{Code: new("1")}); err != nil {
		t.Fatal(err)
	}

	var wg sync.WaitGroup
	var reads atomic.Int32
	check := func(name string) {
		got, err := process(client).Read(t.Context(), shop, name)
		if err != nil {
			t.Errorf("read %s: %v", name, err)
		} else if text := source(t, got.Code); text != code && len(text) > 20 {
			t.Errorf("%s has other code of %d bytes", name, len(text))
		}
		reads.Add(1)
	}
	for n := range 4 {
		wg.Go(func() { // creates and deletes: its use is the last one now and then
			own, name := process(client), fmt.Sprintf("f%d", n)
			for range 12 {
				if _, err := own.Create(t.Context(), shop, "Ada", cloudfunction.New{Name: name, Code: code}); err != nil {
					t.Error(err)
					return
				}
				check(name)
				if err := own.Delete(t.Context(), shop, name); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Go(func() { // the version with the code is pruned and brought back, again and again
		own := process(client)
		for i := range 40 {
			patch := cloudfunction.Patch{Code: new(fmt.Sprintf("let a = %d", i))}
			if i%10 == 9 {
				patch.Code = &code
			}
			f, err := own.Modify(t.Context(), shop, "Bob", "restored", patch)
			if err != nil {
				t.Error(err)
				return
			}
			if i%4 == 3 {
				if _, err := own.Restore(t.Context(), shop, "Eve", "restored", max(1, f.Version-18)); err != nil {
					t.Error(err)
					return
				}
			}
			check("restored")
		}
	})
	wg.Wait()
	if reads.Load() != 4*12+40 {
		t.Errorf("%d reads", reads.Load())
	}
	if err := s.Delete(t.Context(), shop, "restored"); err != nil {
		t.Fatal(err)
	}
	if n := items(t, client, "FunctionsTable"); n > 8 {
		t.Errorf("%d items stay when all functions are deleted, want the counts", n)
	}
}

// TestADeletionThatDiesIsFinished by the next one, wherever it died, and never
// takes code that another function uses.
func TestADeletionThatDiesIsFinished(t *testing.T) {
	s, client := newFunctions(t)
	shared := incompressible(2 << 10)
	mustCreate(t, s, "stays", shared)
	dead := errors.New("the program died")
	for after := 1; ; after++ {
		mustCreate(t, s, "goes", shared)
		for i := range 3 {
			if _, err := s.Modify(t.Context(), shop, "Bob", "goes", cloudfunction.Patch{Code: new(fmt.Sprint(i))}); err != nil {
				t.Fatal(err)
			}
		}
		calls := 0
		dying := process(watched(client, func(string) error {
			if calls++; calls > after {
				return dead
			}
			return nil
		}))
		err := dying.Delete(t.Context(), shop, "goes")
		if err != nil {
			if err := s.Delete(t.Context(), shop, "goes"); err != nil { // it had not begun
				t.Fatal(err)
			}
		}
		if got, err := process(client).Read(t.Context(), shop, "stays"); err != nil || source(t, got.Code) != shared {
			t.Fatalf("died after %d calls: the other function has lost its code: %v", after, err)
		}
		if err == nil && calls <= after {
			break // it lived to its end
		}
	}

	mustCreate(t, s, "other", "1")
	if err := s.Delete(t.Context(), shop, "other"); err != nil {
		t.Fatal(err)
	}
	// Both records, a use, its count and the chunk; the counts of functions.
	if n := items(t, client, "FunctionsTable"); n > 5+8 {
		t.Errorf("%d items stay", n)
	}
	if _, err := s.Read(t.Context(), shop, "goes"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("deleted: %v", err)
	}
}

// TestTheLastUseMeetsANewOne: one looks, then the other writes, then the first does.
func TestTheLastUseMeetsANewOne(t *testing.T) {
	const code = "let the = 'same'"
	create := func(s *cloudfunction.Service) error {
		_, err := s.Create(t.Context(), shop, "Ada", cloudfunction.New{Name: "late", Code: code})
		return err
	}
	restore := func(s *cloudfunction.Service) error {
		_, err := s.Restore(t.Context(), shop, "Ada", "late", 1)
		return err
	}
	remove := func(s *cloudfunction.Service) error { return s.Delete(t.Context(), shop, "early") }
	for name, c := range map[string]struct {
		first, second func(*cloudfunction.Service) error
		write         int // of the first, before which the second comes
		restores      bool
	}{
		"created while the code goes":  {remove, create, 2, false},
		"code goes while created":      {create, remove, 1, false},
		"restored while the code goes": {remove, restore, 2, true},
		"code goes while restored":     {restore, remove, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, client := newFunctions(t)
			mustCreate(t, s, "early", code)
			if c.restores {
				mustCreate(t, s, "late", code)
				if _, err := s.Modify(t.Context(), shop, "Bob", "late", cloudfunction.Patch{Code: new("1")}); err != nil {
					t.Fatal(err)
				}
			}
			writes := 0
			first := process(watched(client, func(operation string) error {
				if operation != "TransactWriteItems" {
					return nil
				}
				if writes++; writes == c.write {
					if err := c.second(process(client)); err != nil {
						t.Errorf("the second: %v", err)
					}
				}
				return nil
			}))
			if err := c.first(first); err != nil {
				t.Errorf("the first: %v", err)
			}
			if writes < c.write {
				t.Fatal("they did not meet")
			}
			got, err := process(client).Read(t.Context(), shop, "late")
			if err != nil || source(t, got.Code) != code {
				t.Errorf("%q, %v", got.Name, err)
			}
		})
	}
}
