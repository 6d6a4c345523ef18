package game

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/sim"
	"minicloud/infra/local/lambdahost"
	"minicloud/shared/clock"
	"minicloud/shared/compress"
	"minicloud/shared/language/value"
	"minicloud/shared/sandbox"
)

// Sandbox stands in for the sandbox behind Invoke: what it does follows from the run's data, its result from the
// data and the code. It is also the witness of everything that begins.
type Sandbox struct {
	world    *sim.World
	troubles int // how often it has no capacity, in halves of a rate; 0 = never

	mu    sync.Mutex
	Tries map[string]int     // invocations of a job
	Begun map[string][]Begin // by job
}

// Begin is one run of user code.
type Begin struct {
	Scope, Code string
	Input       Input
	User        int64 // who asked for it, 0 = no end user
	At          time.Time
}

// Input is the data of a run.
type Input struct {
	Mark string `json:"mark"`
	Do   Does   `json:"do"`
	MS   int    `json:"ms"` // for how long
}

// Does is what user code does.
type Does string

const (
	Returns Does = "return"
	Throws  Does = "throw"
	Spins   Does = "spin" // until its time is over
	Dies    Does = "die"  // with its sandbox
	Hangs   Does = "hang" // with its sandbox, for longer than its time
)

// Output is the result of a run.
type Output struct {
	Mark string `json:"mark"`
	Code string `json:"code"`
}

// invoke is World.Sandbox.
func (s *Sandbox) invoke(ctx context.Context, r lambdahost.Request) (lambdahost.Result, error) {
	var asked sandbox.Request
	if err := json.Unmarshal(r.Payload, &asked); err != nil {
		return lambdahost.Result{}, err
	}
	if asked.Op == sandbox.OpCheck {
		return answerOf(sandbox.Result{Outcome: sandbox.OutcomeFulfilled})
	}

	var event struct {
		Data    Input
		Request struct{ User struct{ ID int64 } }
	}
	code, err := compress.Gunzip(asked.Code)
	if err = cmp.Or(err, json.Unmarshal(asked.Event, &event)); err != nil {
		return lambdahost.Result{}, err
	}
	s.mu.Lock()
	s.Tries[asked.JobID]++
	try := s.Tries[asked.JobID]
	s.mu.Unlock()
	random := s.world.Random(fmt.Sprint("sandbox ", asked.JobID, " ", try))
	time.Sleep(random.Jitter(time.Duration(random.IntN(30)) * time.Millisecond)) // it starts
	if random.Permille(30 * s.troubles) {
		return s.noCapacity(random)
	}

	s.mu.Lock()
	s.Begun[asked.JobID] = append(s.Begun[asked.JobID], Begin{r.Tenant, string(code), event.Data, event.Request.User.ID, time.Now()})
	s.mu.Unlock()
	return event.Data.run(ctx, asked, string(code), random)
}

// noCapacity refuses a run before it has begun.
func (s *Sandbox) noCapacity(random sim.Random) (lambdahost.Result, error) {
	if random.IntN(2) == 0 {
		return lambdahost.Result{}, &lambdahost.Error{Status: 429, Type: "TooManyRequestsException", Message: "Rate Exceeded."}
	}
	return answerOf(sandbox.Result{Outcome: sandbox.OutcomeNotStarted, Error: &sandbox.Error{Message: "it cannot start"}})
}

// run is user code. The supervisor ends it when its time is over.
func (in Input) run(
	ctx context.Context, asked sandbox.Request, code string, random sim.Random,
) (lambdahost.Result, error) {
	limit, lasts := time.Duration(asked.TimeoutMS)*time.Millisecond, time.Duration(in.MS)*time.Millisecond
	if in.Do == Hangs {
		lasts = limit + 8*time.Second
	} else if in.Do == Spins || lasts > limit {
		lasts = limit
	}
	if clock.Sleep(ctx, random.Jitter(lasts)) != nil {
		return lambdahost.Result{}, ctx.Err()
	}

	result := sandbox.Result{Outcome: sandbox.OutcomeFulfilled, ExecutionMS: float64(lasts.Milliseconds()), Log: in.Mark}
	switch {
	case in.Do == Dies:
		return crash("Runtime.ExitError")
	case in.Do == Hangs:
		return crash("Sandbox.Timedout")
	case in.Do == Throws:
		result.Outcome, result.Error = sandbox.OutcomeExecutionFailed, &sandbox.Error{Type: "TypeError", Message: in.Mark}
	case lasts == limit:
		result.Outcome = sandbox.OutcomeDeadlineExceeded
		result.Error = &sandbox.Error{Type: "TimeoutError", Message: fmt.Sprintf("function timed out after %d ms", asked.TimeoutMS)}
	default:
		result.Data, _ = json.Marshal(Output{in.Mark, code}) // texts always encode
	}
	return answerOf(result)
}

func crash(kind string) (lambdahost.Result, error) {
	return lambdahost.Result{
		FunctionError: "Unhandled", Payload: []byte(`{"errorType":"` + kind + `","errorMessage":"it has ended"}`),
	}, nil
}

func answerOf(r sandbox.Result) (lambdahost.Result, error) {
	payload, err := value.Encode(r)
	return lambdahost.Result{Payload: payload}, err
}

// CodeOf is the code of a function's nth version.
func CodeOf(version int) string { return fmt.Sprintf("exports.main = async () => %d", version) }

// VersionOf is the version of a code.
func VersionOf(code string) (n int) {
	_, _ = fmt.Sscanf(code[strings.LastIndexByte(code, ' ')+1:], "%d", &n) // 0 is none
	return n
}
