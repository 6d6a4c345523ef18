package ddb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/infra/local/child"
)

// How often the database may end by itself: more than maxEnds times without
// having lasted for lasting, and something is wrong that a restart cannot mend.
const (
	maxEnds = 10
	lasting = 100 * time.Millisecond
)

// Keep starts the database again, on its port and with its data, whenever its
// process ends by itself: who uses it sees a pause of some milliseconds, as in
// the cloud. told hears about each end. Keep returns nil after Stop, and an
// error when the database does not come back.
func (s *Server) Keep(told func(why string)) error {
	process := s.current()
	if process == nil {
		return nil
	}
	for ends := 0; ends < maxEnds; ends++ {
		begun := time.Now()
		<-process.Done()
		if time.Since(begun) > lasting {
			ends = 0
		}
		next, err := s.again(process.ExitText(), told)
		if errors.Is(err, errStopped) {
			return nil
		}
		if err != nil {
			return err
		}
		process = next
	}
	return errors.New("dynoxide ends again and again")
}

func (s *Server) current() *child.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Pid is the process id of the database as it runs now, 0 when it is not ours.
func (s *Server) Pid() int {
	if process := s.current(); process != nil {
		return process.Pid
	}
	return 0
}

var errStopped = errors.New("stopped")

// again replaces a process that ended, errStopped after Stop.
func (s *Server) again(why string, told func(string)) (*child.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, errStopped
	}
	told(why)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for {
		process, err := launch(ctx, s.cfg, s.port)
		if err == nil {
			s.process = process
			return process, nil
		}
		// A connection out of this machine may hold the port for a moment.
		if !errors.Is(err, errPortTaken) || ctx.Err() != nil {
			return nil, fmt.Errorf("dynoxide: %w", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
