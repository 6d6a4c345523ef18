//go:build !portable

package child

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestChildrenHaveTimerSlack(t *testing.T) {
	var said strings.Builder
	cmd := exec.Command("cat", "/proc/self/timerslack_ns")
	cmd.Stdout = &said
	p, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}

	if <-p.Done(); p.Err() != nil {
		t.Fatal(p.Err())
	}
	if got, want := strings.TrimSpace(said.String()), strconv.FormatInt(timerSlack.Nanoseconds(), 10); got != want {
		t.Errorf("a child's timers have %s ns, want %s", got, want)
	}
}
