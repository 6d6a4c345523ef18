//go:build !portable

package process

import "golang.org/x/sys/unix"

// machine is the seccomp constant of this architecture.
const machine = unix.AUDIT_ARCH_X86_64

// allowedHere are system calls that exist only on this architecture.
var allowedHere = []uint32{unix.SYS_EPOLL_WAIT, unix.SYS_ARCH_PRCTL}
