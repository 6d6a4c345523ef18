package functiondb_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

// watched returns a client that calls before with each operation; an error of before fails the call.
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

// process returns a service on the functions, with a cache of its own, like another program's process.
func process(client *dynamodb.Client) *cloudfunction.Service {
	return &cloudfunction.Service{
		Store: &functiondb.Functions{Client: client, Table: "FunctionsTable"}, IDs: new(id.Source), Clock: clock.Fixed(noon),
	}
}

// codeBytes returns the number of bytes of code in the table, and of the largest record.
func codeBytes(t *testing.T, client *dynamodb.Client) (code, record int) {
	t.Helper()
	p := dynamodb.NewScanPaginator(
		client, &dynamodb.ScanInput{TableName: aws.String("FunctionsTable"), ConsistentRead: aws.Bool(true)},
	)
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

func TestStoresEqualCodeOnce(t *testing.T) {
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
	if each := code / 2; each < len(packed.Gzip) || each > len(packed.Gzip)+100 {
		t.Errorf("a function holds %d bytes of code, want %d and those of \"1\" once", each, len(packed.Gzip))
	}
	if record > 1024 {
		t.Errorf("a record has %d bytes, to read it is to take more than one unit", record)
	}

	if _, err := s.Create(t.Context(), shopTest, "Ada", cloudfunction.New{Name: "a", Code: big}); err != nil {
		t.Fatal(err)
	}
	if all, _ := codeBytes(t, client); all != code+len(packed.Gzip) {
		t.Errorf("two environments hold %d bytes, want their own each", all)
	}
	for _, name := range []string{"a", "b"} {
		whole(t, client, name)
		if err := s.Delete(t.Context(), shop, name); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := codeBytes(t, client); left != len(packed.Gzip) {
		t.Errorf("%d bytes stay, want only the other environment's %d", left, len(packed.Gzip))
	}
}

// whole fails the test if the code of a function or of one of its versions cannot be read without a cache. A missing
// function is no failure.
func whole(t *testing.T, client *dynamodb.Client, name string) {
	t.Helper()
	s := process(client)
	f, err := s.Read(t.Context(), shop, name)
	if errs.Is(err, errs.KindNotFound) {
		return
	}
	if err != nil || sum(source(t, f.Code)) != f.Code.Digest {
		t.Errorf("%s: %v", name, err)
	}

	versions, err := s.Store.Versions(t.Context(), shop, f.ID)
	if err != nil || len(versions) > cloudfunction.MaxVersions {
		t.Errorf("%s has %d versions, %v", name, len(versions), err)
	}
	for _, listed := range versions {
		v, err := process(client).Store.Version(t.Context(), shop, f.ID, listed.Number)
		if errs.Is(err, errs.KindNotFound) {
			continue // deleted concurrently
		}
		if err != nil || sum(source(t, v.Code)) != listed.Code.Digest {
			t.Errorf("%s, version %d: %v", name, listed.Number, err)
		}
	}
}

func sum(source string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(source))) }

// TestCachesCodePerProcess: a process reads code once for runs and lists.
func TestCachesCodePerProcess(t *testing.T) {
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
		got, err := p.List(t.Context(), shop, cloudfunction.Filter{}, firstPage)
		if err != nil || got.Total != 5 || source(t, got.Objects[0].Code) != "let a = 1" ||
			source(t, got.Objects[4].Code) != "let a = 0" {
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

// TestKeepsCodeInUse: code stays readable while its last version is deleted and other requests upload the same code,
// restore a version with it, and read it without a cache.
func TestKeepsCodeInUse(t *testing.T) {
	s, client := newFunctions(t)
	code := incompressible(4 << 10)
	mustCreate(t, s, "restored", code)

	var wg sync.WaitGroup
	for n := range 4 {
		// With a fixed clock some of these functions get the id of a deleted one.
		wg.Go(func() {
			own, name := process(client), fmt.Sprintf("f%d", n)
			for i := range 12 {
				if _, err := own.Create(t.Context(), shop, "Ada", cloudfunction.New{Name: name, Code: code}); err != nil {
					t.Error(err)
					return
				}
				whole(t, client, name)
				if _, err := own.Modify(
					t.Context(), shop, "Bob", name, cloudfunction.Patch{Code: new(fmt.Sprint(i))},
				); err != nil {
					t.Error(err)
				}
				if err := own.Delete(t.Context(), shop, name); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := range 2 {
		// The version with the code is dropped and restored repeatedly.
		wg.Go(func() {
			own := process(client)
			for i := range 40 {
				patch := cloudfunction.Patch{Code: new(fmt.Sprintf("let a = %d", 100*n+i))}
				if i%10 == 9 {
					patch.Code = &code
				}
				f, err := own.Modify(t.Context(), shop, "Bob", "restored", patch)
				if err != nil {
					t.Error(err)
					return
				}
				if i%4 == 3 {
					_, err := own.Restore(t.Context(), shop, "Eve", "restored", max(1, f.Version-18))
					if err != nil && !errs.Is(err, errs.KindNotFound) {
						t.Error(err)
						return
					}
				}
				if i%8 == 7 {
					whole(t, client, "restored")
				}
			}
		})
	}
	wg.Wait()

	whole(t, client, "restored")
	if err := s.Delete(t.Context(), shop, "restored"); err != nil {
		t.Fatal(err)
	}
	if n := items(t, client, "FunctionsTable"); n > 8 {
		t.Errorf("%d items stay when all functions are deleted, want the counts", n)
	}
}

// TestInterruptedDeletionKeepsCode: after an interrupted deletion the function is complete or entirely deleted.
func TestInterruptedDeletionKeepsCode(t *testing.T) {
	s, client := newFunctions(t)
	mustCreate(t, s, "stays", "1")
	dead := errors.New("the program died")
	for after, died := 1, true; died; after++ {
		mustCreate(t, s, "goes", incompressible(2<<10))
		for i := range 8 {
			if _, err := s.Modify(
				t.Context(), shop, "Bob", "goes", cloudfunction.Patch{Code: new(fmt.Sprint(i / 2))},
			); err != nil {
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

		died = dying.Delete(t.Context(), shop, "goes") != nil
		whole(t, client, "goes")
		if died {
			if err := s.Delete(t.Context(), shop, "goes"); err != nil {
				t.Fatal(err)
			}
		}
		// The other function's two records and chunk, and the counters of functions.
		if n := items(t, client, "FunctionsTable"); n > 3+8 {
			t.Errorf("died after %d calls: %d items stay", after, n)
		}
	}
	if _, err := s.Read(t.Context(), shop, "goes"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("deleted: %v", err)
	}
}

// TestConcurrentDeletionKeepsRestoredCode: the first request reads, the second one writes, then the first one writes.
func TestConcurrentDeletionKeepsRestoredCode(t *testing.T) {
	modify := func(s *cloudfunction.Service) error { // drops the first version
		_, err := s.Modify(t.Context(), shop, "Ada", "f", cloudfunction.Patch{Code: new("let it = 'be new'")})
		return err
	}
	restore := func(version int) func(s *cloudfunction.Service) error {
		return func(s *cloudfunction.Service) error {
			_, err := s.Restore(t.Context(), shop, "Eve", "f", version)
			return err
		}
	}
	remove := func(s *cloudfunction.Service) error { return s.Delete(t.Context(), shop, "f") }
	for name, c := range map[string]struct {
		first, second func(*cloudfunction.Service) error
		write         int // the write of the first request that the second request precedes
		fails         bool
	}{
		"restored while it is dropped":         {modify, restore(1), 1, false},
		"dropped while it is restored":         {restore(1), modify, 1, true},
		"restored before versions are deleted": {remove, restore(1), 1, false},
		"restored while versions are deleted":  {remove, restore(15), 3, false},
		"restored before the last ones go":     {remove, restore(20), 7, false},
		"deleted while it is restored":         {restore(1), remove, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, client := newFunctions(t)
			mustCreate(t, s, "f", "let the = 'first'")
			for i := range cloudfunction.MaxVersions {
				if _, err := s.Modify(t.Context(), shop, "Bob", "f", cloudfunction.Patch{Code: new(fmt.Sprint(i))}); err != nil {
					t.Fatal(err)
				}
			}

			writes := 0
			first := process(watched(client, func(operation string) error {
				if operation != "TransactWriteItems" {
					return nil
				}
				if writes++; writes == c.write {
					if err := c.second(process(client)); err != nil && writes < 7 {
						t.Errorf("the second: %v", err)
					}
					whole(t, client, "f")
				}
				return nil
			}))
			if err := c.first(first); (err != nil) != c.fails || err != nil && !errs.Is(err, errs.KindNotFound) {
				t.Errorf("the first: %v", err)
			}
			if writes < c.write {
				t.Fatal("they did not meet")
			}

			whole(t, client, "f")
			if err := s.Delete(t.Context(), shop, "f"); err != nil && !errs.Is(err, errs.KindNotFound) {
				t.Error(err)
			}
			if n := items(t, client, "FunctionsTable"); n > 8 {
				t.Errorf("%d items stay", n)
			}
		})
	}
}
