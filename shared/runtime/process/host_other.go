//go:build !linux || portable

package process

import (
	"os"
	"syscall"
)

func self() (string, error) { return os.Executable() }

// attributes has no death signal to ask for: a child here ends when its pipe
// does (child.read).
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Harden keeps descriptors this process inherited from reaching children. Call it
// first in main. Others of the same user can read its memory all the same.
func Harden() error { return closeOnExec("/dev/fd") }
