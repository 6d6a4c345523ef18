//go:build !linux || portable

package process

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func self() (string, error) { return os.Executable() }

// attributes has no death signal to ask for: a child here ends when its pipe
// does (child.read).
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Harden keeps descriptors this process inherited from reaching children. Call it
// first in main. Others of the same user can read its memory all the same.
func Harden() error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return err
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
