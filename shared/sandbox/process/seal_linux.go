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

// maxMemoryMB is the largest guest heap a request may ask for.
const maxMemoryMB = 256

// headroom is what the child may use beyond the guest heap before its own
// memory limit stops it: Go's heap and stacks, frames in flight, and blocks
// that free lists hold.
const headroom = 128 << 20

// seal, called with the largest guest heap in MB, gives up everything the child does not need and returns the names of
// walls this kernel does not offer. Each stands alone; none is required.
func seal(memoryMB int) (absent []string) {
	missing := func(name string, err error) {
		if err != nil {
			absent = append(absent, fmt.Sprintf("%s: %v", name, err))
		}
	}
	os.Clearenv()
	missing("no_new_privs", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	missing("not dumpable", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	missing("core limit", setLimit(unix.RLIMIT_CORE, 0))
	missing("file limit", setLimit(unix.RLIMIT_FSIZE, 0))
	missing("descriptor limit", setLimit(unix.RLIMIT_NOFILE, 16))
	missing("data limit", limitData(memoryMB))
	missing("landlock", landlock())
	missing("seccomp", installFilter())
	return absent
}

func setLimit(resource int, n uint64) error {
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n})
}

// limitData sets RLIMIT_DATA above what the process maps now. It counts private
// writable memory, so Go's reservations are free and a runaway is not.
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

// landlock forbids every file system access, on all threads.
func landlock() error {
	rules := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1} // what version 1 knows
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules.Handled_access_fs), 0)
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
