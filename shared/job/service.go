package job

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/id"
	"minicloud/shared/logging"
	"minicloud/shared/oauth"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Functions finds what is to run; *cloudfunction.Service is one.
type Functions interface {
	Read(ctx context.Context, scope tenant.Scope, name string) (cloudfunction.Function, error)
	ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.Function, error)
}

// Variables are what a function reads as process.env (D46).
type Variables interface {
	// Values returns the variables of f in clear, and the names of the secret ones.
	Values(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) (values map[string]string, secrets []string, err error)
}

// Hosts makes the way back to the platform that one run is given (D24).
type Hosts interface {
	// Host returns the platform at baseURL with a token for this run.
	Host(ctx context.Context, baseURL string, run oauth.Run) (*sandbox.Host, error)
}

// Service decides what becomes of jobs.
type Service struct {
	Functions Functions
	Store     Store
	Runner    sandbox.Runner
	// Queue is needed for asynchronous runs only.
	Queue Queue
	// Variables, nil = functions have none.
	Variables Variables
	// Hosts, nil = functions cannot call the platform.
	Hosts Hosts
	// Callbacks, nil = messages that ask for one fail.
	Callbacks *Callbacks
	IDs       *id.Source
	Clock     clock.Clock
	Log       *slog.Logger
	// Pause waits for d or until ctx ends; nil is the real time.
	Pause func(ctx context.Context, d time.Duration) error

	slots     slotMemory
	recent    cache[activity, recentFunction]
	announced cache[activity, time.Time] // until when
}

// Call is a run to be made.
type Call struct {
	Source Source
	Input  Input
	// Token, where there is one, is a write token that the run is made under, in the place of that of the request: of
	// all asynchronous runs with the same one only the first is made, and the others return it.
	Token string
	// Callback is told how an asynchronous run ended, "" = nobody is.
	Callback string
}

// Result is what came of a run.
type Result struct {
	Record Record
	Data   json.RawMessage // what main gave; nil = null
	Log    string
	// Version is that of the function that ran, 0 where this tells of an earlier try.
	Version int
}

// Code returns 0 when the function succeeded, else 1 (D18).
func (r Result) Code() int {
	if r.Record.Status == StatusFulfilled {
		return 0
	}
	return 1
}

func (s *Service) log() *slog.Logger { return logging.OrNone(s.Log) }

// try calls f, with 0, 1, 2 …, until it succeeds, or fails with what is not to be tried again; it returns the last
// error. The delays are those of the policy.
func (s *Service) try(ctx context.Context, p retry.Policy, again func(error) bool, f func(try int) error) error {
	for try := 0; ; try++ {
		err := f(try)
		if err == nil || !again(err) || s.pause(ctx, p.Delay(try+1)) != nil {
			return err
		}
	}
}

func (s *Service) pause(ctx context.Context, d time.Duration) error {
	if s.Pause != nil {
		return s.Pause(ctx, d)
	}
	return clock.Sleep(ctx, d)
}
