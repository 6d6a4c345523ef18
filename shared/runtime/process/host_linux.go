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
// descriptors it inherited from reaching children. Call it first in main.
func Harden() error {
	return errors.Join(
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0),
		unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC),
	)
}
