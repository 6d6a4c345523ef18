package ddb

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestProxyClosesUnusedConnections(t *testing.T) {
	database, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	for _, sent := range []string{"", "POST / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"} {
		proxy, err := NewProxy(Elsewhere("http://"+database.Addr().String()), ProxyConfig{})
		if err != nil {
			t.Fatal(err)
		}
		defer proxy.Close()
		// Set the other limit high: on a busy machine the request may be sent late.
		if proxy.idle, proxy.patience = 3*time.Minute, 50*time.Millisecond; sent == "" {
			proxy.idle = 50 * time.Millisecond
		}

		c, err := net.Dial("tcp", strings.TrimPrefix(proxy.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, sent); err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(3 * time.Minute))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("after %q: %v, want the end", sent, err)
		}
	}
}
