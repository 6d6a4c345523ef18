// Package hook receives the calls of incoming webhooks: it looks up the hook, limits the call rate, and stores each
// call. The stored call fires the trigger.
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

// Hook is the URL of an incoming webhook and the trigger behind it.
type Hook struct {
	ID      string
	Scope   tenant.Scope
	Trigger trigger.ID
	Enabled bool
}

// ReceivedCall is a received call as shown to the owner of the hook (G25).
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

// KeptCalls is the number of calls per hook that owners can read (D40).
const KeptCalls = 20

// The limits of hook calls (D40).
const (
	MaxBody   = 256 << 10
	PerSecond = 5 // per application and environment
)

// Store stores hooks and their calls.
type Store interface {
	// Hook returns a hook. It returns errs.NotFound if the hook does not exist.
	Hook(ctx context.Context, id string) (Hook, error)
	// Admit counts a call in its second. It returns errs.TooMany above PerSecond; the limit is exact across all
	// instances.
	Admit(ctx context.Context, scope tenant.Scope, second time.Time) error
	// Keep stores a call. A stored call fires exactly once, even after crashes. It returns errs.Conflict if another
	// call has the same id.
	Keep(ctx context.Context, h Hook, call trigger.HookCall, size int) error
	// Refuse stores a refused call without its payload. It keeps one refused call per second.
	Refuse(ctx context.Context, h Hook, call ReceivedCall) error
	// CallEvents returns the events of the calls that fired since a time, newest first.
	CallEvents(ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time) iter.Seq2[trigger.Event, error]
	// Calls returns the last KeptCalls calls, newest first.
	Calls(ctx context.Context, scope tenant.Scope, t trigger.ID) ([]ReceivedCall, error)
}

// Receiver receives calls of hooks (endpoint 13).
type Receiver struct {
	Hooks Store
	Clock clock.Clock
	IDs   *id.Source

	// Once a second has reached the limit, it stays full, so the refusal can be cached.
	filled  cache.Map[tenant.Scope, filledSecond]
	refused cache.Map[string, int64] // by hook: the second of its last stored refusal
}

// filledSecond is a Unix second in which no more calls are admitted, and the error of further calls.
type filledSecond struct {
	second int64
	err    error
}

// Incoming is a call to receive. Read returns its payload, or errs.Invalid if the call is malformed, such as a body
// that is not JSON.
type Incoming struct {
	Hook          string
	Method        string
	RemoteAddress string
	Headers       map[string]string // as Headers returns them
	Size          int               // size of the body, bytes
	Trace         trace.Link
	Read          func() (any, error)
	// Depth returns the depth of the event whose action makes the call, + 1, or 0 for other callers (G19). It is called
	// only for calls that are stored.
	Depth func(context.Context) (int, error)
}

// Receive stores a call; its trigger fires asynchronously. It returns errs.NotFound if the hook does not exist or is
// disabled, errs.TooMany above the rate limit, and errs.Invalid if the body is not JSON or too large.
func (s *Receiver) Receive(ctx context.Context, in Incoming) error {
	now := s.Clock.Now()
	h, err := s.find(ctx, in.Hook)
	if err != nil {
		return err
	}
	payload, refusal := payloadOf(in)
	// A malformed call does not count against the rate limit.
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
	depth, err := in.Depth(ctx)
	if err != nil {
		return err
	}
	call.Depth = min(depth, trigger.MaxDepth)
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		call.ID = s.newID(now) // two instances can generate the same id within a millisecond
		return s.Hooks.Keep(ctx, h, call, in.Size)
	})
}

func (s *Receiver) newID(at time.Time) string { return fmt.Sprint(int64(s.IDs.New(at))) }

// payloadOf returns the payload of a call. It returns errs.Invalid if the body is too large or malformed.
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

// find returns an enabled hook, errs.NotFound otherwise.
func (s *Receiver) find(ctx context.Context, hook string) (Hook, error) {
	h, err := s.Hooks.Hook(ctx, hook)
	if err == nil && !h.Enabled {
		err = errs.NotFound("there is no incoming webhook %q", hook)
	}
	return h, err
}

// count counts a call in its second. A full second is cached, so that further calls in it cost no write.
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

// refuse stores a call that was refused because of the caller (errs.Invalid, errs.TooMany), one per hook and second,
// for the owner to see. It ignores errors of the store, because the caller must get the original refusal.
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

// customHeader is the prefix of the custom headers that a call's record includes.
const customHeader = "X_SERVICE_"

// Headers returns the headers that a call's record includes (G17). Their names are as in the contract: upper case, with
// "_" for "-". names are the names of all headers of the call; header returns the value of one.
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
