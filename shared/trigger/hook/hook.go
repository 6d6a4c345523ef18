// Package hook receives the calls of incoming webhooks: it finds the hook, limits the calls of a second, and stores each
// call, whose stored form fires the trigger.
package hook

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
)

// Hook is where an incoming webhook leads.
type Hook struct {
	ID      string
	Scope   tenant.Scope
	Trigger trigger.ID
	Enabled bool
}

// ReceivedCall is a call of a hook as its owner reads it (G25).
type ReceivedCall struct {
	ID            string            `json:"id"`
	At            int64             `json:"at" schema:"Milliseconds"`
	Method        string            `json:"method"`
	RemoteAddress string            `json:"remote_address"`
	Headers       map[string]string `json:"headers"`
	Size          int               `json:"size" minimum:"0"` // The size of the body in bytes.
	Fired         bool              `json:"fired"`
	Reason        string            `json:"reason,omitempty"` // The reason of the refusal. Empty for an accepted call.
}

// KeptCalls is how many calls of a hook can be read (D40).
const KeptCalls = 20

// The limits of hook calls (D40).
const (
	MaxBody   = 256 << 10
	PerSecond = 5 // of an application and environment
)

// Store remembers hooks and their calls.
type Store interface {
	// Hook returns a hook, errs.NotFound when there is none.
	Hook(ctx context.Context, id string) (Hook, error)
	// Admit counts a call in its second: errs.TooMany over PerSecond, exact however many programs count.
	Admit(ctx context.Context, scope tenant.Scope, second time.Time) error
	// Keep stores a call: from then on it fires, once, whatever dies. errs.Conflict when another call has its id.
	Keep(ctx context.Context, h Hook, call trigger.HookCall, size int) error
	// Refuse notes a call that does not fire, without what it brought. Of one second it keeps one.
	Refuse(ctx context.Context, h Hook, call ReceivedCall) error
	// CallEvents returns the events of the calls since a time that fired, newest first.
	CallEvents(ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time) iter.Seq2[trigger.Event, error]
	// Calls returns the last KeptCalls, newest first.
	Calls(ctx context.Context, scope tenant.Scope, t trigger.ID) ([]ReceivedCall, error)
}

// Receiver receives calls of hooks (endpoint 13).
type Receiver struct {
	Hooks Store
	Clock clock.Clock
	IDs   *id.Source

	// A second that was full does not become empty.
	filled  cache.Map[tenant.Scope, filledSecond]
	refused cache.Map[string, int64] // by hook, the second of its last stored refusal
}

// filledSecond is a Unix second in which no more calls are admitted, and the error of further calls.
type filledSecond struct {
	second int64
	err    error
}

// Incoming is a call that comes in. Read returns its payload: errs.Invalid when the call cannot be taken, such
// as for a body that is not JSON.
type Incoming struct {
	Hook          string
	Method        string
	RemoteAddress string
	Headers       map[string]string // as Headers returns them
	Size          int               // of the body, bytes
	Trace         trace.Link
	Read          func() (any, error)
	// Depth is that of the event whose action calls, + 1; 0 = a caller's own (G19), as where Depth is nil. It is called
	// for calls that are stored.
	Depth func(context.Context) (int, error)
}

// Receive stores a call, and what it fires happens soon after. errs.NotFound for a hook that does not exist or is
// disabled, errs.TooMany over the rate, errs.Invalid for a body that is no JSON or too large.
func (s *Receiver) Receive(ctx context.Context, in Incoming) error {
	now := s.Clock.Now()
	h, err := s.find(ctx, in.Hook)
	if err != nil {
		return err
	}
	payload, refusal := payloadOf(in)
	// A call that cannot be taken is not counted.
	if refusal == nil {
		refusal = s.count(ctx, h.Scope, now)
	}

	call := trigger.HookCall{
		Hook: h.ID, Method: in.Method, RemoteAddress: in.RemoteAddress,
		Headers: in.Headers, Trace: in.Trace, At: now, Payload: payload,
	}
	if refusal != nil {
		call.ID = s.newID(now)
		s.refuse(ctx, h, call, in.Size, refusal)
		return refusal
	}
	if in.Depth != nil {
		depth, err := in.Depth(ctx)
		if err != nil {
			return err
		}
		call.Depth = min(depth, trigger.MaxDepth)
	}
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		call.ID = s.newID(now) // two programs may draw one id in a millisecond
		return s.Hooks.Keep(ctx, h, call, in.Size)
	})
}

func (s *Receiver) newID(at time.Time) string { return fmt.Sprint(int64(s.IDs.New(at))) }

// payloadOf is what a call brings, errs.Invalid when it cannot be taken.
func payloadOf(in Incoming) (any, error) {
	if in.Size > MaxBody {
		return nil, errs.Invalid("the body must have at most %d KB", MaxBody>>10)
	}
	payload, err := in.Read()
	if err != nil {
		return nil, err
	}
	return payload, value.CheckNumbers("the request body", payload)
}

// find returns a hook that takes calls.
func (s *Receiver) find(ctx context.Context, hook string) (Hook, error) {
	h, err := s.Hooks.Hook(ctx, hook)
	if err == nil && !h.Enabled {
		err = errs.NotFound("there is no incoming webhook %q", hook)
	}
	return h, err
}

// count counts a call in its second. One that has been full stays full, so that whoever calls much too often costs
// little.
func (s *Receiver) count(ctx context.Context, scope tenant.Scope, at time.Time) error {
	if full, ok := s.filled.Get(scope); ok && full.second == at.Unix() {
		return full.err
	}
	err := s.Hooks.Admit(ctx, scope, at)
	if errs.Is(err, errs.KindTooMany) {
		s.filled.Put(scope, filledSecond{at.Unix(), err})
	}
	return err
}

// refuse lets the owner see a call that was refused for what the caller did, one of each second: that is what Hooks
// keeps. Whether it can be noted is not the caller's concern.
func (s *Receiver) refuse(ctx context.Context, h Hook, call trigger.HookCall, size int, why error) {
	if !errs.Is(why, errs.KindInvalid) && !errs.Is(why, errs.KindTooMany) {
		return
	}
	if second, ok := s.refused.Get(h.ID); ok && second == call.At.Unix() {
		return
	}
	err := s.Hooks.Refuse(ctx, h, ReceivedCall{
		ID: call.ID, At: call.At.UnixMilli(), Method: call.Method, RemoteAddress: call.RemoteAddress, Size: size,
		Headers: map[string]string{}, Reason: errs.Message(why),
	})
	if err == nil {
		s.refused.Put(h.ID, call.At.Unix())
	}
}

// customHeader is how headers begin that a caller may send along.
const customHeader = "X_SERVICE_"

// Headers returns the headers that a call's record keeps (G17), by the names
// of the contract: upper case, "_" for "-". header returns one of the call's
// headers, names are all of them.
func Headers(names []string, header func(name string) string) map[string]string {
	kept := map[string]string{
		"CONTENT_LENGTH": header("Content-Length"), "CONTENT_TYPE": header("Content-Type"),
		"HOST": header("Host"), "USER_AGENT": header("User-Agent"),
	}
	for _, name := range names {
		converted := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if strings.HasPrefix(converted, customHeader) {
			kept[converted] = header(name)
		}
	}
	return kept
}
