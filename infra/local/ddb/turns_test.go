package ddb

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// held is a database that answers a request when it is told to.
type held struct {
	net.Listener
	came chan waiting
}

type waiting struct {
	request *request
	answer  chan bool
}

func (h *held) serve() {
	for {
		c, err := h.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			for r := bufio.NewReader(c); ; {
				request, err := readRequest(r)
				if err != nil {
					return
				}
				w := waiting{request, make(chan bool)}
				h.came <- w
				<-w.answer
				if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
					return
				}
			}
		}()
	}
}

// newHeld returns a held database behind a proxy.
func newHeld(t *testing.T) (*held, *Proxy) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &held{l, make(chan waiting, 1000)}
	go h.serve()
	proxy, err := NewProxy(Elsewhere("http://"+l.Addr().String()), ProxyConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close(); l.Close() })
	return h, proxy
}

// ask sends a request about a row of an application, on a connection of its own.
func ask(t *testing.T, p *Proxy, application int) net.Conn {
	c, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	body := fmt.Sprintf(`{"Key":{"pk":{"S":"%d.production#5"},"sk":{"S":"x"}},"TableName":"Rows"}`, application)
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	return c
}

// queued waits until so many requests wait for a place.
func queued(t *testing.T, p *Proxy, want int) {
	for {
		p.turns.mu.Lock()
		n := 0
		for _, all := range p.turns.waiting {
			n += len(all)
		}
		p.turns.mu.Unlock()
		if n == want {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the test ended")
		case <-time.After(time.Millisecond):
		}
	}
}

// TestApplicationsTakeTurns: behind a hundred requests of one application, another's is the second that gets a place.
func TestApplicationsTakeTurns(t *testing.T) {
	database, proxy := newHeld(t)
	for range 100 {
		ask(t, proxy, 7)
	}
	queued(t, proxy, 100-atOnce)
	ask(t, proxy, 8)
	queued(t, proxy, 100-atOnce+1)

	// The database gets requests in the order in which goroutines run: the queue says who has got a place.
	for range 2 {
		close((<-database.came).answer)
	}
	queued(t, proxy, 100-atOnce+1-2)
	proxy.turns.mu.Lock()
	waits := len(proxy.turns.waiting["8"])
	proxy.turns.mu.Unlock()
	if waits > 0 {
		t.Error("the other application's request has no place after two answers")
	}

	for range 101 - 2 {
		close((<-database.came).answer)
	}
}

// TestClosedConnectionsFreePlaces has clients hang up before their answers.
func TestClosedConnectionsFreePlaces(t *testing.T) {
	database, proxy := newHeld(t)
	for range 3 {
		var clients []net.Conn
		for range atOnce {
			clients = append(clients, ask(t, proxy, 7))
		}
		for range atOnce {
			<-database.came
		}
		for _, c := range clients {
			c.Close()
		}
	}
}

// TestReadsApplicationOfRequest: the application is that of the first key.
func TestReadsApplicationOfRequest(t *testing.T) {
	for body, want := range map[string]string{
		`{"Key":{"pk":{"S":"7.production#5"}}}`:                                 "7",
		`{"ExpressionAttributeValues":{":pk":{"S":"12.0123456789abcdef0123"}}}`: "12",
		`{"Item":{"n":{"N":"3"},"pk":{"S": "9.production#run#4"}}}`:             "9",
		`{"Key":{"pk":{"S":"wake"}}}`:                                           "",
		`{"Key":{"pk":{"S":"x` + strings.Repeat("y", mostOfKey) + `7.test#"}}}`: "",
		"": "",
	} {
		if got := (&request{whole: []byte(body)}).application(); got != want {
			t.Errorf("%.60s is about application %q, want %q", body, got, want)
		}
	}
}
