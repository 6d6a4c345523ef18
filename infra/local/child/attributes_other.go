//go:build !linux

package child

import "syscall"

// attributes has no death signal to ask for here: after a kill -9 of the local
// cloud its children have to be ended by hand.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
