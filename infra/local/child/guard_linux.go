//go:build !portable

package child

import "syscall"

// attributes lets the kernel end the child when the thread that forks dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// protect and release have nothing to do: the kernel does it.
func protect(int) error { return nil }
func release(int)       {}
