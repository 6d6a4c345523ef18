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
	"minicloud/shared/oauth"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/logging"
)

// Functions reads functions; *cloudfunction.Service implements it.
type Functions interface {
	Read(ctx context.Context, scope tenant.Scope, name string) (cloudfunction.Function, error)
	ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.Function, error)
}

// Variables reads the environment variables of functions (D46: process.env, secrets included).
type Variables interface {
	// Values returns the variables of f in clear, and the names of the secret ones.
	Values(ctx context.Context, scope tenant.Scope, f cloudfunction.Function) (values map[string]string, secrets []string, err error)
}

// Hosts signs a run's access to the platform's API (D24: BaaS.* is its only network access); *oauth.RunSigner
// implements it.
type Hosts interface {
	// Access returns the run token and the depth header of the run's calls.
	Access(ctx context.Context, run oauth.Run) (token, depth string, err error)
}

// Callbacks delivers the results of runs to their callback_url; *callback.Service implements it.
type Callbacks interface {
	// Deliver attempts the callback of an ended job. next is the delay until the next attempt, 0 = none. An error means
	// that the message must be delivered again.
	Deliver(ctx context.Context, scope tenant.Scope, r Record) (next time.Duration, err error)
}

// Service accepts, runs, ends and returns jobs.
type Service struct {
	Functions Functions
	Store     Store
	Runner    sandbox.Runner
	// Queue is required for asynchronous runs only.
	Queue Queue
	// Variables; nil = functions have no variables.
	Variables Variables
	// Hosts; nil = functions cannot call the platform.
	Hosts Hosts
	// Callbacks delivers callbacks; required by workers.
	Callbacks Callbacks
	// Links signs and checks log URLs; required by Sign and Open.
	Links *runlog.Keys
	IDs   *id.Source
	Clock clock.Clock
	Log   *slog.Logger
	// Pause waits for d or until ctx ends; nil = real time.
	Pause func(ctx context.Context, d time.Duration) error

	freed     cache.Map[slotGroup, []int]         // slots released by runs of this process
	recent    cache.Map[activity, recentFunction] // read during the last second
	announced cache.Map[activity, time.Time]      // end of the announcement
}

// Call describes a run to start.
type Call struct {
	Source Source
	Input  event.Input
	// Token is the write token of an asynchronous run, "" = that of the request. Start creates one job per token:
	// further calls with the token return the same job.
	Token string
	// Callback is the URL that receives the result of an asynchronous run, "" = none.
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

// Code returns the code of the contract: 0 if the function succeeded, else 1 (D18).
func (r Result) Code() int {
	if r.Record.Status == StatusFulfilled {
		return 0
	}
	return 1
}

func (s *Service) log() *slog.Logger { return logging.OrNone(s.Log) }

// try calls f with the number of the try, from 0, until f succeeds, again returns false for its error, or ctx ends.
// Between tries it waits according to the policy. It returns the last error.
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
