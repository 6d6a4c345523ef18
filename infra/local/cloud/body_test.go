package cloud_test

import (
	"io"
	"net"
	"strings"
	"testing"
)

// TestRefusesBrokenChunks sends a malformed chunked body to the HTTP API and the AWS APIs; no function may be invoked.
func TestRefusesBrokenChunks(t *testing.T) {
	c := start(t, t.TempDir())
	for _, tt := range []struct{ base, head string }{
		{c.URL, "PUT /item/a HTTP/1.1\r\n"},
		{c.Services, "POST / HTTP/1.1\r\nX-Amz-Target: AmazonSQS.SendMessage\r\n"},
		{c.Services, "POST /2015-03-31/functions/ReaderFunction/invocations HTTP/1.1\r\n"},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(tt.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		sent := tt.head + "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nxyz\r\n"
		if _, err := io.WriteString(conn, sent); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
			t.Errorf("%q: %s, %v", tt.head, answer, err)
		}
	}
	if s := c.Stats(); len(s.Invoke) != 0 || len(s.SQS) != 0 {
		t.Errorf("invoked %v, queued %v", s.Invoke, s.SQS)
	}
}
