package ddb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/dynamotest"
)

func streamed(name string) ddb.Table {
	table := ddb.PlainTable(name)
	table.Create.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
	return table
}

func put(t testing.TB, client *dynamodb.Client, table, key string) {
	t.Helper()
	_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: key}, "sk": &types.AttributeValueMemberS{Value: "x"},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTablesAreKeptAndGrow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ddb.db")
	first := dynamotest.Serve(t, path)
	if err := first.CreateTables(t.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		t.Fatal(err)
	}
	put(t, first.Client(), "AAA", "kept")
	first.Stop()

	grown := streamed("AAA")
	grown.Create.AttributeDefinitions = append(grown.Create.AttributeDefinitions,
		types.AttributeDefinition{AttributeName: aws.String("owner"), AttributeType: types.ScalarAttributeTypeS})
	grown.Create.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName:  aws.String("by_owner"),
		KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("owner"), KeyType: types.KeyTypeHash}},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}}
	second := dynamotest.Serve(t, path)
	for range 2 { // the second call changes nothing
		if err := second.CreateTables(t.Context(), []ddb.Table{grown, ddb.PlainTable("BBB")}); err != nil {
			t.Fatal(err)
		}
	}
	client := second.Client()
	out, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("AAA")})
	if err != nil || out.Count != 1 {
		t.Fatalf("scan after restart: %v, %v", out, err)
	}
	about, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("AAA")})
	if err != nil {
		t.Fatal(err)
	}
	if len(about.Table.GlobalSecondaryIndexes) != 1 || !aws.ToBool(about.Table.StreamSpecification.StreamEnabled) {
		t.Errorf("the index or the stream was not added: %+v", about.Table)
	}

	other := ddb.PlainTable("AAA")
	other.Create.KeySchema = other.Create.KeySchema[:1]
	err = second.CreateTables(t.Context(), []ddb.Table{other})
	if err == nil || !strings.Contains(err.Error(), "table AAA: its keys are") {
		t.Errorf("other keys: %v", err)
	}
}

func TestSweep(t *testing.T) {
	server := dynamotest.Serve(t, filepath.Join(t.TempDir(), "ddb.db"))
	tables := []ddb.Table{ddb.PlainTable("AAA")}
	if err := server.CreateTables(t.Context(), tables); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_800_000_000, 0)
	for key, expires := range map[string]types.AttributeValue{
		"over":    &types.AttributeValueMemberN{Value: "1799999999"},
		"not yet": &types.AttributeValueMemberN{Value: "1800000001"},
		"text":    &types.AttributeValueMemberS{Value: "1"},
	} {
		if _, err := server.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("AAA"), Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: key}, "sk": &types.AttributeValueMemberS{Value: "x"},
			"expires_at": expires,
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := server.Sweep(t.Context(), tables, now); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	left, err := server.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("AAA")})
	if err != nil || left.Count != 2 {
		t.Errorf("%d left, %v", left.Count, err)
	}
}

func BenchmarkPut(b *testing.B) {
	server := dynamotest.Serve(b, filepath.Join(b.TempDir(), "ddb.db"))
	if err := server.CreateTables(b.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		b.Fatal(err)
	}
	client := server.Client()
	i := 0
	for b.Loop() {
		i++
		put(b, client, "AAA", fmt.Sprint(i))
	}
}

func TestKeepRestartsKilledDatabase(t *testing.T) {
	server := dynamotest.Serve(t, filepath.Join(t.TempDir(), "ddb.db"))
	if err := server.CreateTables(t.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		t.Fatal(err)
	}
	ended, kept := make(chan string, 10), make(chan error, 1)
	go func() { kept <- server.Keep(func(why string) { ended <- why }) }()
	for n := range 3 {
		put(t, server.Client(), "AAA", fmt.Sprint(n)) // the SDK retries until the database is back
		if err := syscall.Kill(server.Pid(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if why := <-ended; why != "signal: killed" {
			t.Errorf("ended with %q", why)
		}
	}
	put(t, server.Client(), "AAA", "after")
	out, err := server.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("AAA")})
	if err != nil || out.Count != 4 {
		t.Errorf("after three kills: %v items, %v; want 4", out.Count, err)
	}
	server.Stop()
	if err := <-kept; err != nil {
		t.Errorf("Keep after Stop: %v", err)
	}
}

func TestKeepRestartsDatabaseThatEndsEarly(t *testing.T) {
	dir := t.TempDir()
	// The script exits at once while the file has lines (three), as if it were killed during its start.
	script := filepath.Join(dir, "dynoxide")
	text := "#!/bin/sh\nif [ -s " + dir + "/ends ]; then sed -i 1d " + dir + "/ends; exit 9; fi\nexec " + dynamotest.Binary(t) +
		` "$@"`
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	server, err := ddb.Start(t.Context(), ddb.Config{Binary: script, Path: filepath.Join(dir, "ddb.db")})
	if err != nil {
		t.Fatal(err)
	}
	ended, kept := make(chan string, 10), make(chan error, 1)
	go func() { kept <- server.Keep(func(why string) { ended <- why }) }()
	if err := os.WriteFile(filepath.Join(dir, "ends"), []byte("1\n2\n3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(server.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"signal: killed", "ended without output", "ended without output", "ended without output",
	} {
		select {
		case why := <-ended:
			if why != want {
				t.Errorf("ended with %q, want %q", why, want)
			}
		case err := <-kept:
			t.Fatalf("gave up: %v", err)
		}
	}
	if err := server.CreateTables(t.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		t.Errorf("does not serve: %v", err) // the SDK retries until the database is back
	}
	server.Stop()
	if err := <-kept; err != nil {
		t.Errorf("Keep after Stop: %v", err)
	}
}
