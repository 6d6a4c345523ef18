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

// slacken has nothing to do here.
func slacken() {}

// guardian reads "+ pid" for each started child and "- pid" for each ended one. Its input ends when this process
// dies; it then kills the remaining groups. It ignores the signals that Ctrl-C sends to a terminal's processes.
const guardian = `trap '' INT TERM HUP
groups=' '
while read -r what pid; do
  case $what in
    +) groups="$groups$pid " ;;
    -) groups="${groups%% $pid *} ${groups#* $pid }" ;;
  esac
done
for pid in $groups; do kill -9 "-$pid"; done 2>/dev/null`

// guard holds the input of our guardian, a process of its own: this system has
// no signal to ask for that would end children with us.
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

// protect makes the process end with us.
func protect(pid int) error {
	g := theGuard()
	if g.err != nil {
		return g.err
	}
	return g.tell("+", pid)
}

// release forgets a process that ended.
func release(pid int) {
	_ = theGuard().tell("-", pid) // a guardian that is gone has nothing to forget
}

func (g *guard) tell(what string, pid int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := fmt.Fprintln(g.input, what, pid)
	return err
}
