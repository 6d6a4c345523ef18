package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/job/event"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// DebugResult is a debug result (contract, Debug result; D21).
type DebugResult struct {
	Billing   int64           `json:"billing_time" minimum:"0"` // execution_time rounded up to 100 ms.
	Code      int             `json:"code" enum:"0,1"`
	Data      json.RawMessage `json:"data"` // The value that the function returned or passed to its callback. null when it failed.
	Error     debugError      `json:"error"`
	Execution httpapi.Float   `json:"execution_time" minimum:"0"` // Milliseconds.
	JobID     string          `json:"job_id"`
	Log       string          `json:"log"`
	MemUsage  int64           `json:"mem_usage" minimum:"0"` // Bytes.
}

type debugError struct {
	RunError
	Stack *string `json:"stack,omitempty"`
}

type debug struct {
	named
	Data     json.RawMessage `json:"data" type:"object" required:"true"` // The input. An empty object is replaced by a sample event.
	Subject  *job.Source     `json:"subject" schema:"JobSource"`         // The source of the sample event, `sdk` by default. The last four values are for administrators only.
	SchemaID *int64          `json:"schema_id"`                          // The id of the table. Required when subject is flex_schema.
}

// debug serves endpoint 2.
func (g *Group) debug(ctx context.Context, in debug) (view DebugResult, err error) {
	if absent(in.Data) {
		return view, errs.Invalid("data is required; send {} when there is no input")
	}
	data, err := object(in.Data)
	if err != nil {
		return view, err
	}

	// The contract names the subjects of a client; the console may simulate every source.
	subjects := job.DebugSubjects
	if httpapi.From(ctx).Administrator != nil {
		subjects = job.Sources
	}
	call, err := debugCall(in.Subject, subjects, data)
	if err != nil {
		return view, err
	}

	call.Input.Meta = g.meta(ctx)
	if call.Source == job.SourceFlexSchema {
		t, err := g.schema(ctx, in.SchemaID)
		if err != nil {
			return view, err
		}

		call.Input.Meta.SchemaName = t.Name
		if emptyObject(data) {
			if call.Input.Data, err = sampleRow(t); err != nil {
				return view, err
			}
		}
	}

	result, err := g.Jobs.RunSync(ctx, httpapi.Scope(ctx), in.Function, call)
	if err != nil {
		return view, err
	}
	if result.Record.Status == job.StatusScheduleFailed {
		return view, errs.Invalid("%s", result.Record.Error.Message)
	}

	if result.Version > 0 {
		w, _ := httpapi.Exchange(ctx)
		w.Header().Set("X-Service-Function-Version", strconv.Itoa(result.Version))
	}
	return viewDebug(result), nil
}

// debugCall returns a simulated call of a source. It uses sample data if the caller gave an empty object.
func debugCall(subject *job.Source, may []job.Source, data json.RawMessage) (job.Call, error) {
	call := job.Call{Source: job.SourceSDK, Input: event.Input{Data: data}}
	if subject != nil && *subject != "" {
		call.Source = *subject
	}
	if !slices.Contains(may, call.Source) {
		return call, errs.Invalid("subject must be one of %s", names(may))
	}
	if emptyObject(data) {
		sample, err := sampleData(call.Source)
		call.Input.Data = sample
		return call, err
	}
	return call, nil
}

// schema returns the table of a debugged table trigger.
func (g *Group) schema(ctx context.Context, schemaID *int64) (table.Table, error) {
	if schemaID == nil {
		return table.Table{}, errs.Invalid("schema_id is required when subject is %s", job.SourceFlexSchema)
	}
	t, err := g.Tables.Table(ctx, httpapi.Scope(ctx), table.ID(*schemaID))
	if errs.Is(err, errs.KindNotFound) {
		return t, errs.Invalid("schema_id %d is not a table of this application", *schemaID)
	}
	return t, err
}

func emptyObject(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(data, &fields) == nil && len(fields) == 0
}

func viewDebug(result job.Result) DebugResult {
	view := DebugResult{
		Billing: result.Record.Billing(), Code: result.Code(), Data: orNull(result.Data),
		Error:     debugError{RunError: viewError(result.Record.Error)},
		Execution: httpapi.Float(result.Record.Execution), JobID: strconv.FormatInt(int64(result.Record.ID), 10),
		Log: result.Log, MemUsage: result.Record.MemUsage,
	}
	if e := result.Record.Error; e != nil {
		view.Error.Stack = &e.Stack
	}
	view.Log = fitLog(view)
	return view
}

// fitLog returns the log of a debug result, truncated if the response would be too large. The result has priority;
// the job keeps the whole log.
func fitLog(view DebugResult) string {
	room := httpapi.MaxAnswer - 1<<10 - len(view.Data)
	for _, text := range []*string{view.Error.Message, view.Error.Type, view.Error.Stack} {
		if text != nil {
			room -= page.Wire(*text)
		}
	}
	if page.Wire(view.Log) <= room {
		return view.Log
	}
	note := fmt.Sprintf("\nthe log is cut here, the answer holds no more: GET …/job/%s/log/ has all of it\n", view.JobID)
	return page.Clip(view.Log, room-len(note)-10) + note
}
