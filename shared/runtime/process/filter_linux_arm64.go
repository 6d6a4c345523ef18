//go:build !portable

package process

import "golang.org/x/sys/unix"

// machine is the seccomp constant of this architecture.
const machine = unix.AUDIT_ARCH_AARCH64

// allowedHere are system calls that exist only on this architecture.
var allowedHere = []uint32{}
