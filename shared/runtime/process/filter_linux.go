//go:build !portable

package process

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allowed are the system calls that the Go runtime makes while the engine runs, and those that read and write the
// pipes. All other calls return EPERM, so the child cannot start programs, open sockets or files, or affect other
// processes.
var allowed = append([]uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_PREAD64, unix.SYS_FCNTL,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MREMAP, unix.SYS_MINCORE,
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRANDOM,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_MEMBARRIER,
}, allowedHere...)

// threadFlags must all be set in clone: the child may create threads but no processes.
const threadFlags = unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND

// Offsets in struct seccomp_data.
const (
	dataNumber = 0
	dataArch   = 4
	dataArg0   = 16 // low half; all supported machines are little endian
)

// Return values of a filter.
const (
	verdictAllow = 0x7fff0000
	verdictErrno = 0x00050000
	verdictKill  = 0x80000000
)

// load loads a word of seccomp_data.
func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// verdict ends the filter with a return value.
func verdict(v uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: v} }

// equal skips the next instruction unless the loaded word equals k.
func equal(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: k}
}

// filter builds the BPF program. It checks the architecture, then the allowed calls, then two calls that depend on
// their first argument: clone (only threads) and tgkill (only this process; Go preempts goroutines with it).
func filter() []unix.SockFilter {
	program := []unix.SockFilter{
		load(dataArch), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: machine}, verdict(verdictKill),
		load(dataNumber),
	}
	for _, number := range allowed {
		program = append(program, equal(number), verdict(verdictAllow))
	}

	// ENOSYS makes C libraries fall back from clone3 to clone; the filter cannot read the flags of clone3 behind
	// their pointer.
	program = append(program, equal(unix.SYS_CLONE3), verdict(verdictErrno|uint32(unix.ENOSYS)))
	program = append(program,
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 4, K: unix.SYS_CLONE},
		load(dataArg0),
		unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: threadFlags},
		equal(threadFlags), verdict(verdictAllow),
		load(dataNumber),
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.SYS_TGKILL},
		load(dataArg0),
		equal(uint32(unix.Getpid())), verdict(verdictAllow),
		verdict(verdictErrno|uint32(unix.EPERM)),
	)

	return program
}

// install applies a filter to all threads at once.
func install(program []unix.SockFilter) error {
	header := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(
		unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&header)),
	)
	runtime.KeepAlive(program)
	if errno != 0 {
		return errno
	}
	return nil
}
