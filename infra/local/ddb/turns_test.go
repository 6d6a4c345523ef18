package ddb

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// held is a fake database that responds only when the test releases the request.
type held struct{ came chan chan bool }

func (h *held) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	answer := make(chan bool)
	h.came <- answer
	<-answer
	_, _ = io.WriteString(w, "{}")
}

// newHeld returns a held database behind a proxy.
func newHeld(t *testing.T) (*held, *Proxy) {
	h := &held{make(chan chan bool, 1000)}
	database := httptest.NewServer(h)
	proxy, err := NewProxy(Elsewhere(database.URL), ProxyConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close(); database.Close() })
	return h, proxy
}

// ask sends a request for a row of an application on a new connection.
func ask(t *testing.T, p *Proxy, application int) net.Conn {
	c, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	body := fmt.Sprintf(`{"Key":{"pk":{"S":"%d.production#5"},"sk":{"S":"x"}},"TableName":"Rows"}`, application)
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	return c
}

// queued waits until want requests wait for a place.
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

// TestApplicationsTakeTurns: behind a hundred requests of one application, another application's request gets the
// second free place.
func TestApplicationsTakeTurns(t *testing.T) {
	database, proxy := newHeld(t)
	for range 100 {
		ask(t, proxy, 7)
	}
	queued(t, proxy, 100-atOnce)
	ask(t, proxy, 8)
	queued(t, proxy, 100-atOnce+1)

	// Goroutines reach the database in any order, so the queue shows which request has a place.
	for range 2 {
		close(<-database.came)
	}
	queued(t, proxy, 100-atOnce+1-2)
	proxy.turns.mu.Lock()
	waits := len(proxy.turns.waiting["8"])
	proxy.turns.mu.Unlock()
	if waits > 0 {
		t.Error("the other application's request has no place after two answers")
	}

	for range 101 - 2 {
		close(<-database.came)
	}
}

// TestClosedConnectionsFreePlaces: clients that hang up before their responses release their places.
func TestClosedConnectionsFreePlaces(t *testing.T) {
	database, proxy := newHeld(t)
	for range 3 {
		var clients []net.Conn
		for range atOnce {
			clients = append(clients, ask(t, proxy, 7))
		}
		for _, c := range clients {
			answer := <-database.came
			c.Close()
			close(answer)
		}
	}
}

// TestReadsApplicationOfRequest: the first key determines the application.
func TestReadsApplicationOfRequest(t *testing.T) {
	for body, want := range map[string]string{
		`{"Key":{"pk":{"S":"7.production#5"}}}`:                                 "7",
		`{"ExpressionAttributeValues":{":pk":{"S":"12.0123456789abcdef0123"}}}`: "12",
		`{"Item":{"n":{"N":"3"},"pk":{"S": "9.production#run#4"}}}`:             "9",
		`{"Key":{"pk":{"S":"wake"}}}`:                                           "",
		`{"Key":{"pk":{"S":"x` + strings.Repeat("y", mostOfKey) + `7.test#"}}}`: "",
		"": "",
	} {
		if got := (&request{body: []byte(body)}).application(); got != want {
			t.Errorf("%.60s is about application %q, want %q", body, got, want)
		}
	}
}
