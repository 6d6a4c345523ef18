package cloud

import (
	"net"
	"strings"
	"testing"
)

func TestReportsUnavailablePort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		variable, host string
		port           int
		want           string
	}{
		{"PORT", "", taken.Addr().(*net.TCPAddr).Port, "choose another with PORT="},
		{"AWS_PORT", "", taken.Addr().(*net.TCPAddr).Port, "choose another with AWS_PORT="},
		{"PORT", "", 65536, "PORT is 65536, want a number from 1 to 65535"},
		{"AWS_PORT", "", -1, "AWS_PORT is -1, want"},
		{"AWS_PORT", "everywhere", 0, `AWS_BIND is "everywhere", want an address`},
		{"AWS_PORT", "192.0.2.1", 0, "AWS_BIND is 192.0.2.1, which is no address of this machine"},
	} {
		l, err := listen(c.variable, c.host, c.port)
		if err == nil {
			l.Close()
			t.Errorf("%s %s %d was given", c.variable, c.host, c.port)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %d: %v, want %q", c.variable, c.host, c.port, err, c.want)
		}
	}
}

// TestReachable reaches a listener on all addresses through loopback.
func TestReachable(t *testing.T) {
	for host, want := range map[string]string{"0.0.0.0": loopback, "::": loopback, "": loopback, "127.0.0.1": loopback} {
		l, err := listen("AWS_PORT", host, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, _, _ := net.SplitHostPort(reachable(l.Addr()))
		l.Close()
		if got != want {
			t.Errorf("%q: reached at %s, want %s", host, got, want)
		}
	}
}
