// Package dynamotest gives store tests a real DynamoDB of their own: a dynoxide
// process on a file in the test's temporary directory, ended with the test.
//
//	client := dynamotest.Start(t, "JobsTable", "FunctionsTable")
package dynamotest

import (
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/ddb"
)

// Start starts a database, creates the tables named and returns its client. The
// names are logical ids of template.yaml, and the tables are called so too.
func Start(t testing.TB, tables ...string) *dynamodb.Client {
	t.Helper()
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := ddb.Binary(root)
	if err != nil {
		t.Fatal(err)
	}
	server, err := ddb.Start(t.Context(), ddb.Config{Binary: binary, Path: filepath.Join(t.TempDir(), "ddb.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	var shapes []ddb.Table
	for _, name := range tables {
		shapes = append(shapes, ddb.PlainTable(name))
	}
	if err := server.CreateTables(t.Context(), shapes); err != nil {
		t.Fatal(err)
	}
	return server.Client()
}
