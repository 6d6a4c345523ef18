package trigger

import (
	"context"
	"fmt"
	"iter"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Hook is where an incoming webhook leads.
type Hook struct {
	ID      string
	Scope   tenant.Scope
	Trigger ID
	Enabled bool
}

// ReceivedCall is a call of a hook as its owner reads it (G25).
type ReceivedCall struct {
	ID            string            `json:"id"`
	At            int64             `json:"at"` // Unix milliseconds
	Method        string            `json:"method"`
	RemoteAddress string            `json:"remote_address"`
	Headers       map[string]string `json:"headers"`
	Size          int               `json:"size"` // bytes of the body
	Fired         bool              `json:"fired"`
	Reason        string            `json:"reason,omitempty"` // why it was refused
}

// KeptCalls is how many calls of a hook can be read (D40).
const KeptCalls = 20

// The limits of hook calls (D40).
const (
	MaxHookBody  = 256 << 10
	HooksASecond = 5 // of an application and environment
)

// Hooks remembers hooks and their calls.
type Hooks interface {
	// Hook returns a hook, errs.NotFound when there is none.
	Hook(ctx context.Context, id string) (Hook, error)
	// Admit counts a call in its second: errs.TooMany over HooksASecond, exact however many programs count.
	Admit(ctx context.Context, scope tenant.Scope, second time.Time) error
	// Keep stores a call: from then on it fires, once, whatever dies.
	Keep(ctx context.Context, h Hook, call HookCall, size int) error
	// Refuse notes a call that does not fire, without what it brought.
	Refuse(ctx context.Context, h Hook, call ReceivedCall) error
	// CallEvents returns the events of the calls since a time that fired, newest first.
	CallEvents(ctx context.Context, scope tenant.Scope, t ID, since time.Time) iter.Seq2[Event, error]
	// Calls returns the last KeptCalls, newest first.
	Calls(ctx context.Context, scope tenant.Scope, t ID) ([]ReceivedCall, error)
}

// Receiver receives calls of hooks (endpoint 13).
type Receiver struct {
	Hooks Hooks
	Clock clock.Clock
	IDs   *id.Source
}

// Incoming is a call that comes in. Read returns its payload: errs.Invalid when the call cannot be taken, such
// as for a body that is not JSON.
type Incoming struct {
	Hook          string
	Method        string
	RemoteAddress string
	Headers       map[string]string // as HookHeaders returns them
	Size          int               // of the body, bytes
	Depth         int               // of the event whose action calls, + 1; 0 = a caller's own (G19)
	Read          func() (any, error)
}

// Receive stores a call, and what it fires happens soon after. errs.NotFound for a hook that does not exist or is
// disabled, errs.TooMany over the rate, errs.Invalid for a body that is no JSON or too large.
func (s *Receiver) Receive(ctx context.Context, in Incoming) error {
	h, err := s.Hooks.Hook(ctx, in.Hook)
	if err != nil {
		return err
	}
	if !h.Enabled {
		return errs.NotFound("there is no incoming webhook %q", in.Hook)
	}

	now := s.Clock.Now()
	call := HookCall{
		ID: fmt.Sprint(int64(s.IDs.New(now))), Hook: h.ID, Method: in.Method, RemoteAddress: in.RemoteAddress,
		Headers: in.Headers, Depth: in.Depth, At: now,
	}
	if refusal := s.refusal(ctx, h, in, &call); refusal != nil {
		s.refuse(ctx, h, call, in.Size, refusal)
		return refusal
	}
	return s.Hooks.Keep(ctx, h, call, in.Size)
}

// refusal is why a call does not fire, nil when it does: then it has its payload.
func (s *Receiver) refusal(ctx context.Context, h Hook, in Incoming, call *HookCall) error {
	if in.Size > MaxHookBody {
		return errs.Invalid("the body must have at most %d KB", MaxHookBody>>10)
	}
	payload, err := in.Read()
	if err != nil {
		return err
	}
	if err := CheckNumbers("the request body", payload); err != nil {
		return err
	}
	call.Payload = payload
	return s.Hooks.Admit(ctx, h.Scope, call.At)
}

// refuse lets the owner see a call that was refused for what the caller did. Whether that can be noted is not the
// caller's concern.
func (s *Receiver) refuse(ctx context.Context, h Hook, call HookCall, size int, why error) {
	if !errs.Is(why, errs.KindInvalid) && !errs.Is(why, errs.KindTooMany) {
		return
	}
	_ = s.Hooks.Refuse(ctx, h, ReceivedCall{
		ID: call.ID, At: call.At.UnixMilli(), Method: call.Method, RemoteAddress: call.RemoteAddress, Size: size,
		Headers: map[string]string{}, Reason: errs.Message(why),
	})
}
