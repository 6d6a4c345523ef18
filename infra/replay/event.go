package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"minicloud/infra/local/pattern"
	"minicloud/infra/local/template"
	"minicloud/infra/local/template/node"
)

// header holds the fields that distinguish the kinds of events.
type header struct {
	RouteKey string `json:"routeKey"` // an HTTP API event

	Op       string `json:"op"` // a request to the sandbox
	Code     string `json:"code"`
	MemoryMB int    `json:"memory_mb"`

	Records []struct { // an event of a queue or stream
		Source string `json:"eventSource"`
		ARN    string `json:"eventSourceARN"`
	}

	DetailType string   `json:"detail-type"` // an event of a schedule or the event bus
	Source     string   `json:"source"`
	Resources  []string `json:"resources"`
}

// receiverOf returns the function that receives an event, by its route, or by its queue, stream or schedule. A
// request to the sandbox goes to the function with the memory size of its plan.
func receiverOf(tmpl *template.Template, source []byte) (*template.Function, error) {
	var event header
	if err := json.Unmarshal(source, &event); err != nil {
		return nil, err
	}

	switch {
	case event.RouteKey != "":
		return find(tmpl, fmt.Sprintf("template.yaml has no route %q", event.RouteKey), func(f *template.Function) bool {
			return slices.ContainsFunc(f.Routes, func(r template.Route) bool { return r.Key() == event.RouteKey })
		})
	// Sandbox requests are direct invocations, without an event source.
	case event.Op != "" && event.Code != "":
		return sandboxFor(tmpl, event.MemoryMB)
	case len(event.Records) > 0 && event.Records[0].Source == "aws:sqs":
		name := node.NameIn(event.Records[0].ARN, "sqs", "")
		return find(tmpl, fmt.Sprintf(
			"no program of template.yaml reads the queue %s", name,
		), func(f *template.Function) bool {
			return slices.ContainsFunc(f.Queues, func(q template.QueueEvent) bool { return called(name, q.Queue) })
		})
	case len(event.Records) > 0 && event.Records[0].Source == "aws:dynamodb":
		return readerOf(tmpl, source, node.NameIn(event.Records[0].ARN, "dynamodb", "table/"))
	case event.DetailType == "Scheduled Event" && len(event.Resources) == 1:
		name := node.NameIn(event.Resources[0], "events", "rule/")
		return find(tmpl, fmt.Sprintf("template.yaml has no schedule %s", name), func(f *template.Function) bool {
			return slices.ContainsFunc(f.Schedules, func(s template.ScheduleEvent) bool { return called(name, s.Name) })
		})
	}

	return nil, errors.New("neither an HTTP API event (routeKey), a request to the sandbox (op, code), " +
		"records of a queue or stream (Records), nor of a schedule (detail-type)")
}

// readerOf returns the function that reads records of a table's stream. Several functions may read it; later ones in
// the template have narrower filters. It returns the last function whose filters match a record, or the first one if
// no filter matches.
func readerOf(tmpl *template.Template, source []byte, table string) (*template.Function, error) {
	var event struct{ Records []any }
	if err := json.Unmarshal(source, &event); err != nil {
		return nil, err
	}
	for _, f := range slices.Backward(tmpl.Functions) {
		for _, s := range f.Streams {
			filters, err := pattern.CompileFilters(s.Filters)
			if err == nil && called(table, s.Table) && slices.ContainsFunc(event.Records, filters.Match) {
				return f, nil
			}
		}
	}
	return find(tmpl, "no program of template.yaml reads the stream of "+table, func(f *template.Function) bool {
		return slices.ContainsFunc(f.Streams, func(s template.StreamEvent) bool { return called(table, s.Table) })
	})
}

func find(tmpl *template.Template, otherwise string, is func(*template.Function) bool) (*template.Function, error) {
	if i := slices.IndexFunc(tmpl.Functions, is); i >= 0 {
		return tmpl.Functions[i], nil
	}
	return nil, errors.New(otherwise)
}

// sandboxFor returns the smallest sandbox for a guest heap; the memory of its Lambda function is larger than the
// heap.
func sandboxFor(tmpl *template.Template, memoryMB int) (*template.Function, error) {
	var found *template.Function
	for _, f := range tmpl.Functions {
		if f.Program == "sandbox" && f.MemoryMB > memoryMB && (found == nil || f.MemoryMB < found.MemoryMB) {
			found = f
		}
	}
	if found == nil {
		return nil, fmt.Errorf("template.yaml has no sandbox for memory_mb %d", memoryMB)
	}
	return found, nil
}

var tableInARN = regexp.MustCompile(`:table/([^/"]+)/stream/`)

// withTable replaces the table name in the ARNs of stream records by the local name: a program recognizes its tables
// by name.
func withTable(source []byte, receiver *template.Function) []byte {
	return tableInARN.ReplaceAllFunc(source, func(part []byte) []byte {
		name := string(tableInARN.FindSubmatch(part)[1])
		for _, s := range receiver.Streams {
			if called(name, s.Table) {
				return []byte(":table/" + s.Table + "/stream/")
			}
		}
		return part
	})
}

// called reports whether a deployed resource has the logical id in the template: CloudFormation names it
// <stack>-<logical id>-<random>.
func called(name, id string) bool {
	return name == id || slices.Contains(strings.Split(name, "-"), id)
}

var placeholder = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)

// fill replaces each {{name}} by its value, also inside a base64 body. It calls value once per name.
func fill(source []byte, value func(name string) (string, error)) ([]byte, error) {
	known := map[string]string{}
	var failed error
	replace := func(text []byte) []byte {
		return placeholder.ReplaceAllFunc(text, func(match []byte) []byte {
			name := string(match[2 : len(match)-2])
			if _, ok := known[name]; !ok && failed == nil {
				known[name], failed = value(name)
			}
			return []byte(known[name])
		})
	}
	// The value is a number. The file has it in quotes, because it would not be valid JSON otherwise.
	for _, quoted := range []string{`"{{miniapp}}"`, `\"{{miniapp}}\"`} {
		source = bytes.ReplaceAll(source, []byte(quoted), []byte(`{{miniapp}}`))
	}
	filled := replace(source)
	var event map[string]json.RawMessage
	if err := json.Unmarshal(filled, &event); err != nil {
		return nil, err
	}

	if string(event["isBase64Encoded"]) == "true" {
		var body []byte // encoding/json decodes base64
		if err := json.Unmarshal(event["body"], &body); err != nil {
			return nil, fmt.Errorf("the body is not base64: %w", err)
		}
		event["body"], _ = json.Marshal(base64.StdEncoding.EncodeToString(replace(body)))
		filled, _ = json.Marshal(event)
	}

	return filled, failed
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
