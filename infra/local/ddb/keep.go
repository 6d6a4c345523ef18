package ddb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/infra/local/child"
)

// maxEnds limits how often in a row the database may end before it serves, or within lasting of its start. Beyond it,
// another restart will not help.
const (
	maxEnds = 20
	lasting = 100 * time.Millisecond
)

// Keep restarts the database, on its port and with its data, whenever the process ends by itself: as in the cloud,
// clients see a pause of some milliseconds. It calls told with the reason of each end. It returns nil after Stop, and
// an error if the database cannot be restarted.
func (s *Server) Keep(told func(why string)) error {
	process := s.current()
	if process == nil {
		return nil
	}

	for ends := 0; ; {
		begun := time.Now()
		<-process.Done()
		// Only quick successive ends count: a database that served for a while may be restarted.
		if time.Since(begun) > lasting {
			ends = 0
		}

		why := process.ExitText()
		for process = nil; process == nil; {
			if ends++; ends > maxEnds {
				return trouble(s.path, fmt.Errorf("it ends again and again: %s", why))
			}

			next, err := s.again(why, told)
			switch {
			case errors.Is(err, errStopped):
				return nil
			case err != nil:
				why = err.Error()
				time.Sleep(20 * time.Millisecond)
			}

			process = next
		}
	}
}

func (s *Server) current() *child.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Pid returns the process ID of the running database, 0 for Elsewhere.
func (s *Server) Pid() int {
	if process := s.current(); process != nil {
		return process.Pid
	}
	return 0
}

var errStopped = errors.New("stopped")

// again replaces an ended process. It returns errStopped after Stop, and another error if the new process ends before
// it serves.
func (s *Server) again(why string, told func(string)) (*child.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, errStopped
	}

	told(why)
	// An outgoing connection of this machine may use the port for a moment.
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		process, err := launch(context.Background(), s.cfg, s.port)
		if errors.Is(err, errPortTaken) && time.Since(begun) < 10*time.Second {
			continue
		}
		if err == nil {
			s.process = process
		}
		return process, err
	}
}
