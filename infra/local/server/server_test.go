package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// quick are limits that a test can wait for.
var quick = Limits{
	Header: 100 * time.Millisecond, Body: 100 * time.Millisecond, Rate: 1000, Idle: 100 * time.Millisecond,
}

func start(t *testing.T, limits Limits, handler http.HandlerFunc) net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New(handler, limits)
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return c
}

// read answers with how the body ended.
func read(w http.ResponseWriter, r *http.Request) {
	_, err := io.Copy(io.Discard, r.Body)
	fmt.Fprint(w, errors.Is(err, os.ErrDeadlineExceeded))
}

func TestSlowConnectionsEnd(t *testing.T) {
	ignore := func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) }
	tests := []struct {
		name, sent string
		handler    http.HandlerFunc
		want       string // of what comes before the end
	}{
		{"half a header", "POST / HTTP/1.1\r\nHost: x\r\n", read, ""},
		{"no body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", read, "\r\n\r\ntrue"},
		{"half a chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc", read, "true"},
		{"a body that nobody reads", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", ignore, "418"},
		{"nothing after a request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", read, "false"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := start(t, quick, tt.handler)
			if _, err := io.WriteString(c, tt.sent); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(c) // returns when the server ends the connection
			if err != nil && !errors.Is(err, net.ErrClosed) || !strings.Contains(string(answer), tt.want) {
				t.Errorf("%q, %v; want %q and the end", answer, err, tt.want)
			}
		})
	}
}

func TestATrickleEnds(t *testing.T) {
	c := start(t, quick, read)
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan string)
	go func() {
		answer, _ := io.ReadAll(c)
		ended <- string(answer)
	}()
	for {
		select {
		case answer := <-ended:
			if !strings.HasSuffix(answer, "true") {
				t.Errorf("ended with %q", answer)
			}
			return
		case <-time.After(20 * time.Millisecond): // 50 bytes a second are not 1,000
			_, _ = c.Write([]byte("x"))
		}
	}
}

// TestWhatMoves goes on: a body longer than the limit, and an answer that comes
// long after the body.
func TestWhatMovesGoesOn(t *testing.T) {
	const pieces, piece = 30, 2000
	limits := Limits{Header: time.Minute, Body: 500 * time.Millisecond, Rate: 1000, Idle: time.Minute}
	ended := make(chan error, 1)
	c := start(t, limits, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		time.Sleep(2 * limits.Body)
		ended <- r.Context().Err()
		fmt.Fprint(w, n, err)
	})
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", pieces*piece)
	for range pieces {
		if _, err := c.Write(make([]byte, piece)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond) // 900 ms in all
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if want := fmt.Sprint(pieces*piece, nil); string(answer) != want || err != nil {
		t.Errorf("%q, %v; want %q", answer, err, want)
	}
	if err := <-ended; err != nil {
		t.Errorf("while it was answered: %v", err)
	}
}
