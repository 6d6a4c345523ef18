//go:build !portable

package engine

import "golang.org/x/sys/unix"

// resizeMapping makes a mapping of old bytes one of size bytes, which may lie
// elsewhere. The kernel moves pages, not bytes.
func resizeMapping(p uintptr, old, size int) (uintptr, error) {
	moved, _, errno := unix.Syscall6(unix.SYS_MREMAP, p, uintptr(old), uintptr(size), unix.MREMAP_MAYMOVE, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return moved, nil
}
