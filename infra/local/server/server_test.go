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

// pipes is a listener of connections in memory: their deadlines pass in the time of a bubble, and a slow machine does
// not meet them.
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

// limits that no connection of a test reaches by chance.
var limits = Limits{Header: time.Second, Body: time.Second, Rate: 1000, Idle: time.Second}

// start serves in the bubble of a test, and returns a connection.
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
			synctest.Test(t, func(t *testing.T) {
				c := start(t, tt.handler)
				go io.WriteString(c, tt.sent) // until it is read or the server ends the connection

				answer, err := io.ReadAll(c) // returns when the server ends the connection
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
			case <-time.After(20 * time.Millisecond): // 50 bytes a second are not 1,000
				go c.Write([]byte("x"))
			}
		}
	})
}

// TestSteadyBodyAndLateAnswerPass sends a body for longer than the limit, and answers long after the body.
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
