package sim

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"minicloud/infra/local/iam"
	"minicloud/infra/local/unkind"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
)

// Instance is one process of a program: its clients, and what it keeps between requests. When it dies everything in it
// ends, and the next request gets a new one.
type Instance struct {
	Program string
	Name    string // of the program and its number

	Backend  *backend.Backend
	Queues   *queues.Queues
	Handlers any // what the program made of these

	clock clock.Clock
	ctx   context.Context // ends when the instance dies
	kill  context.CancelFunc
	dead  atomic.Bool

	begun, running int // invocations; guarded by World.mu
}

// invocation is one of an instance. Work that it leaves behind stands still until the next one begins, as Lambda
// freezes an environment between invocations.
type invocation struct {
	of     *Instance
	number int
	ended  int // invocations that the instance had begun when it ended; 0 = it has not
}

// frozen reports whether calls of the invocation stand still. The caller holds World.mu.
func (v *invocation) frozen() bool { return v != nil && v.ended > 0 && v.ended == v.of.begun }

type invocationKey struct{}

// invocationOf returns the invocation that a context is of, nil for none.
func invocationOf(ctx context.Context) *invocation {
	v, _ := ctx.Value(invocationKey{}).(*invocation)
	return v
}

func (w *World) begin(i *Instance) *invocation {
	w.mu.Lock()
	defer w.mu.Unlock()
	i.begun++
	i.running++
	w.look() // for calls of earlier invocations
	return &invocation{of: i, number: i.begun}
}

func (w *World) end(v *invocation) {
	w.mu.Lock()
	v.ended = v.of.begun
	v.of.running--
	freezes := v.of.running == 0
	w.mu.Unlock()
	if freezes && w.Unkind.On(unkind.Freeze) {
		w.Unkind.Hit(unkind.Freeze)
	}
}

// Program makes an instance's handlers, as main does.
type Program func(*Instance) any

// Instance returns the living process of a program, a new one when there is none.
func (w *World) Instance(name string, start Program) *Instance {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.instances[name]; i != nil && !i.dead.Load() {
		return i
	}

	i := &Instance{Program: name, Name: fmt.Sprintf("%s#%d", name, w.Deaths)}
	i.ctx, i.kill = context.WithCancel(w.ctx) // Stop must not wait for a call that nobody answers any more
	i.clock = func() time.Time { return time.Now().UTC().Add(w.skew(name)) }
	i.open(w)
	i.Handlers = start(i)
	w.instances[name] = i
	return i
}

// open makes the instance's clients, whose calls go through the world's gate.
func (i *Instance) open(w *World) {
	b := backend.Open(program.Read(w.variable(i.Program)))
	i.Backend, b.Clock, b.Log = b, i.clock, slog.New(slog.DiscardHandler)
	b.Config.BaseEndpoint, b.Config.HTTPClient = aws.String("http://simulated"), &gate{w, i}
	b.DynamoDB = dynamo.New(b.Config)
	i.Queues = queues.Open(b)
}

// variables are those that Lambda adds to every program.
var variables = map[string]string{
	"AWS_REGION": region, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": iam.Secret,
}

// variable is the environment of a program: that of its function, for a program of no function those of all together.
func (w *World) variable(program string) func(name string) (string, bool) {
	return func(name string) (value string, set bool) {
		if value, set = variables[name]; set {
			return value, set
		}
		own := w.environments[program]
		if own == nil {
			own = w.environment
		}
		value, set = own[name]
		return value, set
	}
}

// Dead reports whether the process has ended.
func (i *Instance) Dead() bool { return i.dead.Load() }

// Reach takes a random time below 200 ms, in which a request of the instance gets to a service outside of AWS.
// It returns an error if the instance dies meanwhile or waits no longer.
func (i *Instance) Reach(ctx context.Context, random Random) error {
	err := clock.Sleep(ctx, random.Jitter(time.Duration(random.IntN(200))*time.Millisecond))
	if err == nil && i.Dead() {
		err = context.Canceled
	}
	return err
}

// Clock is the clock of the machine that the program runs on.
func (i *Instance) Clock() clock.Clock { return i.clock }

// Skew sets the clock of a program's machine off by so much.
func (w *World) Skew(program string, by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skews[program] = by
}

func (w *World) skew(program string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.skews[program]
}

// workKey is that of a context's value: what its calls are made for.
type workKey struct{}

// WithLabel labels the calls of a context with what they are made for.
func WithLabel(ctx context.Context, what string) context.Context {
	return context.WithValue(ctx, workKey{}, what)
}

// Label is the label of a context, "" where it has none.
func Label(ctx context.Context) string {
	what, _ := ctx.Value(workKey{}).(string)
	return what
}

// Kill ends an instance and all it does.
func (w *World) Kill(i *Instance) {
	if i.dead.Swap(true) {
		return
	}
	w.mu.Lock()
	w.Deaths++
	w.mu.Unlock()
	i.kill()
}

// Do has an instance of the program do something, as one invocation. ok is false when it died meanwhile: then nobody
// knows what was done.
func (w *World) Do(name string, start Program, f func(ctx context.Context, handlers any) error) (err error, ok bool) {
	i := w.Instance(name, start)
	ctx := i.ctx
	if limit := w.Limits[name]; limit > 0 {
		// Programs see the deadline, as on Lambda, which kills those that go on.
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
		ends := time.AfterFunc(limit+time.Millisecond, func() {
			if !i.Dead() {
				w.Count("invocation out of time")
				w.Kill(i)
			}
		})
		defer ends.Stop()
	}
	v := w.begin(i)
	defer w.end(v)
	defer setFamily(w.found(fmt.Sprint("invocation ", v.number, " of ", i.Name)))
	err = f(context.WithValue(ctx, invocationKey{}, v), i.Handlers)
	return err, !i.dead.Load()
}
