//go:build !linux || portable

package child

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// slacken does nothing on this system.
func slacken() {}

// guardian is a shell script. It reads "+ pid" for each started child and "- pid" for each ended one. Its input closes
// when this process dies; it then kills the remaining process groups. It ignores the signals that Ctrl-C sends to a
// terminal's processes.
const guardian = `trap '' INT TERM HUP
groups=' '
while read -r what pid; do
  case $what in
    +) groups="$groups$pid " ;;
    -) groups="${groups%% $pid *} ${groups#* $pid }" ;;
  esac
done
for pid in $groups; do kill -9 "-$pid"; done 2>/dev/null`

// guard is the pipe to the guardian process: this system has no signal that kills children when their parent dies.
type guard struct {
	mu    sync.Mutex
	input io.Writer
	err   error
}

var theGuard = sync.OnceValue(func() *guard {
	cmd := exec.Command("/bin/sh", "-c", guardian)
	cmd.Dir, cmd.SysProcAttr = "/", attributes()
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		err = fmt.Errorf("start what ends the children with us: %w", err)
	}
	return &guard{input: input, err: err}
})

// protect makes the guardian kill the process when this process dies.
func protect(pid int) error {
	g := theGuard()
	if g.err != nil {
		return g.err
	}
	return g.tell("+", pid)
}

// release tells the guardian that a process has ended.
func release(pid int) {
	_ = theGuard().tell("-", pid) // if the guardian has ended, there is nothing to release
}

func (g *guard) tell(what string, pid int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := fmt.Fprintln(g.input, what, pid)
	return err
}
