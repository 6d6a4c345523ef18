//go:build !portable

package process

import "golang.org/x/sys/unix"

// machine is this architecture as seccomp names it.
const machine = unix.AUDIT_ARCH_AARCH64

// allowedHere are calls only this architecture has.
var allowedHere = []uint32{}
