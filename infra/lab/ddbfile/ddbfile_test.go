// Package ddbfile tries the database file of the local DynamoDB: what dynoxide creates, what empty.db adds, and what
// the local cloud says of a file that is not right. Its tests need an SQLite library, which the product does without.
package ddbfile

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	_ "modernc.org/sqlite" // the driver "sqlite"

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

// TestWritesStayFast fails when the index on the stream records is not there or
// not used: a write would then take longer with every record kept, a thousand times as long with these.
func TestWritesStayFast(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ddb.db")
	server := dynamotest.Serve(t, path)
	if err := server.CreateTables(t.Context(), []ddb.Table{streamed("AAA")}); err != nil {
		t.Fatal(err)
	}
	client := server.Client()
	fastest := func(label string) time.Duration { // what runs beside this test makes puts only slower
		best := time.Hour
		for i := range 100 {
			begun := time.Now()
			put(t, client, "AAA", fmt.Sprint(label, i))
			best = min(best, time.Since(begun))
		}
		return best
	}
	early := fastest("a")
	addRecords(t, path, 100_000)
	late := fastest("b")
	t.Logf("a put took %v with 100 records and %v with 100,000 more", early, late)
	if late > 30*early { // far above what a busy machine makes of it
		t.Errorf("a put took %v with 100 stream records and %v with 100,000 more", early, late)
	}
}

// TestStreamRecordsExpire: a write drops records of its table that are older than 24 h, but never the newest.
func TestStreamRecordsExpire(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ddb.db")
	server := dynamotest.Serve(t, path)
	if err := server.CreateTables(t.Context(), []ddb.Table{streamed("AAA"), streamed("BBB")}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"1", "2", "3"} {
		put(t, server.Client(), "AAA", key)
	}
	put(t, server.Client(), "BBB", "1")
	written := sequences(t, path)

	age(t, path, 23*time.Hour)
	put(t, server.Client(), "AAA", "4")
	if got := sequences(t, path); len(got) != 5 || !slices.Contains(got, written[0]) {
		t.Errorf("%v are left of %v after 23 h", got, written)
	}

	age(t, path, 2*time.Hour)
	put(t, server.Client(), "AAA", "5")
	put(t, server.Client(), "AAA", "6")
	got := sequences(t, path)
	if len(got) != 4 || slices.ContainsFunc(written[:3], func(old string) bool { return slices.Contains(got, old) }) {
		t.Errorf("%v are left of %v after 25 h, want 3 of AAA and 1 of BBB", got, written)
	}
	put(t, server.Client(), "BBB", "2")
	if last := sequences(t, path); len(last) != 4 || last[3] <= written[3] {
		t.Errorf("%v: the next number of BBB does not follow %v", last, written[3])
	}
}

var update = flag.Bool("update", false, "write empty.db of infra/local/ddb")

// empty is the file that the local cloud copies.
const empty = "../../local/ddb/empty.db"

// TestEmptyDatabase compares empty.db with what dynoxide creates: another version may keep its records otherwise.
func TestEmptyDatabase(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	script := filepath.Join(t.TempDir(), "dynoxide")
	// A database that this package has not prepared.
	text := "#!/bin/sh\nrm -f " + fresh + "\nexec " + dynamotest.Binary(t) + ` "$@"`
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	server, err := ddb.Start(t.Context(), ddb.Config{Binary: script, Path: fresh})
	if err != nil {
		t.Fatal(err)
	}
	server.Stop()
	created := schema(t, fresh)["_stream_records"]

	if *update {
		if err := os.Remove(empty); err != nil {
			t.Fatal(err)
		}
		execute(t, empty, created,
			`CREATE INDEX _local_seq ON _stream_records(table_name, CAST(sequence_number AS INTEGER))`,
			`CREATE TRIGGER _local_retention AFTER INSERT ON _stream_records BEGIN
				DELETE FROM _stream_records WHERE created_at < NEW.created_at - 86400 AND id IN (
					SELECT id FROM _stream_records WHERE table_name = NEW.table_name
					ORDER BY CAST(sequence_number AS INTEGER) LIMIT 2);
			END`,
			`PRAGMA application_id = 0x6d696e69`)
	}
	if ours := schema(t, empty)["_stream_records"]; ours != created {
		t.Errorf("dynoxide creates\n%s\nempty.db has\n%s\nrun this test with -update", created, ours)
	}
}

// schema returns the statements that made the file's tables, by their names.
func schema(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT name, sql FROM sqlite_master WHERE type = 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()

	statements := map[string]string{}
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			t.Fatal(err)
		}
		statements[name] = statement
	}
	return statements
}

// execute runs statements on the file.
func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// age makes all stream records older.
func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	execute(t, path, fmt.Sprintf(`UPDATE _stream_records SET created_at = created_at - %d`, int(by.Seconds())))
}

// addRecords adds copies of the newest stream record with numbers that follow.
func addRecords(t *testing.T, path string, n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`INSERT INTO _stream_records(table_name, event_name, keys_json, new_image, sequence_number, shard_id, created_at)
		WITH RECURSIVE more(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM more WHERE i < ?)
		SELECT r.table_name, r.event_name, r.keys_json, r.new_image, CAST(r.sequence_number AS INTEGER) + i, r.shard_id, r.created_at
		FROM more, (SELECT * FROM _stream_records ORDER BY id DESC LIMIT 1) r`, n); err != nil {
		t.Fatal(err)
	}
}

func sequences(t *testing.T, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT table_name || ' ' || sequence_number FROM _stream_records ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// database makes a database file of ours.
func database(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ddb.db")
	server := dynamotest.Serve(t, path)
	if err := server.CreateTables(t.Context(), []ddb.Table{streamed("AAA")}); err != nil {
		t.Fatal(err)
	}
	put(t, server.Client(), "AAA", "x")
	server.Stop()
	return path
}

func TestReportsBrokenFile(t *testing.T) {
	write := func(content string) string {
		path := filepath.Join(t.TempDir(), "ddb.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	connect := func(path, do string) *sql.DB {
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		db.SetMaxOpenConns(1) // a lock is a connection's
		if _, err := db.Exec(do); err != nil {
			t.Fatal(err)
		}
		return db
	}
	foreign := filepath.Join(t.TempDir(), "ddb.db")
	connect(foreign, "CREATE TABLE theirs(a)").Close()
	locked := database(t)
	connect(locked, "BEGIN EXCLUSIVE")
	corrupt := database(t)
	whole, err := os.ReadFile(corrupt)
	if err != nil {
		t.Fatal(err)
	}
	copy(whole[100:], make([]byte, 4000)) // the list of tables
	if err := os.WriteFile(corrupt, whole, 0o600); err != nil {
		t.Fatal(err)
	}

	tests := []struct{ name, path, want string }{
		{
			"another kind of file", write(strings.Repeat("hello ", 1000)),
			"is no SQLite file: restore it from a copy, or move it away",
		},
		{"cut short", write("SQLite"), "is no SQLite file"},
		{"cut later", write(string(whole[:5000])), "the file is damaged: restore it from a copy, or delete its folder"},
		{"damaged", corrupt, "the file is damaged: restore it from a copy, or delete its folder"},
		{"another program's", foreign, "is another program's: move it away"},
		{"locked", locked, "another program uses the file (a database browser?): close it"},
		{"a folder", t.TempDir(), "is a folder: move it away"},
		{"in a folder that is not there", filepath.Join(t.TempDir(), "no", "ddb.db"), "are yours to write"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server, err := ddb.Start(t.Context(), ddb.Config{Binary: dynamotest.Binary(t), Path: tt.path})
			if err == nil {
				server.Stop()
				t.Fatal("it started")
			}
			if text := err.Error(); !strings.Contains(text, "the database "+tt.path) || !strings.Contains(text, tt.want) ||
				strings.Contains(text, "\n") {
				t.Errorf("%v\nwant one line with the file and %q", err, tt.want)
			}
		})
	}
}
