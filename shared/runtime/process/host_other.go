//go:build !linux || portable

package process

import (
	"os"
	"syscall"
)

func self() (string, error) { return os.Executable() }

// attributes cannot request a parent-death signal here: a child ends when its pipe closes (child.read).
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Harden keeps inherited descriptors from children of this process; main must call it first. Unlike on Linux, other
// processes of the same user can still read its memory.
func Harden() error { return closeOnExec("/dev/fd") }
