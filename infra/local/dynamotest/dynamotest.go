// Package dynamotest gives each store test its own real DynamoDB: a dynoxide process with a file in the test's
// temporary directory. It ends with the test.
//
//	client := dynamotest.Start(t, "JobsTable", "FunctionsTable")
package dynamotest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/engine"
	"minicloud/infra/local/template"
)

// Start starts a database with the named tables and returns a client. The names are logical IDs of template.yaml: each
// table is named by its logical ID and has the keys, indexes and TTL of the template, and its stream once OpenStream
// opens it, because a stream doubles the processor time of each write. An unknown name fails the test.
func Start(t testing.TB, tables ...string) *dynamodb.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ddb.db")
	if err := os.WriteFile(path, empty(t, tables), 0o600); err != nil {
		t.Fatal(err)
	}
	return Serve(t, path).Client()
}

// files is the content of a database file with empty tables, by the names of the tables. Start copies it, because
// creating tables takes longer than starting a database.
var files sync.Map

func empty(t testing.TB, tables []string) []byte {
	t.Helper()
	names := strings.Join(tables, " ")
	if file, ok := files.Load(names); ok {
		return file.([]byte)
	}

	path := filepath.Join(t.TempDir(), "empty.db")
	server := Serve(t, path)
	if err := server.CreateTables(t.Context(), shapes(t, tables)); err != nil {
		t.Fatal(err)
	}
	server.Stop() // the process moves its log into the file
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files.Store(names, file)
	return file
}

// Binary returns the path of dynoxide.
func Binary(t testing.TB) string {
	t.Helper()
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	found, err := engine.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	return found.Path
}

// Serve starts a database on the file at path, which it creates if missing. The database ends with the test.
func Serve(t testing.TB, path string) *ddb.Server {
	t.Helper()
	server, err := ddb.Start(t.Context(), ddb.Config{Binary: Binary(t), Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

// known returns the tables of template.yaml by logical ID. A test process reads the template once, because reading it
// takes longer than starting a database.
var known = sync.OnceValues(func() (map[string]*template.Table, error) {
	root, err := ddb.Root()
	if err != nil {
		return nil, err
	}
	all, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		return nil, err
	}

	byID := map[string]*template.Table{}
	for _, table := range all.Tables {
		byID[table.ID] = table
	}
	return byID, nil
})

func shapes(t testing.TB, names []string) []ddb.Table {
	t.Helper()
	byID, err := known()
	if err != nil {
		t.Fatal(err)
	}

	var out []ddb.Table
	for _, name := range names {
		if byID[name] == nil {
			t.Fatalf("template.yaml has no table %s", name)
		}
		shape := ddb.FromTemplate(byID[name], name)
		shape.Create.StreamSpecification = nil
		out = append(out, shape)
	}

	return out
}

// intercept returns a client of the same database that passes each call through f, once per call and not per attempt.
func intercept(client *dynamodb.Client, name string, f func(
	context.Context, middleware.InitializeInput, middleware.InitializeHandler,
) (middleware.InitializeOutput, middleware.Metadata, error)) *dynamodb.Client {
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc(name, f), middleware.After)
		})
	})
}
