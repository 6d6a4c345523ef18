//go:build !portable

package process

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// self returns a path to this program that stays valid if its file is replaced.
func self() (string, error) { return "/proc/self/exe", nil }

// attributes makes the kernel kill the child when its supervisor dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// Harden makes the memory of this process unreadable for other processes of the same user, and keeps inherited
// descriptors from its children. main must call it first, and exit if it returns an error.
func Harden() error {
	// close_range supports CLOSE_RANGE_CLOEXEC only from Linux 5.11 on, and Lambda's kernel may be 5.10. Mark the
	// descriptors first: a process that is not dumpable cannot read its own /proc/self/fd.
	return errors.Join(
		closeOnExec("/proc/self/fd"),
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0),
	)
}
