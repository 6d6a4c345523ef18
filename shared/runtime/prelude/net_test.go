package prelude_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/runtime/engine"
	"minicloud/shared/runtime/host"
	"minicloud/shared/sandbox"
)

var netUpdate = flag.Bool("node", false, "write testdata/net with real Node and axios")

// world starts a test server on loopback that stands for the internet, and returns its URL.
func world(t testing.TB) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/form", form)
	for path, answer := range map[string][2]string{
		"/json": {"application/json", `{"ok":true}`}, "/text": {"text/plain", "plain text"}, "/number": {"text/plain", "42"},
		"/bom": {"text/plain", "\ufeff[1]"}, "/bytes": {"image/png", "\x89PNG\x00\xff\xfe"},
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", answer[0])
			w.Header().Set("X-Answer", "yes")
			io.WriteString(w, answer[1])
		})
	}
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.WriteHeader(code)
		if code != http.StatusNoContent {
			fmt.Fprintf(w, "status %d", code)
		}
	})
	mux.HandleFunc("/cookies", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Set-Cookie"] = []string{"a=1; Path=/", "b=2"}
		w.Header()["X-Two"] = []string{"1", "2"}
	})
	mux.HandleFunc("/redirect/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		to := "/echo"
		if n > 1 {
			to = fmt.Sprintf("/redirect/%d", n-1)
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/redirect-to", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.Header().Set("Location", "/echo")
		w.WriteHeader(code)
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(time.Second):
		}
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		z := gzip.NewWriter(w)
		io.WriteString(z, "unpacked")
		z.Close()
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		w.Write(make([]byte, n))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	return server.URL
}

// connection are headers that differ between HTTP clients.
var connection = map[string]bool{
	"Accept-Encoding": true, "Connection": true, "Content-Length": true, "Transfer-Encoding": true, "Keep-Alive": true,
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	headers := map[string]string{}
	for name, values := range r.Header {
		if !connection[name] {
			headers[strings.ToLower(name)] = strings.Join(values, "|")
		}
	}
	if kind, _, found := strings.Cut(headers["content-type"], "; boundary="); found {
		headers["content-type"] = kind
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "path": r.URL.RequestURI(), "headers": headers, "body": string(body),
	})
}

func form(w http.ResponseWriter, r *http.Request) {
	got := map[string]any{}
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for name, values := range r.MultipartForm.Value {
		got[name] = values
	}
	for name, files := range r.MultipartForm.File {
		f, _ := files[0].Open()
		content, _ := io.ReadAll(f)
		got[name] = map[string]any{"name": files[0].Filename, "type": files[0].Header.Get("Content-Type"), "content": string(content)}
	}
	json.NewEncoder(w).Encode(got)
}

// online is a Host that executes requests like those of a function, to this machine.
type online struct {
	silent
	caller  *host.Caller
	replies chan engine.Reply
	calls   int
}

func newOnline() *online {
	return &online{caller: host.New(true), replies: make(chan engine.Reply, 100)}
}

func (o *online) Replies() <-chan engine.Reply { return o.replies }

func (o *online) Call(id int32, op, payload string) {
	o.calls++
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		answer, err := o.caller.Call(ctx, sandbox.Host{}, op, json.RawMessage(payload))
		if err != nil {
			o.replies <- engine.Reply{ID: id, Text: err.Error()}
			return
		}
		o.replies <- engine.Reply{ID: id, OK: true, Text: string(answer)}
	}()
}

// netMain runs a program in the same way as golden.mjs.
const netMain = `const show = (v) => (typeof v === "string" ? v
	: typeof v === "object" && v !== null && !(v instanceof Error) ? JSON.stringify(v, (k, x) => (typeof x === "bigint" ? x + "n" : x))
	: Object.is(v, -0) ? "-0" : String(v));
exports.main = async ({ data: { base } }) => {
	const lines = [], axios = BaaS.request;
	const print = (...values) => { lines.push(values.map(show).join(" ")); };
	const tell = (error) => print(error.name, error.message, error.code, error.cause?.message, error.cause?.code);
	await (async () => {
%s
	})();
	return lines.join("\n").replaceAll(base, "BASE").replaceAll(new URL(base).host, "HOST");
};`

// TestNetMatchesNode compares requests with the results of Node and axios against the same server.
func TestNetMatchesNode(t *testing.T) {
	files, err := filepath.Glob("testdata/net/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	base := world(t)
	for _, file := range files {
		titles, programs, want := blocks(t, file)
		if *netUpdate {
			want = onNode(t, base, programs)
			write(t, file, titles, programs, want)
		}
		e := sandboxed(t)
		for i, title := range titles {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+title, func(t *testing.T) {
				report := e.Run(job(fmt.Sprintf(netMain, programs[i]), map[string]any{"base": base}), newOnline())
				e.Reset()
				var got string
				if err := json.Unmarshal(report.Data, &got); err != nil {
					t.Fatalf("%+v", report.Error)
				}
				if diff := cmp.Diff(strings.Split(want[i], "\n"), strings.Split(got, "\n")); diff != "" {
					t.Errorf("-node +sandbox\n%s", diff)
				}
			})
		}
	}
}

// blocks returns the programs of a file and their expected output.
func blocks(t *testing.T, file string) (titles, programs, want []string) {
	for _, block := range strings.Split("\n"+text(t, file), "\n=== ")[1:] {
		title, rest, _ := strings.Cut(block, "\n")
		program, result, found := strings.Cut(rest, "\n---\n")
		if !found && !*netUpdate {
			t.Fatalf("%s: %q has no result", file, title)
		}
		titles, programs = append(titles, title), append(programs, strings.TrimSuffix(program, "\n"))
		want = append(want, strings.TrimSuffix(result, "\n"))
	}
	return titles, programs, want
}

func onNode(t *testing.T, base string, programs []string) (results []string) {
	packages, err := filepath.Abs("../../../infra/packages/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(map[string]any{"base": base, "axios": packages, "programs": programs})
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", "testdata/net/golden.mjs")
	node.Stdin, node.Stderr = bytes.NewReader(in), os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatal(err)
	}
	return results
}

func write(t *testing.T, file string, titles, programs, want []string) {
	var out strings.Builder
	for i, title := range titles {
		fmt.Fprintf(&out, "=== %s\n%s\n---\n%s\n", title, programs[i], want[i])
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
