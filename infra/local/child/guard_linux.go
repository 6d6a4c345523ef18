//go:build !portable

package child

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// timerSlack is the maximum delay of a child's timers.
const timerSlack = time.Millisecond

// slacken lets the kernel delay the timers of this thread's children by up to timerSlack. Every Go program has a
// runtime thread that polls each 20 µs while there is work; with a dozen busy programs that takes a fifth of the
// machine.
func slacken() {
	// Ignore a refusal: it only costs speed.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(timerSlack), 0, 0, 0)
}

// attributes makes the kernel kill the child when the forking thread dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// protect and release do nothing: the kernel kills the children.
func protect(int) error { return nil }
func release(int)       {}
