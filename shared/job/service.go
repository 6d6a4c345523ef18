package job

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/id"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
	"minicloud/shared/logging"
	"minicloud/shared/oauth"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Functions finds functions; *cloudfunction.Service is one.
type Functions interface {
	Read(ctx context.Context, scope tenant.Scope, name string) (cloudfunction.Function, error)
	ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.Function, error)
}

// Variables finds the environment variables of functions (D46: process.env, secrets included).
type Variables interface {
	// Values returns the variables of f in clear, and the names of the secret ones.
	Values(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) (values map[string]string, secrets []string, err error)
}

// Hosts signs the access that a run has to the platform's API (D24: BaaS.* is the only way out); *oauth.RunSigner is one.
type Hosts interface {
	// Access returns the run token and the depth header of the run's calls.
	Access(ctx context.Context, run oauth.Run) (token, depth string, err error)
}

// Callbacks delivers the results of runs to their callback_url; *callback.Service is one.
type Callbacks interface {
	// Deliver makes an attempt at the callback of a job that has ended. next is the time until the following attempt,
	// 0 = there is none. An error means that the message must be delivered again.
	Deliver(ctx context.Context, scope tenant.Scope, r Record) (next time.Duration, err error)
}

// Service accepts, runs, ends and shows jobs.
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
	// Callbacks delivers callbacks; workers need it.
	Callbacks Callbacks
	// Links sign and check log URLs; Sign and Open need it.
	Links *runlog.Keys
	IDs   *id.Source
	Clock clock.Clock
	Log   *slog.Logger
	// Pause waits for d or until ctx ends; nil is the real time.
	Pause func(ctx context.Context, d time.Duration) error

	freed     cache.Map[slotGroup, []int]         // slots that runs of this process left
	recent    cache.Map[activity, recentFunction] // of the last second
	announced cache.Map[activity, time.Time]      // end of the announcement
}

// Call is a run to be made.
type Call struct {
	Source Source
	Input  event.Input
	// Token is the write token of an asynchronous run, "" = that of the request. Start makes one job for a token and
	// returns that job again for every further call with it.
	Token string
	// Callback is the address that receives the result of an asynchronous run, "" = none.
	Callback string
}

// Result is the outcome of a run.
type Result struct {
	Record Record
	Data   json.RawMessage // the value that main returned; nil = null
	Log    string
	// Version is the version of the function that ran, 0 for the result of an earlier try.
	Version int
}

// Code returns 0 when the function succeeded, else 1, as the result of the contract has it (D18).
func (r Result) Code() int {
	if r.Record.Status == StatusFulfilled {
		return 0
	}
	return 1
}

func (s *Service) log() *slog.Logger { return logging.OrNone(s.Log) }

// try calls f with the number of the try, from 0, until f succeeds, again is false for its error, or ctx ends. It
// waits for the delays of the policy in between and returns the last error.
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
