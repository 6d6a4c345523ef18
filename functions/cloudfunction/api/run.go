package api

import (
	"bytes"
	"context"
	"encoding/json"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/job/event"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// runOptions holds the members of endpoints 1 and 4 beside the input.
type runOptions struct {
	Sync        *bool   `json:"sync"`                          // Wait for the result, at most 5 seconds. Defaults to true.
	RunAt       *int64  `json:"run_at" schema:"Instant"`       // The time to run at. Requires sync to be false.
	CallbackURL *string `json:"callback_url" maxLength:"2048"` // The URL that receives the result of the run. Requires sync to be false.
}

type runFunction struct {
	named
	Data json.RawMessage `json:"data" type:"object" required:"true"` // The input. Defaults to an empty object.
	runOptions
}

// run serves endpoint 4.
func (g *Group) run(ctx context.Context, in runFunction) (any, error) {
	if absent(in.Data) {
		return nil, errs.Invalid("data is required; send {} when there is no input")
	}
	return g.runOne(ctx, in.Function, in.Data, in.runOptions, job.SourceOpenAPI)
}

// NamedRun is the body of a run that names the function.
type NamedRun struct {
	Name string          `json:"function_name" schema:"FunctionName" required:"true"`
	Data json.RawMessage `json:"data" type:"object,null"` // The input.
	runOptions
}

// runV1 serves endpoint 1.
func (g *Group) runV1(ctx context.Context, in NamedRun) (any, error) {
	return g.runNamed(ctx, in, job.SourceOpenAPI)
}

// runSDK serves the clients' twin of endpoint 1 (D22): for end users, and for callers with an access token, who run the
// function as administrators (C5). The setting anonymous_invoke lets everybody run functions (C2).
func (g *Group) runSDK(ctx context.Context, in NamedRun) (any, error) {
	caller := httpapi.From(ctx)
	if !caller.Application.Settings.AnonymousInvoke {
		if err := caller.Require(httpapi.Registered); err != nil {
			return nil, err
		}
	}
	// The client API does not have these members: a page must not send results to addresses of its choice.
	if !caller.Trusted {
		in.RunAt, in.CallbackURL = nil, nil
	}
	return g.runNamed(ctx, in, job.SourceSDK)
}

func (g *Group) runNamed(ctx context.Context, in NamedRun, source job.Source) (any, error) {
	if in.Name == "" {
		return nil, errs.Invalid("function_name is required")
	}
	return g.runOne(ctx, in.Name, in.Data, in.runOptions, source)
}

// runOne runs a function for endpoints 1 and 4 and the mini programs' twin. The source of a call by another function
// is cloud_function on every path (D22).
func (g *Group) runOne(
	ctx context.Context, function string, input json.RawMessage, how runOptions, source job.Source,
) (any, error) {
	data, err := object(input)
	if err != nil {
		return nil, err
	}
	if httpapi.From(ctx).Run != nil {
		source = job.SourceCloudFunction
	}

	// run_at and callback_url are for asynchronous runs: a synchronous caller gets the result at once.
	call := job.Call{Source: source, Input: event.Input{Data: data, Meta: g.meta(ctx)}}
	if how.Sync != nil && !*how.Sync {
		return g.start(ctx, function, how, call)
	}
	if how.RunAt != nil {
		return nil, errs.Invalid("run_at needs sync to be false")
	}
	if how.CallbackURL != nil {
		return nil, errs.Invalid("callback_url needs sync to be false")
	}

	result, err := g.Jobs.RunSync(ctx, httpapi.Scope(ctx), function, call)
	return runView{Code: result.Code(), Data: orNull(result.Data), Error: viewError(result.Record.Error)}, err
}

type runStarted struct {
	Status string     `json:"status"`
	JobID  httpapi.ID `json:"job_id"`
}

// start accepts an asynchronous run.
func (g *Group) start(ctx context.Context, function string, how runOptions, call job.Call) (v runStarted, err error) {
	runAt, err := instant("run_at", how.RunAt)
	if err != nil {
		return v, err
	}
	if how.CallbackURL != nil {
		if err := callback.Check(*how.CallbackURL, g.AnyPort); err != nil {
			return v, err
		}
		call.Callback = *how.CallbackURL
	}
	record, err := g.Jobs.Start(ctx, httpapi.Scope(ctx), function, call, runAt)
	return runStarted{"ok", httpapi.ID(record.ID)}, err
}

// runView is a synchronous run result (D18).
type runView struct {
	Code  int             `json:"code"`
	Data  json.RawMessage `json:"data"`
	Error RunError        `json:"error"`
}

// RunError is {} on success.
type RunError struct {
	Message *string `json:"message,omitempty"`
	// The class of the error, or TimeoutError, MemoryError, RejectedError, ScheduleError, SandboxError, ResultTooLarge,
	// NoResultError.
	Type *string `json:"type,omitempty"`
}

func viewError(e *sandbox.Error) RunError {
	if e == nil {
		return RunError{}
	}
	return RunError{Message: &e.Message, Type: &e.Type}
}

func orNull(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return json.RawMessage("null")
	}
	return data
}

func absent(data json.RawMessage) bool {
	return len(data) == 0 || bytes.Equal(data, []byte("null"))
}

// object returns data if it is an object, and {} if it is absent.
func object(data json.RawMessage) (json.RawMessage, error) {
	if absent(data) {
		return json.RawMessage("{}"), nil
	}
	if data[0] != '{' {
		return nil, errs.Invalid("data must be an object")
	}
	return data, nil
}

// meta returns the data about the request for the event (D17): its user is the end user who calls, or as whom an
// administrator acts. The open API is called by administrators, so its other events have no user.
func (g *Group) meta(ctx context.Context) event.Meta {
	caller := httpapi.From(ctx)
	m := event.Meta{IP: caller.IP, UserAgent: caller.UserAgent, BaseURL: httpapi.BaseURL(ctx), Trace: httpapi.Link(ctx)}
	m.Depth = caller.Depth
	switch user := caller.User; {
	case user != nil:
		m.User = &event.User{
			ID: user.User, Nickname: user.Nickname, Avatar: &user.AvatarURL, OpenID: &user.OpenID, UnionID: &user.UnionID,
		}
	case !caller.Trusted:
		m.Nobody = true
	}
	if who := caller.Administrator; who != nil && who.As != nil {
		as := *who.As
		// Client routes have read the user.
		if m.User == nil {
			m.User = &event.User{ID: as.ID, Nickname: as.Nickname, Avatar: &as.Avatar, OpenID: &as.OpenID, UnionID: &as.UnionID}
		}
		m.Acted = event.Acted{By: who.Email, User: as.ID}
	}
	if caller.Scope.Env != tenant.Production {
		m.EnvName, _ = caller.Application.Environment(caller.Scope.Env)
	}
	if caller.Run != nil { // the called function does not see the caller of the calling function
		m.Root = caller.Run.Root
		m.IP, m.UserAgent, m.User = "", "", nil
	}
	if g.Hosts != nil {
		g.Hosts.Know(caller.Application)
	}
	return m
}
