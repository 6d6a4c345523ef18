//go:build !portable

package process

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// self is this program, also when its file was replaced meanwhile.
func self() (string, error) { return "/proc/self/exe", nil }

// attributes lets the kernel end the child with its supervisor, however that ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// Harden makes this process unreadable for others of the same user and keeps
// descriptors it inherited from reaching children. Call it first in main, and end the program after an error.
func Harden() error {
	// close_range takes CLOSE_RANGE_CLOEXEC from Linux 5.11 on, and Lambda's kernel may be 5.10. The list must be
	// read first: a process that is not dumpable may not read its own.
	return errors.Join(
		closeOnExec("/proc/self/fd"),
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0),
	)
}
