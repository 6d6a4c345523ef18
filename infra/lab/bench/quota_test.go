package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/child"
)

const (
	// quotaPeriod is the period in which a process may use its share of a processor, as in lambdahost.
	quotaPeriod = 20 * time.Millisecond
	// wholeProcessor is the memory, in MB, for which Lambda gives one processor.
	wholeProcessor = 1769
)

// quota is a control group whose processes share a part of a processor, as Lambda gives it for a memory size. They have
// precedence over other processes, so that the quota limits them and not what else this machine does.
type quota struct {
	dir  string
	unit bool // the files of version 2
}

// newQuota makes a control group that ends with the benchmark. It skips the benchmark where none can be made: that takes
// root on Linux. UNKIND=processor-share limits the processes of a local cloud anywhere, less exactly.
func newQuota(b *testing.B, name string) *quota {
	b.Helper()
	name = fmt.Sprintf("minicloud-bench-%d-%s", os.Getpid(), name)
	q := &quota{dir: filepath.Join("/sys/fs/cgroup/cpu", name)}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		q = &quota{dir: filepath.Join("/sys/fs/cgroup", name), unit: true}
	}
	if err := os.Mkdir(q.dir, 0o755); err != nil {
		b.Skipf("no control group can be made: %v", err)
	}
	b.Cleanup(func() {
		// A group with processes cannot be removed; the cloud that ended may take a moment to end them.
		for range 100 {
			if err := os.Remove(q.dir); err == nil || errors.Is(err, fs.ErrNotExist) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		b.Errorf("%s is left", q.dir)
	})
	if q.unit {
		q.write(b, "cpu.weight", "10000")
	} else {
		q.write(b, "cpu.shares", "100000")
	}
	return q
}

func (q *quota) write(b *testing.B, file, text string) {
	b.Helper()
	must(b, os.WriteFile(filepath.Join(q.dir, file), []byte(text), 0o644))
}

// set gives the group the share of a memory size in MB.
func (q *quota) set(b *testing.B, memory int) {
	b.Helper()
	share := quotaPeriod * time.Duration(memory) / wholeProcessor
	period, most := strconv.FormatInt(quotaPeriod.Microseconds(), 10), strconv.FormatInt(share.Microseconds(), 10)
	if q.unit {
		q.write(b, "cpu.max", most+" "+period)
		return
	}
	q.write(b, "cpu.cfs_period_us", period)
	q.write(b, "cpu.cfs_quota_us", most)
}

// add moves the processes of a program, and their children, into the group.
func (q *quota) add(b *testing.B, program string) {
	b.Helper()
	all, err := child.Below(os.Getpid())
	must(b, err)
	for _, p := range all {
		if !strings.HasSuffix(p.Program, "/"+program+"/bootstrap") {
			continue
		}
		family, err := child.Below(p.Pid)
		must(b, err)
		for _, member := range append(family, p) {
			q.write(b, "cgroup.procs", strconv.Itoa(member.Pid))
		}
	}
}
