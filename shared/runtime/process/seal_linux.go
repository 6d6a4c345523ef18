//go:build !portable

package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// walls returns the restrictions against native code that has broken out of the engine. Lambda's kernel may be
// 5.10, which has no landlock, so seccomp alone must block file access.
func walls(memoryMB int) []wall {
	return []wall{
		{"no_new_privs", false, func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"not dumpable", false, func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }},
		{"core limit", false, func() error { return setLimit(unix.RLIMIT_CORE, 0) }},
		{"file limit", false, func() error { return setLimit(unix.RLIMIT_FSIZE, 0) }},
		{"descriptor limit", false, func() error { return setLimit(unix.RLIMIT_NOFILE, maxDescriptors) }},
		{"data limit", false, func() error { return limitData(memoryMB) }},
		{"landlock", true, landlock},
		{"seccomp", false, func() error { return install(filter()) }},
	}
}

// limitData sets RLIMIT_DATA above the current data size. The limit counts private writable memory, so Go's address
// space reservations do not count but runaway allocations do.
func limitData(memoryMB int) error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if kb, found := strings.CutPrefix(line, "VmData:"); found {
			n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(kb, "kB")), 10, 64)
			if err != nil {
				return err
			}
			return setLimit(unix.RLIMIT_DATA, n<<10+uint64(memoryMB)<<20+headroom)
		}
	}
	return fmt.Errorf("no VmData")
}

// landlock forbids all file system access on all threads.
func landlock() error {
	rules := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1} // all access rights of ABI version 1
	fd, _, errno := unix.Syscall(
		unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules.Handled_access_fs), 0,
	)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	if _, _, errno := syscall.AllThreadsSyscall6(syscall.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
