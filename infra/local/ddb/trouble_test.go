package ddb_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"minicloud/infra/local/ddb"
)

// TestReportsDatabaseFaultOnce: the proxy reports the fault, because programs see only an internal error.
func TestReportsDatabaseFaultOnce(t *testing.T) {
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
