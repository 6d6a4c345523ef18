package cloud

import (
	"net"
	"strings"
	"testing"
)

func TestAPortThatCannotBeHad(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for port, want := range map[int]string{
		taken.Addr().(*net.TCPAddr).Port: "is in use",
		65536:                            "PORT is 65536, want a number from 1 to 65535",
		-1:                               "PORT is -1, want",
	} {
		l, err := listen(port)
		if err == nil {
			l.Close()
			t.Errorf("port %d was given", port)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("port %d: %v, want %q", port, err, want)
		}
	}
}
