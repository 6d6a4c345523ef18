//go:build !portable

package process

import "golang.org/x/sys/unix"

// machine is this architecture as seccomp names it.
const machine = unix.AUDIT_ARCH_X86_64

// allowedHere are calls only this architecture has.
var allowedHere = []uint32{unix.SYS_EPOLL_WAIT, unix.SYS_ARCH_PRCTL}
