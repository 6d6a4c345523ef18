//go:build !linux || portable

package engine

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// resizeMapping makes a mapping of old bytes one of size bytes, which lies
// elsewhere: only Linux has mremap, so the bytes are copied.
func resizeMapping(p uintptr, old, size int) (uintptr, error) {
	to, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return 0, err
	}

	n := min(old, size)
	from := unsafe.Add(nil, p)
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
	return uintptr(to), unix.MunmapPtr(from, uintptr(old))
}
