package webhook_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/delivery"
	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/errs"
	"minicloud/shared/outbound/webhook"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// client has a timeout that no request reaches on a busy machine, unless o sets one.
func client(o safehttp.Options) *webhook.Client {
	o.PartialBody, o.Timeout = true, cmp.Or(o.Timeout, time.Minute)
	return &webhook.Client{HTTP: safehttp.New(o), Clock: clock.Fixed(noon)}
}

func send(t *testing.T, c *webhook.Client, url string) (delivery.Answer, error) {
	t.Helper()
	return c.Send(t.Context(), delivery.Request{
		URL: url, Body: "a.b.c",
		Headers: map[string]string{"Content-Type": "application/jwt", "webhook-id": "one", "X-Service-Trigger-Event": "e"},
	})
}

// statuses are the status codes with a meaning for proxies or receivers.
var statuses = []int{
	200, 201, 202, 203, 204, 205, 206, 207, 226, 299, 300, 301, 302, 303, 304, 305, 307, 308, 399,
	400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424,
	425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511, 599,
}

func TestReturnsEveryStatus(t *testing.T) {
	seen, status := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen++
		body, _ := io.ReadAll(r.Body)
		if r.Method != "POST" || string(body) != "a.b.c" || r.Header.Get("Webhook-Id") != "one" ||
			r.Header.Get("X-Service-Trigger-Event") != "e" || r.Header.Get("Content-Type") != "application/jwt" {
			t.Errorf("%s %v %s", r.Method, r.Header, body)
		}

		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		if status != 204 && status != 304 {
			fmt.Fprintf(w, "status %d", status)
		}
	}))

	defer server.Close()
	c := client(safehttp.Options{AllowPrivate: true})
	for i, code := range statuses {
		status = code
		answer, err := send(t, c, server.URL)
		want := fmt.Sprintf("status %d", code)
		if code == 204 || code == 304 {
			want = ""
		}
		if err != nil || answer.Status != code || answer.Body != want || seen != i+1 {
			t.Errorf("%d: %+v %v after %d requests", code, answer, err, seen)
		}
	}
}

func TestParsesRetryAfter(t *testing.T) {
	said := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", said)
		w.WriteHeader(503)
	}))
	defer server.Close()
	c := client(safehttp.Options{AllowPrivate: true})

	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "120": 2 * time.Minute, " 7 ": 7 * time.Second, "-5": 0, "1.5": 0, "soon": 0,
		"99999999999999999999":                      365 * 24 * time.Hour,
		noon.Add(time.Hour).Format(http.TimeFormat): time.Hour, noon.Add(-time.Hour).Format(http.TimeFormat): 0,
		"Sunday, 22-Nov-26 12:00:30 GMT": 30 * time.Second, "Sun Nov 22 12:00:40 2026": 40 * time.Second,
	} {
		said = text
		if answer, err := send(t, c, server.URL); err != nil || answer.RetryAfter != want {
			t.Errorf("%q: %v %v, want %v", text, answer.RetryAfter, err, want)
		}
	}
}

// TestReceiverFaults checks that bad responses end in time, with an error that names the fault.
func TestReceiverFaults(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(badly))
	defer server.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(badly))
	defer secure.Close()
	raw := listen(t, func(c net.Conn) { io.WriteString(c, "220 smtp ready\r\n") })
	reset := listen(t, func(c net.Conn) {
		c.Read(make([]byte, 1))
		_ = c.(*net.TCPConn).SetLinger(0)
	})

	c := client(safehttp.Options{AllowPrivate: true, Resolver: nobody{}})

	for _, r := range []struct {
		what, url string
		kind      errs.Kind
		status    int
		body      int
	}{
		{"huge body", server.URL + "/huge", "", 200, 64 << 10},
		{"huge headers", server.URL + "/headers", errs.KindUnavailable, 0, 0},
		{"reset in the body", server.URL + "/break", "", 500, 5},
		{"reset", "http://" + reset, errs.KindUnavailable, 0, 0},
		{"no HTTP", "http://" + raw, errs.KindUnavailable, 0, 0},
		{"refused", "http://127.0.0.1:1", errs.KindUnavailable, 0, 0},
		{"no certificate", secure.URL, errs.KindUnavailable, 0, 0},
		{"no such name", "http://nowhere.example/", errs.KindUnavailable, 0, 0},
	} {
		answer, err := send(t, c, r.url)
		if errs.KindOf(err) != r.kind || answer.Status != r.status || len(answer.Body) < r.body ||
			len(answer.Body) > 64<<10 {
			t.Errorf("%s: %d, %d bytes, %v", r.what, answer.Status, len(answer.Body), err)
		}
	}
}

// TestSlowReceivers checks that a slow response ends at the timeout: as an error, or with the part of the body so far.
func TestSlowReceivers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(badly))
	defer server.Close()

	quick := client(safehttp.Options{AllowPrivate: true, Timeout: 50 * time.Millisecond})
	if answer, err := send(t, quick, server.URL+"/silent"); !errs.Is(err, errs.KindTimeout) {
		t.Errorf("slow headers: %+v, %v", answer, err)
	}

	// On a busy machine the timeout can come before the first byte; then try a longer one.
	for timeout := 50 * time.Millisecond; ; timeout *= 2 {
		c := client(safehttp.Options{AllowPrivate: true, Timeout: timeout})
		answer, err := send(t, c, server.URL+"/drip")
		if errs.Is(err, errs.KindTimeout) && timeout < time.Minute {
			continue
		}
		if err != nil || answer.Status != 200 || answer.Body == "" {
			t.Errorf("slow body: %+v, %v", answer, err)
		}
		return
	}
}

// TestRefusesPrivateTargets checks that a redirect to a private address is returned as the answer, and that private
// addresses are never called.
func TestRefusesPrivateTargets(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	answer, err := send(t, client(safehttp.Options{AllowPrivate: true}), server.URL)
	if err != nil || answer.Status != 307 || asked != 1 {
		t.Errorf("a redirect: %+v %v, asked %d times", answer, err, asked)
	}

	strict := webhook.New(false)
	for _, target := range []string{
		server.URL, "http://169.254.169.254/", "http://10.0.0.1/", "http://[::1]/", "http://[::ffff:10.0.0.1]/",
		"http://[64:ff9b::a00:1]/", "http://100.64.0.1/", "http://224.0.0.1/", "http://2130706433/", "ftp://example.com/",
		"http://93.184.215.14:22/", "http://93.184.215.14:6379/",
	} {
		if _, err := send(t, strict, target); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s: %v, want Invalid", target, err)
		}
	}
	if asked != 1 {
		t.Error("a private target was called")
	}
}

func badly(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client has gone
	switch r.URL.Path {
	case "/silent":
		<-r.Context().Done()
	case "/drip":
		for r.Context().Err() == nil {
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	case "/huge":
		for chunk := strings.Repeat("x", 1<<16); ; {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	case "/headers":
		w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
	case "/break":
		w.WriteHeader(500)
		io.WriteString(w, "begun")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// listen serves each connection with f and closes it.
func listen(t *testing.T, f func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			f(conn)
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// nobody is a fake resolver that knows no host.
type nobody struct{}

func (nobody) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}
