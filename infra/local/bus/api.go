package bus

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"minicloud/infra/local/queue"
	"minicloud/infra/local/server"
	"minicloud/infra/local/unkind"
)

// Limits of EventBridge.
const (
	maxEntries = 10
	maxBytes   = 1 << 20 // total of all entries of one call
)

// entry is one event of PutEvents.
type entry struct {
	Source       string
	DetailType   string
	Detail       string
	EventBusName string
	Resources    []string
	Time         *float64 // Unix seconds
}

type verdict struct {
	EventId      string `json:",omitempty"`
	ErrorCode    string `json:",omitempty"`
	ErrorMessage string `json:",omitempty"`
}

// ServeHTTP serves PutEvents.
func (b *Bus) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := server.Operation(r)
	b.cfg.Count(name)
	if name != "PutEvents" {
		refuse(w, "UnknownOperationException", "the local cloud serves only PutEvents of EventBridge")
		return
	}

	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4*maxBytes))
	var in struct{ Entries []entry }
	if err != nil || json.Unmarshal(body, &in) != nil {
		refuse(w, "SerializationException", "the request is not understood")
		return
	}
	if len(in.Entries) == 0 || len(in.Entries) > maxEntries {
		refuse(w, "ValidationException", "1 to 10 entries are wanted")
		return
	}

	size := 0
	// PutEvents limits the sum of all entries, not each entry.
	for _, e := range in.Entries {
		size += len(e.Detail) + len(e.Source) + len(e.DetailType)
	}

	if size > maxBytes {
		refuse(w, "ValidationException", "Total size of the entries in the request is over the limit.")
		return
	}

	out := struct {
		FailedEntryCount int
		Entries          []verdict
	}{Entries: []verdict{}}
	undone := unkind.Undone(b.cfg.Unkind, in.Entries, len(in.Entries), func(e entry) string { return e.Detail })
	for i, e := range in.Entries {
		v := verdict{ErrorCode: "InternalFailure", ErrorMessage: "Internal Service Failure"}
		if !undone[i] {
			v = b.put(e)
		}
		if v.ErrorCode != "" {
			out.FailedEntryCount++
		}
		out.Entries = append(out.Entries, v)
	}

	server.JSON(w, out)
}

func (b *Bus) put(e entry) verdict {
	var detail map[string]any
	switch {
	case e.Source == "" || e.DetailType == "" || e.Detail == "":
		return verdict{
			ErrorCode:    "InvalidArgument",
			ErrorMessage: "Parameter Source, DetailType or Detail is not valid. Reason: it is required.",
		}
	case strings.HasPrefix(e.Source, "aws."):
		return verdict{ErrorCode: "NotAuthorizedForSourceException", ErrorMessage: "Not authorized for the source."}
	case json.Unmarshal([]byte(e.Detail), &detail) != nil:
		return verdict{ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed."}
	}

	at := b.cfg.Clock()
	if e.Time != nil {
		at = time.UnixMilli(int64(*e.Time * 1000))
	}

	bus := e.EventBusName
	if _, name, ok := strings.Cut(bus, ":event-bus/"); ok {
		bus = name
	}
	bus = cmp.Or(bus, "default")
	if !b.buses[bus] {
		// EventBridge accepts events for a bus that does not exist, and drops them.
		return verdict{EventId: queue.NewID()}
	}

	id, _, err := b.Put(bus, e.DetailType, e.Source, at, e.Resources, []byte(e.Detail))
	if err != nil {
		return verdict{ErrorCode: "InternalException", ErrorMessage: err.Error()}
	}

	return verdict{EventId: id}
}

func refuse(w http.ResponseWriter, kind, message string) {
	server.Refuse(w, http.StatusBadRequest, kind, message)
}

// ServeTick serves POST /_local/tick {"time":"2026-11-21T00:00:00Z"}: it fires the schedules due in that minute, in
// the current minute if time is missing. It responds after the functions have ended, with
// {"delivered":[{"rule","function","ok","error"}]}.
func (b *Bus) ServeTick(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Time time.Time `json:"time"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&in)
	if err != nil && !errors.Is(err, io.EOF) { // without a body
		http.Error(w, `want {"time":"2026-11-21T00:00:00Z"}: `+err.Error(), http.StatusBadRequest)
		return
	}
	if in.Time.IsZero() {
		in.Time = b.cfg.Clock()
	}
	server.JSON(w, map[string]any{"delivered": b.Tick(r.Context(), in.Time)})
}

// ServeEvents serves POST /_local/events {"detail-type","detail","source","bus"}: it puts an event on a bus. source
// defaults to "minicloud", bus to the only bus of the template. It responds with {"id","rules":[…]}.
func (b *Bus) ServeEvents(w http.ResponseWriter, r *http.Request) {
	in := struct {
		DetailType string          `json:"detail-type"`
		Detail     json.RawMessage `json:"detail"`
		Source     string          `json:"source"`
		Bus        string          `json:"bus"`
		Time       time.Time       `json:"time"`
	}{Source: "minicloud", Bus: b.only()}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBytes)).Decode(&in); err != nil || in.DetailType == "" ||
		len(in.Detail) == 0 {
		http.Error(w, `want {"detail-type":"payment","detail":{…}}`, http.StatusBadRequest)
		return
	}

	if !b.buses[in.Bus] {
		http.Error(w, "there is no event bus "+in.Bus, http.StatusNotFound)
		return
	}
	if in.Time.IsZero() {
		in.Time = b.cfg.Clock()
	}

	id, rules, err := b.Put(in.Bus, in.DetailType, in.Source, in.Time, nil, in.Detail)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// A nil slice would be null in JSON.
	if rules == nil {
		rules = []string{}
	}

	server.JSON(w, map[string]any{"id": id, "rules": rules})
}

// only returns the default bus: the template's bus if it declares exactly one, otherwise "default".
func (b *Bus) only() string {
	if buses := b.cfg.Template.Buses; len(buses) == 1 {
		return buses[0].Name
	}
	return "default"
}
