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
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener for in-memory connections: their deadlines follow the clock of the synctest bubble, so a slow
// machine does not reach them.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// limits are long enough that no test connection reaches them by accident.
var limits = Limits{Header: time.Second, Body: time.Second, Rate: 1000, Idle: time.Second}

// start starts a server in the test's bubble and returns a connection to it.
func start(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	l := &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})}
	s := New(handler, limits)
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	c, served := net.Pipe()
	t.Cleanup(func() { c.Close() })
	l.dialed <- served
	return c
}

// read reads the body and responds whether it exceeded its deadline.
func read(w http.ResponseWriter, r *http.Request) {
	_, err := io.Copy(io.Discard, r.Body)
	fmt.Fprint(w, errors.Is(err, os.ErrDeadlineExceeded))
}

func TestSlowConnectionsEnd(t *testing.T) {
	ignore := func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) }
	tests := []struct {
		name, sent string
		handler    http.HandlerFunc
		want       string // part of the response
	}{
		{"half a header", "POST / HTTP/1.1\r\nHost: x\r\n", read, ""},
		{"no body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", read, "\r\n\r\ntrue"},
		{"half a chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc", read, "true"},
		{"a body that nobody reads", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", ignore, "418"},
		{"nothing after a request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", read, "false"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := start(t, tt.handler)
				go io.WriteString(c, tt.sent) // blocks until the data is read or the server closes the connection

				answer, err := io.ReadAll(c) // returns when the server closes the connection
				if err != nil || !strings.Contains(string(answer), tt.want) {
					t.Errorf("%q, %v; want %q and the end", answer, err, tt.want)
				}
			})
		})
	}
}

func TestSlowBodyEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, read)
		ended := make(chan string)
		go func() {
			answer, _ := io.ReadAll(c)
			ended <- string(answer)
		}()
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"); err != nil {
			t.Fatal(err)
		}

		for {
			select {
			case answer := <-ended:
				if !strings.HasSuffix(answer, "true") {
					t.Errorf("ended with %q", answer)
				}
				return
			case <-time.After(20 * time.Millisecond): // 50 bytes a second, below the required 1,000
				go c.Write([]byte("x"))
			}
		}
	})
}

// TestSteadyBodyAndLateAnswerPass sends a body for longer than the limit, and responds long after the body.
func TestSteadyBodyAndLateAnswerPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces, piece = 30, 2000
		ended := make(chan error, 1)
		c := start(t, func(w http.ResponseWriter, r *http.Request) {
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
			time.Sleep(limits.Body / 10)
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
	})
}
