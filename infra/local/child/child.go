// Package child starts the child processes of the local cloud so that none outlives it, even after kill -9.
//
//	Start ──► one goroutine on one locked thread forks every child
//	            each child: own process group, killed by the kernel when that
//	            thread dies (Linux: PR_SET_PDEATHSIG), elsewhere by a guardian
//	            process when our end of a pipe closes
//	Stop  ──► SIGTERM to the group, SIGKILL after the grace period
//
// The thread is locked because the kernel sends the death signal when the *thread* that forked ends, and the Go
// runtime ends idle threads.
package child

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Process is a started child.
type Process struct {
	Pid  int
	done chan struct{}
	err  error

	family family
}

var (
	forkOnce sync.Once
	forks    chan func()
)

func forkOnLockedThread(f func()) {
	forkOnce.Do(func() {
		forks = make(chan func())
		go func() {
			runtime.LockOSThread() // never unlocked: see the package comment
			slacken()
			for f := range forks {
				f()
			}
		}()
	})
	finished := make(chan struct{})
	forks <- func() { defer close(finished); f() }
	<-finished
}

// Start starts cmd in its own process group and reaps it when it ends.
func Start(cmd *exec.Cmd) (*Process, error) {
	cmd.SysProcAttr = attributes()
	var err error
	forkOnLockedThread(func() { err = cmd.Start() })
	if err != nil {
		return nil, err
	}
	p := &Process{Pid: cmd.Process.Pid, done: make(chan struct{})}
	// Start the reaper even if the process cannot be protected: Stop below waits for it.
	unprotected := protect(p.Pid)
	go func() {
		p.err = cmd.Wait()
		release(p.Pid)
		close(p.done)
	}()

	if unprotected != nil {
		p.Stop(0)
		return nil, unprotected
	}
	return p, nil
}

// Done is closed when the process has ended and its output has been read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns the result of exec.Cmd.Wait. Call it after Done is closed.
func (p *Process) Err() error { return p.err }

// ExitText returns how the process ended, in the words of AWS: "exit status 1", "signal: killed" or "exit status 0".
// Call it after Done is closed.
func (p *Process) ExitText() string {
	if p.err == nil {
		return "exit status 0"
	}
	if exit, ok := errors.AsType[*exec.ExitError](p.err); ok {
		return exit.ProcessState.String()
	}
	return p.err.Error()
}

// Kill sends SIGKILL to the whole process group.
func (p *Process) Kill() { p.signal(syscall.SIGKILL) }

// Stop sends SIGTERM to the process group, and SIGKILL after the grace period. It returns when the process has ended.
func (p *Process) Stop(grace time.Duration) {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(grace):
	}
	// Kill the group even if its leader has ended: the leader's own children may still run.
	p.signal(syscall.SIGKILL)
	<-p.done
}

func (p *Process) signal(s syscall.Signal) {
	if err := syscall.Kill(-p.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		if process, err := os.FindProcess(p.Pid); err == nil {
			_ = process.Signal(s)
		}
	}
}
