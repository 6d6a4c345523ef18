//go:build !portable

package process

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// withoutFilter lists what native code can do in a child although it is sealed: nothing on Linux.
var withoutFilter []string

// tryMore tries operations that exist, or are restricted, only on Linux.
func tryMore(try func(name string, err error)) {
	try("write a file", os.WriteFile("/tmp/escaped", nil, 0o600))
	try("kill its parent", syscall.Kill(os.Getppid(), 0))
	try("trace its parent", unix.PtraceAttach(os.Getppid()))
	_, err := unix.Dup(1)
	try("duplicate a descriptor", err)
	_, _, errno := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
	if errno == 0 {
		try("fork", nil)
	}
	_, err = unix.MemfdCreate("code", 0)
	try("make a memory file", err)
}

// soften reverts Harden.
func soften() { unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) }

// oldKernel installs a filter that refuses system calls, given by number in the first argument, for this process
// and its children, as a kernel without these calls does. Then it executes the program in the other arguments.
func oldKernel() {
	program := []unix.SockFilter{load(dataNumber)}
	for number := range strings.SplitSeq(os.Args[1], ",") {
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(err)
		}
		program = append(program, equal(uint32(n)), verdict(verdictErrno|uint32(unix.ENOSYS)))
	}
	program = append(program, verdict(verdictAllow))

	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	if err := install(program); err != nil {
		panic(err)
	}
	panic(unix.Exec(os.Args[2], os.Args[2:], os.Environ()))
}

// onOldKernel runs a test of this package as if the kernel lacked the given system calls.
func onOldKernel(t *testing.T, test string, numbers ...int) (output string, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	refused := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
	said, err := exec.Command(
		link(t, self, "old-kernel"), refused, self, "-test.v", "-test.run", "^"+test+"$",
	).CombinedOutput()
	return string(said), err
}

// TestSealsChildOnOldKernel simulates kernel 5.10, which Lambda may use: it has no landlock, and its close_range
// has no CLOSE_RANGE_CLOEXEC.
func TestSealsChildOnOldKernel(t *testing.T) {
	for _, test := range []string{"TestSealsChild", "TestRunsFunctions"} {
		said, err := onOldKernel(t, test, unix.SYS_CLOSE_RANGE, unix.SYS_LANDLOCK_CREATE_RULESET)
		if err != nil || !strings.Contains(said, "--- PASS: "+test) {
			t.Errorf("%s: %v\n%s", test, err, said)
		}
	}
}

// TestNeedsSeccomp checks that seccomp is required: without landlock nothing else keeps native code from files and
// sockets.
func TestNeedsSeccomp(t *testing.T) {
	said, err := onOldKernel(t, "TestRunsFunctions", unix.SYS_SECCOMP)
	if err == nil || !strings.Contains(said, "required wall is missing: seccomp: function not implemented") {
		t.Errorf("%v\n%s", err, said)
	}
}
