package ddb_test

import (
	"database/sql"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minicloud/infra/local/ddb"
)

// database makes a database file of ours.
func database(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ddb.db")
	server := start(t, path)
	if err := server.CreateTables(t.Context(), []ddb.Table{streamed("AAA")}); err != nil {
		t.Fatal(err)
	}
	put(t, server.Client(), "AAA", "x")
	server.Stop()
	return path
}

func TestWhatIsWrongWithTheFile(t *testing.T) {
	write := func(content string) string {
		path := filepath.Join(t.TempDir(), "ddb.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	connect := func(path, do string) *sql.DB {
		db, err := sql.Open("sqlite", "file:"+path)
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
			server, err := ddb.Start(t.Context(), ddb.Config{Binary: dynoxide(t), Path: tt.path})
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

// TestTroubleWhileItServesIsTold by the proxy, once: the programs see only that
// something failed.
func TestTroubleWhileItServesIsTold(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	full := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(
			w, `{"__type":"InternalServerError","message":"commit failed (backend: database or disk is full)"}`,
		)
	})}
	go full.Serve(l)
	defer full.Close()
	told := make(chan error, 10)
	proxy, err := ddb.NewProxy(
		ddb.Elsewhere("http://"+l.Addr().String()), ddb.ProxyConfig{Tell: func(err error) { told <- err }},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	for range 3 {
		resp, err := http.Post(proxy.URL, "application/x-amz-json-1.0", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		if resp.StatusCode != 500 || !strings.Contains(string(answer), "disk is full") || err != nil {
			t.Errorf("%d %s, %v", resp.StatusCode, answer, err)
		}
	}
	close(told)
	first, second := <-told, <-told
	if first == nil || !strings.Contains(first.Error(), "free some space") || second != nil {
		t.Errorf("told %v, %v", first, second)
	}
}
