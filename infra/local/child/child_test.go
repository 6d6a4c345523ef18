package child

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

func shell(t *testing.T, script string) (*Process, *bufio.Scanner) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	cmd := exec.Command("sh", "-c", script)
	cmd.Stdout = in
	p, err := Start(cmd)
	in.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p, bufio.NewScanner(out)
}

func TestStopEndsProcessGroup(t *testing.T) {
	p, lines := shell(t, "trap '' TERM; sleep 60 & echo $!; wait; wait")
	if !lines.Scan() {
		t.Fatal("no word from the shell")
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	p.Stop(100 * time.Millisecond)
	if took := time.Since(begun); took > 3*time.Minute {
		t.Errorf("Stop took %v", took)
	}
	for deadline := time.Now().Add(3 * time.Minute); alive(t, grandchild); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the grandchild lives on")
		}
	}
}

// TestChildrenEndWithParent kills a parent; its child processes must end with it.
func TestChildrenEndWithParent(t *testing.T) {
	const asParent = "START_AND_WAIT"
	if os.Getenv(asParent) != "" {
		gone, err := Start(exec.Command("true"))
		if err != nil {
			t.Fatal(err)
		}
		<-gone.Done()
		for range 2 {
			p, err := Start(exec.Command("sleep", "60"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(p.Pid)
		}
		time.Sleep(time.Minute)
		return
	}

	cmd := exec.Command(os.Args[0], "-test.run=^TestChildrenEndWithParent$")
	cmd.Env = append(os.Environ(), asParent+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var children [2]int
	if _, err := fmt.Fscan(out, &children[0], &children[1]); err != nil {
		t.Fatal(err)
	}

	cmd.Process.Kill()
	cmd.Wait()
	for deadline := time.Now().Add(3 * time.Minute); alive(t, children[0]) || alive(t, children[1]); {
		if time.Now().After(deadline) {
			t.Fatalf("the children live on: %v", children)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// alive reports whether a process runs; a zombie does not.
func alive(t *testing.T, pid int) bool {
	t.Helper()
	p, found, err := Find(pid)
	if err != nil {
		t.Fatal(err)
	}
	return found && !p.Zombie
}

func TestBelowListsDescendants(t *testing.T) {
	p, lines := shell(t, "sleep 60 & echo $!; wait")
	if !lines.Scan() {
		t.Fatal("no word from the shell")
	}
	want := map[string]int{fmt.Sprint(p.Pid, " sh"): os.Getpid(), lines.Text() + " sleep": p.Pid}

	// The shell prints the ID of its child right after the fork, when the child is still called sh.
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		all, err := Below(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		parents := map[string]int{}
		for _, found := range all {
			parents[fmt.Sprint(found.Pid, " ", found.Program)] = found.Parent
		}

		missing := maps.Clone(want)
		maps.DeleteFunc(missing, func(name string, parent int) bool { return parents[name] == parent })
		if len(missing) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("these parents are not found: %v; all: %v", missing, parents)
		}
	}
}

func TestExitTextNamesStatusOrSignal(t *testing.T) {
	for script, want := range map[string]string{
		"exit 0": "exit status 0", "exit 7": "exit status 7", "kill -9 $$": "signal: killed",
	} {
		p, _ := shell(t, script)
		<-p.Done()
		if got := p.ExitText(); got != want {
			t.Errorf("%s: %q", script, got)
		}
	}
}

func TestStartRefusesMissingProgram(t *testing.T) {
	cmd := exec.Command("/nowhere")
	cmd.Stdout = io.Discard
	if _, err := Start(cmd); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("started: %v", err)
	}
}
