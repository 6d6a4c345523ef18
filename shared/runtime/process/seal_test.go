package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"minicloud/shared/runtime/sandboxtest"
)

// probe runs in a sealed child and reports which forbidden operations native code could still perform.
func probe() {
	absent, err := seal(128)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	could := []string{}
	try := func(name string, err error) {
		if err == nil {
			could = append(could, name)
		}
	}
	_, err = os.Open("/etc/hostname")
	try("open a file", err)
	_, err = os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
	try("read the parent's environment", err)
	try("start a program", exec.Command("/bin/true").Run())
	_, err = net.Dial("udp", "127.0.0.1:53")
	try("open a socket", err)
	tryMore(try)
	if len(os.Environ()) > 0 {
		could = append(could, "see an environment")
	}
	report := map[string]any{"absent": absent, "could": could, "descriptors": descriptors()}
	json.NewEncoder(os.NewFile(childOutput, "out")).Encode(report)
	os.Exit(0)
}

// descriptors lists the open descriptors beyond the three standard ones. It tries every number, because the file
// system is not accessible.
func descriptors() (open []int) {
	for fd := 3; fd < 1024; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); !errors.Is(err, unix.EBADF) {
			open = append(open, fd)
		}
	}
	return open
}

func TestSealsChild(t *testing.T) {
	// Open a descriptor without close-on-exec, like one inherited from the parent process.
	leak, err := unix.FcntlInt(0, unix.F_DUPFD, 200)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)
	if err := Harden(); err != nil {
		t.Fatal(err)
	}
	defer soften()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{
		Path: link(t, self, "probe"), Args: []string{childName, "128"}, Env: []string{}, ExtraFiles: []*os.File{in, out},
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	var said struct {
		Absent, Could []string
		Descriptors   []int
	}
	if err := json.NewDecoder(in).Decode(&said); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()

	if len(said.Absent) > 0 {
		t.Logf("walls this kernel or build does not offer: %s", strings.Join(said.Absent, "; "))
	}
	said.Could = slices.DeleteFunc(said.Could, func(name string) bool { return slices.Contains(withoutFilter, name) })
	if len(said.Could) > 0 {
		t.Errorf("native code in the child could %s", strings.Join(said.Could, ", "))
	}
	if slices.Contains(said.Descriptors, leak) {
		t.Errorf("descriptor %d reached the child", leak)
	}
}

func TestWritesMetrics(t *testing.T) {
	var b strings.Builder
	s := newSupervisor(t)
	s.Observe = func(o Observation) { WriteMetrics(&b, "sandbox", time.Now(), o) }
	s.must(t, sandboxtest.Request(`exports.main = async () => 'private'`))
	endless := sandboxtest.Request(`exports.main = () => { for (;;); }`)
	endless.TimeoutMS = 50
	s.must(t, endless)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	for i, want := range []string{`"child":"cold"`, `"outcome":"deadline_exceeded"`} {
		if !json.Valid([]byte(lines[i])) || !strings.Contains(lines[i], want) || strings.Contains(lines[i], "private") {
			t.Errorf("line %d: %s, want %s", i, lines[i], want)
		}
	}
}
