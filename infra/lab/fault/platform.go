// Package fault kills every process of a local cloud at random moments while a load uses its whole API (package load),
// restarts what does not restart by itself, and has the load judge what is there.
//
//	Platform   a local cloud in a process of its own: start, stop, crash   platform.go
//	Round      who is killed while a load runs, and how often              kill.go
//
// At the real pace everything takes its real time. In a hurry the local cloud is killed once more at the end, so that
// the messages of killed workers come back at once, and lost work is found by the platform's own code with a clock that
// is ahead. Then the lateness of work is not judged.
package fault

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"minicloud/infra/lab/load"
	"minicloud/infra/local/child"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
)

// Platform is a local cloud in a process of its own, which may be killed and started again on its port and data. Its
// minutes come from /_local/tick only.
type Platform struct {
	load.Cloud
	settings settings
	process  *child.Process
}

// settings are what a local cloud is started with.
type settings struct {
	Root, DataDir, BinDir string
	Port                  int
}

// crashQueues is the signal at which the queues of a local cloud die.
const crashQueues = syscall.SIGUSR1

// variable carries the configuration to the process that serves.
const variable = "FAULT_CLOUD"

// ServeIfAsked turns this process into a local cloud when Platform started it.
// Call it first in TestMain.
func ServeIfAsked() {
	asked := os.Getenv(variable)
	if asked == "" {
		return
	}
	if err := serve(asked); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(asked string) error {
	var s settings
	if err := json.Unmarshal([]byte(asked), &s); err != nil {
		return err
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := cloud.Start(ctx, cloud.Config{
		Root: s.Root, DataDir: s.DataDir, BinDir: s.BinDir, Port: s.Port, Terminal: os.Stderr, StoppedClock: true,
		Environment: map[string]string{"ALLOW_PRIVATE_TARGETS": "1"}, // the witness is on loopback
		Parameters:  map[string]string{"MailsPerDay": "10000000", "SmsPerDay": "10000000"},
	})
	if err != nil {
		return err
	}
	defer c.Stop()
	about := load.About{
		URL: c.URL, Services: c.Services, Database: c.Database, Environment: map[string]string{},
		Logs: filepath.Join(s.DataDir, "logs"),
	}
	for _, f := range c.Template.Functions {
		maps.Copy(about.Environment, f.Environment)
	}

	crash := make(chan os.Signal, 1)
	signal.Notify(crash, crashQueues)
	if err := json.NewEncoder(os.Stdout).Encode(about); err != nil {
		return err
	}

	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-c.Failed():
			return err
		case <-crash:
			if err := c.CrashQueues(queuesDown); err != nil {
				return err
			}
		}
	}
}

// NewPlatform builds the programs and starts a local cloud on dir.
func NewPlatform(dir string) (*Platform, error) {
	cfg, err := cloudtest.Config(dir)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String()) // it is one
	l.Close()
	p := &Platform{settings: settings{Root: cfg.Root, DataDir: cfg.DataDir, BinDir: cfg.BinDir}}
	p.settings.Port, _ = strconv.Atoi(port)
	return p, p.Start()
}

// Start starts the local cloud and returns when it serves.
func (p *Platform) Start() error {
	asked, err := json.Marshal(p.settings)
	if err != nil {
		return err
	}

	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.settings.DataDir, 0o700); err != nil {
		return err
	}

	log, err := os.OpenFile(p.log(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	said, voice := io.Pipe()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable+"="+string(asked))
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = voice, log, time.Second
	if p.process, err = child.Start(cmd); err != nil {
		return err
	}

	go func() {
		<-p.process.Done()
		voice.Close()
	}()
	line, err := bufio.NewReader(said).ReadBytes('\n')
	if err != nil {
		err = errors.Join(err, p.process.Err())
		return fmt.Errorf("the local cloud did not start: %w; its last words: %s", err, p.lastWords())
	}

	go io.Copy(io.Discard, said)

	return json.Unmarshal(line, &p.About)
}

// Kill kills the local cloud and returns when its process is gone.
func (p *Platform) Kill() {
	_ = syscall.Kill(p.process.Pid, syscall.SIGKILL)
	<-p.process.Done()
}

// Stop ends the local cloud in good order.
func (p *Platform) Stop() { p.process.Stop(10 * time.Second) }

// Denied returns what programs were denied by their own policies, from the log.
func (p *Platform) Denied() error {
	text, err := os.ReadFile(p.log())
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, cloud.DeniedMessage) {
			return errors.New(line)
		}
	}
	return nil
}

// log is where the local cloud writes what goes wrong.
func (p *Platform) log() string { return filepath.Join(p.settings.DataDir, "cloud.log") }

// lastWords returns the end of the log.
func (p *Platform) lastWords() string {
	text, err := os.ReadFile(p.log())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}
