package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// runBody is what endpoints 1 and 4 take.
type runBody struct {
	Name        string          `json:"function_name"` // endpoint 1
	Data        json.RawMessage `json:"data"`
	Sync        *bool           `json:"sync"`
	RunAt       *int64          `json:"run_at"`       // Unix seconds (D47)
	CallbackURL *string         `json:"callback_url"` // of an asynchronous run: who is told how it ended
}

// run serves endpoint 4.
func (g *Group) run(w http.ResponseWriter, r *http.Request) error {
	var body runBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if absent(body.Data) {
		return errs.Invalid("data is required; send {} when there is no input")
	}
	body.Name = r.PathValue("name")
	return g.runOne(w, r, body, job.SourceOpenAPI)
}

// runOne runs a function for endpoints 1 and 4 and the mini programs' twin. A
// function that calls another is its source, whichever way it came (D22).
func (g *Group) runOne(w http.ResponseWriter, r *http.Request, body runBody, source job.Source) error {
	data, err := object(body.Data)
	if err != nil {
		return err
	}
	if httpapi.CallerOf(r).Run != nil {
		source = job.SourceCloudFunction
	}

	call := job.Call{Source: source, Input: job.Input{Data: data, Meta: g.meta(r)}}
	if body.Sync != nil && !*body.Sync {
		return g.start(w, r, body, call)
	}
	if body.RunAt != nil {
		return errs.Invalid("run_at needs sync to be false")
	}
	if body.CallbackURL != nil {
		return errs.Invalid("callback_url needs sync to be false")
	}

	result, err := g.Jobs.RunSync(r.Context(), httpapi.ScopeOf(r), body.Name, call)
	if err != nil {
		return err
	}

	httpapi.Write(w, http.StatusOK, viewRun(result))

	return nil
}

// start accepts an asynchronous run.
func (g *Group) start(w http.ResponseWriter, r *http.Request, body runBody, call job.Call) error {
	var runAt time.Time
	if body.RunAt != nil {
		if *body.RunAt < 0 || *body.RunAt > maxInstant {
			return errs.Invalid("run_at must be a Unix timestamp in seconds, not %d", *body.RunAt)
		}
		runAt = time.Unix(*body.RunAt, 0)
	}
	if body.CallbackURL != nil {
		if err := job.CheckCallback(*body.CallbackURL, g.AnyPort); err != nil {
			return err
		}
		call.Callback = *body.CallbackURL
	}

	record, err := g.Jobs.Start(r.Context(), httpapi.ScopeOf(r), body.Name, call, runAt)
	if err != nil {
		return err
	}

	httpapi.Write(w, http.StatusOK, struct {
		Status string `json:"status"`
		JobID  int64  `json:"job_id"`
	}{"ok", int64(record.ID)})
	return nil
}

// runView is a synchronous run result (D18).
type runView struct {
	Code  int             `json:"code"`
	Data  json.RawMessage `json:"data"`
	Error errorView       `json:"error"`
}

// errorView is {} on success; debug adds the stack.
type errorView struct {
	Message *string `json:"message,omitempty"`
	Type    *string `json:"type,omitempty"`
	Stack   *string `json:"stack,omitempty"`
}

func viewRun(result job.Result) runView {
	return runView{Code: result.Code(), Data: orNull(result.Data), Error: viewError(result.Record.Error)}
}

func viewError(e *sandbox.Error) errorView {
	if e == nil {
		return errorView{}
	}
	return errorView{Message: &e.Message, Type: &e.Type}
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

// object returns data if it is an object, {} when it is absent.
func object(data json.RawMessage) (json.RawMessage, error) {
	if absent(data) {
		return json.RawMessage("{}"), nil
	}
	if data[0] != '{' {
		return nil, errs.Invalid("data must be an object")
	}
	return data, nil
}

// meta is what the event says of the request (D17). The open API is called by administrators: there is no user, but
// whom one of them acts as.
func (g *Group) meta(r *http.Request) job.Meta {
	caller := httpapi.CallerOf(r)
	m := job.Meta{IP: caller.IP, UserAgent: caller.UserAgent, BaseURL: baseURL(r), Trace: httpapi.LinkOf(r)}
	m.Depth = caller.Depth
	if who := caller.Administrator; who != nil && who.As != nil {
		as := *who.As
		m.User = &job.User{ID: as.ID, Nickname: as.Nickname, Avatar: &as.Avatar, OpenID: &as.OpenID, UnionID: &as.UnionID}
		m.Acted = job.Acted{By: who.Email, User: as.ID}
	}
	if caller.Scope.Env != tenant.Production {
		m.EnvName, _ = caller.Application.Environment(caller.Scope.Env)
	}
	if caller.Run != nil { // a function calls: who had called it is not passed on
		m.Root = caller.Run.Root
		m.IP, m.UserAgent, m.User = "", "", nil
	}
	if g.Hosts != nil {
		g.Hosts.Know(caller.Application)
	}
	return m
}

// baseURL is where the caller reached us.
func baseURL(r *http.Request) string {
	// Only the gateways of the local cloud and of sam local say http. The latter
	// calls itself "localhost", without its port: the caller's header has both.
	if r.Header.Get("X-Forwarded-Proto") == "http" {
		return "http://" + cmp.Or(r.Header.Get("Host"), r.Host)
	}
	return "https://" + r.Host
}
