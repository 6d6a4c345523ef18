package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// debugView is a debug result (contract, Debug result; D21).
type debugView struct {
	Billing   int64           `json:"billing_time"`
	Code      int             `json:"code"`
	Data      json.RawMessage `json:"data"`
	Error     errorView       `json:"error"`
	Execution httpapi.Float   `json:"execution_time"`
	JobID     string          `json:"job_id"`
	Log       string          `json:"log"`
	MemUsage  int64           `json:"mem_usage"`
}

// debug serves endpoint 2.
func (g *Group) debug(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Data     json.RawMessage `json:"data"`
		Subject  *job.Source     `json:"subject"`
		SchemaID *int64          `json:"schema_id"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if absent(body.Data) {
		return errs.Invalid("data is required; send {} when there is no input")
	}

	data, err := object(body.Data)
	if err != nil {
		return err
	}

	subjects := job.DebugSubjects
	if httpapi.CallerOf(r).Administrator != nil {
		subjects = job.Sources
	}
	call, err := debugCall(body.Subject, subjects, data)
	if err != nil {
		return err
	}

	call.Input.Meta = g.meta(r)
	if call.Source == job.SourceFlexSchema {
		t, err := g.schema(r, body.SchemaID)
		if err != nil {
			return err
		}

		call.Input.Meta.SchemaName = t.Name
		if emptyObject(data) {
			if call.Input.Data, err = sampleRow(t); err != nil {
				return err
			}
		}
	}

	result, err := g.Jobs.RunSync(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"), call)
	if err != nil {
		return err
	}
	if result.Record.Status == job.StatusScheduleFailed {
		return errs.Invalid("%s", result.Record.Error.Message)
	}

	if result.Version > 0 {
		w.Header().Set("X-Service-Function-Version", strconv.Itoa(result.Version))
	}
	httpapi.Write(w, http.StatusOK, viewDebug(result))

	return nil
}

// debugCall returns the run of a pretended trigger, with sample data where the
// caller gave none.
func debugCall(subject *job.Source, may []job.Source, data json.RawMessage) (job.Call, error) {
	call := job.Call{Source: job.SourceSDK, Input: job.Input{Data: data}}
	if subject != nil && *subject != "" {
		call.Source = *subject
	}
	if !slices.Contains(may, call.Source) {
		return call, errs.Invalid("subject must be one of %s", names(may))
	}
	if emptyObject(data) {
		call.Input.Data = job.Sample(call.Source)
	}
	return call, nil
}

// schema returns the table a debugged table trigger stands for.
func (g *Group) schema(r *http.Request, schemaID *int64) (table.Table, error) {
	if schemaID == nil {
		return table.Table{}, errs.Invalid("schema_id is required when subject is %s", job.SourceFlexSchema)
	}
	t, err := g.Tables.Table(r.Context(), httpapi.ScopeOf(r), table.ID(*schemaID))
	if errs.Is(err, errs.KindNotFound) {
		return t, errs.Invalid("schema_id %d is not a table of this application", *schemaID)
	}
	return t, err
}

func emptyObject(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(data, &fields) == nil && len(fields) == 0
}

func viewDebug(result job.Result) debugView {
	view := debugView{
		Billing: result.Record.Billing(), Code: result.Code(), Data: orNull(result.Data),
		Error:     viewError(result.Record.Error),
		Execution: httpapi.Float(result.Record.Execution), JobID: strconv.FormatInt(int64(result.Record.ID), 10),
		Log: result.Log, MemUsage: result.Record.MemUsage,
	}
	if e := result.Record.Error; e != nil {
		view.Error.Stack = &e.Stack
	}
	view.Log = fitLog(view)
	return view
}

// fitLog returns the log of a debug result, cut where the answer would be too
// large: the result comes first, and all of the log is kept with the job.
func fitLog(view debugView) string {
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

// names lists sources in a sentence.
func names(sources []job.Source) string {
	texts := make([]string, len(sources))
	for i, s := range sources {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}
