//go:build !portable

package child

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// timerSlack is how much later than asked for a child's timers may come.
const timerSlack = time.Millisecond

// slacken lets the timers of the children of this thread come a little later. The
// runtime of every Go program has a thread that looks around each 20 µs while there is
// work, and with a dozen programs at work that is a fifth of the machine.
func slacken() {
	// Where the kernel refuses it is slower, no more.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(timerSlack), 0, 0, 0)
}

// attributes lets the kernel end the child when the thread that forks dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// protect and release have nothing to do: the kernel does it.
func protect(int) error { return nil }
func release(int)       {}
