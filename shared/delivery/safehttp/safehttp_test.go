package safehttp

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/trace/depth"
)

// names is a fake resolver that returns the next list of addresses at each lookup of a name; the last list repeats.
type names map[string][][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	answers, ok := n[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.9.8.7:53", IsNotFound: true}
	}
	if len(answers) > 1 {
		n[host] = answers[1:]
	}
	var addrs []netip.Addr
	for _, text := range answers[0] {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

// patience is a timeout that no request reaches, even on a busy machine.
const patience = time.Minute

var errDialled = errors.New("dialled")

// recording returns a client that records the addresses it would dial, without dialling.
func recording(options Options) (*Client, *[]string) {
	c := New(options)
	dialled := &[]string{}
	c.connect = func(_ context.Context, _, address string) (net.Conn, error) {
		*dialled = append(*dialled, address)
		return nil, errDialled
	}
	return c, dialled
}

func get(t *testing.T, c *Client, target string) (*Response, error) {
	t.Helper()
	request, err := http.NewRequest("GET", target, nil)
	if err != nil {
		return nil, errs.Invalid("url: %v", err)
	}
	return c.Do(t.Context(), request)
}

func TestRefusesTargets(t *testing.T) {
	c, dialled := recording(Options{Resolver: names{
		"internal.example": {{"10.0.0.7"}},
		"mapped.example":   {{"::ffff:127.0.0.1"}},
		"six.example":      {{"fd00::1", "::1"}},
		"localhost":        {{"127.0.0.1", "::1"}},
	}})

	for _, target := range []string{
		"http://127.0.0.1/", "http://127.0.0.1./", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
		"http://[0:0:0:0:0:ffff:8.8.8.8]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
		"http://2130706433/", "http://0177.0.0.1/", "http://0x7f.1/", "http://0x7f000001/", "http://127.1/",
		"http://127.0.1/",
		"http://0/", "http://017700000001/", "http://127.0.0.1.0x/", "http://4294967296/", "http://1.2.3.4.5/",
		"http://256.1.1.1/",
		"http://127\u30020\u30020\u30021/", "http://\uff11\uff12\uff17.0.0.1/", "http://127\uff0e0\uff610\u30021/",
		"http://①②⑦.0.0.1/", "http://%31%32%37.0.0.1/",
		"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://100.100.100.200/",
		"http://[fe80::1%25eth0]/", "http://[fe80::1]/", "http://0.0.0.0/", "http://255.255.255.255/",
		"http://localhost/", "http://localhost./", "http://LOCALHOST/", "http://internal.example/",
		"http://mapped.example/", "http://six.example/",
		"http://public@1.1.1.1/", "http://user:pass@1.1.1.1/", "http://1.1.1.1@127.0.0.1/", "http://@127.0.0.1/",
		"http://1.1.1.1:22/", "http://1.1.1.1:0/", "http://1.1.1.1:6379/", "http://1.1.1.1:65536/",
		"http://1.1.1.1:99999999999999999999/",
		"ftp://1.1.1.1/", "file:///etc/passwd", "gopher://1.1.1.1/", "//1.1.1.1/", "/path", "http:1.1.1.1", "http:///path",
		"http://:80/", "http://./", "http://../",
		"http://1.1.1.1\r\nHost: x/", "http://1.1.1.1 /", "http://[::1/", "http://1.1.1.1\\@127.0.0.1/",
	} {
		_, err := get(t, c, target)
		if !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%q: %v, want Invalid", target, err)
		}
		if strings.Contains(errs.Message(err), "10.0.0.7") {
			t.Errorf("%q: message %q tells a resolved address", target, errs.Message(err))
		}
	}

	if len(*dialled) != 0 {
		t.Errorf("dialled %v", *dialled)
	}
}

func TestDialsPublicTargets(t *testing.T) {
	resolver := names{
		"example.com":           {{"::ffff:93.184.215.14"}},
		"xn--bcher-kva.example": {{"93.184.215.15"}},
		"mixed.example":         {{"10.0.0.1", "93.184.215.16", "64:ff9b::1", "2606:4700::1"}},
		"many.example":          {{"1.0.0.1", "1.0.0.2", "1.0.0.3", "1.0.0.4", "1.0.0.5"}},
		"0x7f.example":          {{"93.184.215.17"}},
		"1.2.3.4.nip.example":   {{"93.184.215.18"}},
	}

	for target, want := range map[string]string{
		"http://example.com/":           "[93.184.215.14:80]",
		"https://example.com./":         "[93.184.215.14:443]",
		"HTTPS://EXAMPLE.com:8443/":     "[93.184.215.14:8443]",
		"http://bücher.example:8080/":   "[93.184.215.15:8080]",
		"http://mixed.example/":         "[93.184.215.16:80 [2606:4700::1]:80]",
		"http://many.example/":          "[1.0.0.1:80 1.0.0.2:80 1.0.0.3:80 1.0.0.4:80]",
		"http://0x7f.example/":          "[93.184.215.17:80]",
		"http://1.2.3.4.nip.example/":   "[93.184.215.18:80]",
		"http://8.8.8.8/":               "[8.8.8.8:80]",
		"http://8.8.8.\uff18/":          "[8.8.8.8:80]",
		"http://[2606:4700::1111]:443/": "[[2606:4700::1111]:443]",
	} {
		c, dialled := recording(Options{Resolver: resolver})
		_, err := get(t, c, target)
		if !errs.Is(err, errs.KindUnavailable) {
			t.Errorf("%s: %v, want Unavailable from the recording dialler", target, err)
		}
		if got := fmt.Sprint(*dialled); got != want {
			t.Errorf("%s dialled %s, want %s", target, got, want)
		}
	}
}

func TestDialsOnlyCheckedAddresses(t *testing.T) {
	c, dialled := recording(Options{Resolver: names{"rebind.example": {{"93.184.215.14"}, {"127.0.0.1"}}}})
	if _, err := get(t, c, "http://rebind.example/"); !errs.Is(err, errs.KindUnavailable) {
		t.Fatalf("first: %v", err)
	}
	if got := fmt.Sprint(*dialled); got != "[93.184.215.14:80]" {
		t.Fatalf("dialled %s: not the address that was checked", got)
	}
	if _, err := get(t, c, "http://rebind.example/"); !errs.Is(err, errs.KindInvalid) {
		t.Fatalf("second: %v, want Invalid", err)
	}
	if len(*dialled) != 1 {
		t.Fatalf("dialled %v", *dialled)
	}
}

// TestSocketRefusesPrivateAddress checks that the socket refuses a private address even if the earlier checks
// passed it.
func TestSocketRefusesPrivateAddress(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	address := server.Listener.Addr().String()
	if _, err := New(Options{}).connect(t.Context(), "tcp", address); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("connect to loopback: %v, want Invalid", err)
	}
	conn, err := New(Options{AllowPrivate: true}).connect(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("AllowPrivate: %v", err)
	}
	conn.Close()
}

func TestRemovesConnectionHeaders(t *testing.T) {
	var seen *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	c := New(Options{AllowPrivate: true, Timeout: patience})
	request, _ := http.NewRequest("POST", server.URL, strings.NewReader("hello"))
	request.Host = "other.example"
	request.Header = http.Header{
		"Host": {"other.example"}, "connection": {"upgrade"}, "Transfer-Encoding": {"chunked"}, "Te": {"trailers"},
		"Upgrade": {"websocket"}, "Content-Length": {"1"}, "Proxy-Authorization": {"x"}, "Accept-Encoding": {"br"},
		"Trailer": {"X"}, "X-Mine": {"kept"}, "content-type": {"application/jwt"},
	}

	if _, err := c.Do(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if seen.Host == "other.example" || string(body) != "hello" || len(seen.TransferEncoding) > 0 {
		t.Errorf("host %q, body %q, framing %v", seen.Host, body, seen.TransferEncoding)
	}

	for _, name := range []string{"Te", "Upgrade", "Proxy-Authorization", "Trailer"} {
		if got := seen.Header.Get(name); got != "" {
			t.Errorf("%s: %q was sent", name, got)
		}
	}

	if seen.Header.Get("X-Mine") != "kept" || seen.Header.Get("Content-Type") != "application/jwt" ||
		seen.Header.Get("Accept-Encoding") != "gzip" {
		t.Errorf("headers %v", seen.Header)
	}

	if request.Host != "other.example" || request.Header.Get("Upgrade") == "" {
		t.Error("the caller's request was changed")
	}
}

func TestRefusesBadHeadersAndMethods(t *testing.T) {
	c, dialled := recording(Options{})
	for name, value := range map[string]string{
		"X-A\r\nX-B": "1", "X A": "1", "": "1", "X:": "1", "Ünicode": "1",
		"X-1": "a\r\nX-B: b", "X-2": "a\nb", "X-3": "a\x00b", "X-4": "\x7f",
	} {
		request, _ := http.NewRequest("GET", "http://1.1.1.1/", nil)
		request.Header = http.Header{name: {value}}
		if _, err := c.Do(t.Context(), request); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%q: %q: %v, want Invalid", name, value, err)
		}
	}

	for _, method := range []string{"CONNECT", "connect", "TRACE", "GET / HTTP/1.1\r\nX: y", "A B"} {
		request, _ := http.NewRequest("GET", "http://1.1.1.1/", nil)
		request.Method = method
		if _, err := c.Do(t.Context(), request); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("method %q: %v, want Invalid", method, err)
		}
	}

	if len(*dialled) > 0 {
		t.Errorf("dialled %v", *dialled)
	}
}

func TestCapsResponses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/exact":
			io.WriteString(w, strings.Repeat("x", 1000))
		case "/over":
			io.WriteString(w, strings.Repeat("x", 1001))
		case "/endless":
			for chunk := strings.Repeat("x", 1<<16); ; {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for chunk := make([]byte, 1<<20); ; {
				if _, err := z.Write(chunk); err != nil {
					return
				}
			}
		case "/header":
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}
	}))

	defer server.Close()
	c := New(Options{AllowPrivate: true, MaxResponseBytes: 1000, Timeout: patience})

	for path, truncated := range map[string]bool{"/exact": false, "/over": true, "/endless": true, "/bomb": true} {
		answer, err := get(t, c, server.URL+path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if len(answer.Body) != 1000 || answer.Truncated != truncated {
			t.Errorf("%s: %d bytes, truncated %v", path, len(answer.Body), answer.Truncated)
		}
	}

	if _, err := get(t, c, server.URL+"/header"); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("1 MB of headers: %v, want Unavailable", err)
	}
}

// pipes is a listener that accepts the server ends of in-memory pipes.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// inBubble calls f with a client that reaches the server through in-memory pipes, in fake time, so that the load of
// the machine does not matter.
func inBubble(t *testing.T, options Options, handler http.HandlerFunc, f func(t *testing.T, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		listener, server := make(pipes), &http.Server{Handler: handler}
		go server.Serve(listener)
		defer synctest.Wait() // wait until the handlers have ended
		defer server.Close()

		c := New(options)
		c.connect = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			listener <- far
			return near, nil
		}
		f(t, c)
	})
}

func TestSlowAnswersTimeOut(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if r.URL.Path == "/body" {
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
			}
			select {
			case <-r.Context().Done():
			case <-time.After(time.Second):
			}
		}
	}

	inBubble(t, Options{Timeout: 10 * time.Second}, drip, func(t *testing.T, c *Client) {
		for _, path := range []string{"/silent", "/body"} {
			start := time.Now()
			_, err := get(t, c, "http://1.1.1.1"+path)
			if took := time.Since(start); !errs.Is(err, errs.KindTimeout) || took != 10*time.Second {
				t.Errorf("%s: %v after %v, want Timeout after 10 s", path, err, took)
			}
		}

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		request, _ := http.NewRequest("GET", "http://1.1.1.1/", nil)
		if _, err := c.Do(ctx, request); !errors.Is(err, context.Canceled) {
			t.Errorf("caller gave up: %v", err)
		}
	})
}

// TestReturnsPartialBody checks that a body that breaks off or does not end is returned in part, with its status.
func TestReturnsPartialBody(t *testing.T) {
	begin := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "begun")
		w.(http.Flusher).Flush()
		if r.URL.Path == "/reset" {
			panic(http.ErrAbortHandler)
		}
		<-r.Context().Done()
	}
	inBubble(t, Options{Timeout: time.Second, PartialBody: true}, begin, func(t *testing.T, c *Client) {
		for _, path := range []string{"/reset", "/slow"} {
			answer, err := get(t, c, "http://1.1.1.1"+path)
			if err != nil || answer.Status != 202 || string(answer.Body) != "begun" || !answer.Truncated {
				t.Errorf("%s: %+v %v", path, answer, err)
			}
		}
	})
}

func TestFollowsRedirects(t *testing.T) {
	var last http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { last = r.Header }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last = r.Header
		switch r.URL.Path {
		case "/other":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/once":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/user":
			http.Redirect(w, r, "http://a:b@127.0.0.1/", http.StatusFound)
		case "/port":
			http.Redirect(w, r, "http://127.0.0.1:22/", http.StatusFound)
		}
	}))

	defer server.Close()
	port := server.Listener.Addr().(*net.TCPAddr).Port
	none := New(Options{AllowPrivate: true, Timeout: patience})
	if answer, err := get(t, none, server.URL+"/once"); err != nil || answer.Status != 302 {
		t.Errorf("without redirects: %v %v, want the 302 itself", answer, err)
	}

	two := New(Options{
		AllowPrivate: true, FollowRedirects: 2, Timeout: patience, Ports: []int{port, other.Listener.Addr().(*net.TCPAddr).Port},
	})
	answer, err := get(t, two, server.URL+"/once")
	if err != nil || answer.Status != 200 || answer.URL.Path != "/end" || last.Get("Referer") != "" {
		t.Errorf("one hop: %v %v", answer, err)
	}

	for _, path := range []string{"/loop", "/file", "/user", "/port"} {
		if _, err := get(t, two, server.URL+path); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s: %v, want Invalid", path, err)
		}
	}

	request, _ := http.NewRequest("GET", server.URL+"/other", nil)
	request.Header.Set("Authorization", "secret")
	request.Header.Set("X-Mine", "kept")
	if _, err := two.Do(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if last.Get("Authorization") != "" || last.Get("X-Mine") != "kept" {
		t.Errorf("other origin got %v", last)
	}
}

// TestRedirectToHTTPDropsCredentials checks that http counts as another origin than https on the same host.
func TestRedirectToHTTPDropsCredentials(t *testing.T) {
	var got http.Header
	plain := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer plain.Close()
	encrypted := httptest.NewTLSServer(http.RedirectHandler("http://example.com/", http.StatusFound))
	defer encrypted.Close()

	c := New(Options{FollowRedirects: 1, Timeout: patience, Resolver: names{"example.com": {{"93.184.215.14"}}}})
	c.http.Transport.(*http.Transport).TLSClientConfig = encrypted.Client().Transport.(*http.Transport).TLSClientConfig
	c.connect = func(_ context.Context, network, address string) (net.Conn, error) {
		server := map[string]*httptest.Server{"93.184.215.14:443": encrypted, "93.184.215.14:80": plain}[address]
		return net.Dial(network, server.Listener.Addr().String())
	}
	request, _ := http.NewRequest("GET", "https://example.com/", nil)
	for _, name := range []string{"Authorization", "Cookie", "X-Mine"} {
		request.Header.Set(name, "mine")
	}
	if _, err := c.Do(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if got.Get("Authorization") != "" || got.Get("Cookie") != "" || got.Get("X-Mine") != "mine" {
		t.Errorf("over http it got %v", got)
	}
}

// TestDepthComesFromContext checks that user code can neither set nor remove the depth, and that redirects keep it.
func TestDepthComesFromContext(t *testing.T) {
	var last http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { last = r.Header }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	c := New(Options{AllowPrivate: true, FollowRedirects: 1, Timeout: patience})
	for _, address := range []string{other.URL, server.URL} {
		for _, carried := range []string{"", "7.signed"} {
			for _, name := range []string{depth.Header, "x-service-trigger-depth", "X-SERVICE-TRIGGER-DEPTH", "X-Other"} {
				request, _ := http.NewRequest("POST", address, nil)
				request.Header[name] = []string{"0.forged", "1.forged"}
				if _, err := c.Do(depth.NewContext(t.Context(), carried), request); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(last.Values(depth.Header), " "); got != carried {
					t.Errorf("%s with %s: the depth is %q, want %q", address, name, got, carried)
				}
			}
		}
	}
}

// TestRefusesRedirectToPrivateAddress checks that a public server cannot redirect to a private address.
func TestRefusesRedirectToPrivateAddress(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest/", http.StatusFound))
	defer server.Close()
	c := New(Options{FollowRedirects: 3, Timeout: patience, Resolver: names{"public.example": {{"93.184.215.14"}}}})
	dials := 0
	c.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		dials++
		if address != "93.184.215.14:80" {
			return nil, fmt.Errorf("dialled %s", address)
		}
		return net.Dial(network, server.Listener.Addr().String())
	}
	if _, err := get(t, c, "http://public.example/"); !errs.Is(err, errs.KindInvalid) || dials != 1 {
		t.Errorf("%v after %d dials, want Invalid after 1", err, dials)
	}
}

func TestErrorsNameHostAndReason(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	garbage, _ := net.Listen("tcp", "127.0.0.1:0")
	go func() {
		for conn, err := garbage.Accept(); err == nil; conn, err = garbage.Accept() {
			io.WriteString(conn, "220 smtp ready\r\n")
			conn.Close()
		}
	}()
	defer garbage.Close()
	defer secure.Close()
	c := New(Options{AllowPrivate: true, Timeout: patience, Resolver: names{}})

	for target, want := range map[string]string{
		"http://127.0.0.1:1":                "127.0.0.1 refused the connection",
		secure.URL:                          "127.0.0.1 has no valid certificate",
		"http://" + garbage.Addr().String(): "127.0.0.1 did not give a complete HTTP answer",
		"http://nowhere.example/":           `host "nowhere.example" was not found`,
	} {
		_, err := get(t, c, target)
		if !errs.Is(err, errs.KindUnavailable) || err.Error() != want {
			t.Errorf("%s: %v, want %s", target, err, want)
		}
	}
}

func TestIgnoresProxyOfEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	c, dialled := recording(Options{})
	if _, err := get(t, c, "http://1.1.1.1/"); !errs.Is(err, errs.KindUnavailable) {
		t.Fatalf("from the recording dialler: %v", err)
	}
	if got := fmt.Sprint(*dialled); got != "[1.1.1.1:80]" {
		t.Errorf("dialled %s", got)
	}
}

// FuzzTarget checks that no URL causes a panic or a dial of a special-purpose address, whatever the resolver
// returns.
func FuzzTarget(f *testing.F) {
	for _, seed := range []string{
		"http://example.com/", "http://127.0.0.1/", "http://[::ffff:7f00:1]:80/", "http://0x7f.1/", "http://127.1./",
		"http://2130706433",
		"https://bücher.example./", "http://127。0。0。1/", "http://a@b:c@d/", "http://[fe80::1%25eth0]/", "HTTP://x:8080",
	} {
		f.Add(seed, []byte{1, 1, 1, 1})
		f.Add(seed, []byte{127, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, target string, answer []byte) {
		addr, _ := netip.AddrFromSlice(answer)
		c, dialled := recording(Options{Timeout: time.Second, Resolver: one{addr}})
		if _, err := get(t, c, target); err == nil {
			t.Fatalf("%q: an answer without a connection", target)
		}

		for _, address := range *dialled {
			if rule := refusal(netip.MustParseAddrPort(address).Addr()); rule != "" {
				t.Fatalf("%q dialled %s (%s)", target, address, rule)
			}
		}
	})
}

// one is a fake resolver that answers every lookup with the same address.
type one struct{ addr netip.Addr }

func (o one) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{o.addr}, nil
}
