package deadletter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"minicloud/shared/bulk"
	"minicloud/shared/clip"
	"minicloud/shared/job"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/run"
)

// Read returns the letter of a message in a dead-letter queue.
func Read(kind Kind, m Message) Letter {
	l := Letter{
		ID: m.ID, Kind: kind, SentAt: m.SentAt, Tries: Tries[kind], Redrives: m.Redrives, Reason: m.Reason,
		Repair: Redrive, Body: shown([]byte(m.Body)), message: m, again: m.Body,
	}
	// A program that refuses a message puts it in this queue itself, wrapped with the reason.
	if reason, body, refused := unwrap(m.Body); refused {
		l.Tries, l.Reason, l.again = 1, reason, body
	}

	switch kind {
	case Jobs:
		l.ofJob()
	case Actions:
		l.ofAction()
	case Bulk:
		l.ofBulk()
	case TableWork:
		l.ofTableWork()
	case Events:
		// The queue of events also receives failed batches of streams.
		if l.ofBus(); l.Repair == None {
			l.ofStream()
		}
	case Records:
		l.Repair = Recount
		l.ofStream()
	}
	return l
}

// unwrap returns the reason and the message of a refusal by a program: {"reason", "event"}.
func unwrap(body string) (reason, inner string, ok bool) {
	var w struct {
		Reason *string         `json:"reason"`
		Event  json.RawMessage `json:"event"`
	}
	if json.Unmarshal([]byte(body), &w) != nil || w.Reason == nil || len(w.Event) == 0 {
		return "", "", false
	}
	return *w.Reason, string(w.Event), true
}

// belongs sets the scope of the letter; a text that is not a scope leaves the letter to the deployment.
func (l *Letter) belongs(scope string) {
	l.Scope, _ = tenant.Parse(scope)
}

func (l *Letter) ofJob() {
	var m job.Message
	if json.Unmarshal([]byte(l.again), &m) != nil {
		return
	}
	l.belongs(m.Scope)
	l.About.Function, l.About.Job, l.target = m.Function, m.Job, JobQueue
}

func (l *Letter) ofAction() {
	var m run.Message
	if json.Unmarshal([]byte(l.again), &m) != nil {
		return
	}
	l.belongs(m.Scope)
	l.About.Trigger, l.About.Run, l.target = m.Trigger, m.Run, ActionQueue
	if m.Slow {
		l.target = SlowActionQueue
	}
}

func (l *Letter) ofBulk() {
	var m bulk.Message
	if json.Unmarshal([]byte(l.again), &m) != nil {
		return
	}
	l.belongs(m.Scope)
	l.About.Operation, l.target = m.Operation, BulkQueue
}

func (l *Letter) ofTableWork() {
	var m table.Task
	if json.Unmarshal([]byte(l.again), &m) != nil {
		return
	}
	l.belongs(m.Scope)
	l.About.Table, l.About.Index, l.target = m.Table, m.Index, TableWorkQueue
}

// ofBus decodes an event in the form of the bus. It sets Repair to None if the message is not such an event.
func (l *Letter) ofBus() {
	var event struct {
		Type   string          `json:"detail-type"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal([]byte(l.again), &event) != nil || event.Type == "" {
		l.Repair = None
		return
	}
	l.About.Event, l.target = event.Type, EventQueue

	decoded, _ := value.Decode("the detail", event.Detail)
	detail, _ := decoded.(map[string]any)
	number, _ := detail["miniapp"].(json.Number)
	env, _ := detail["env"].(string)
	if env == "" {
		env = string(tenant.Production)
	}
	l.belongs(number.String() + "." + env)
	// Each type of event has its own id member; an event has one of these.
	for _, name := range []string{"transaction_no", "trade_no", "id", "MsgId"} {
		text, _ := detail[name].(string)
		l.About.Subject = cmp.Or(l.About.Subject, text)
	}
	if file, ok := detail["file"].(map[string]any); ok {
		l.About.Subject, _ = file["id"].(string)
	}
}

// ofStream decodes a record of a stream, or the position of a failed batch. The key of every record starts with its
// scope.
func (l *Letter) ofStream() {
	var record struct {
		ARN    string `json:"eventSourceARN"`
		Change struct {
			Keys map[string]struct{ S string }
		} `json:"dynamodb"`
		Part *struct {
			ARN  string `json:"streamArn"`
			Size int    `json:"batchSize"`
		} `json:"DDBStreamBatchInfo"`
		Context struct {
			Condition string `json:"condition"`
			Tries     int    `json:"approximateInvokeCount"`
		} `json:"requestContext"`
	}
	if json.Unmarshal([]byte(l.again), &record) != nil {
		return
	}
	// Lambda reports a failed batch by its position in the stream, without the records.
	if record.Part != nil {
		l.About.Event, l.About.Records = tableOf(record.Part.ARN), record.Part.Size
		l.Tries, l.Reason = record.Context.Tries, record.Context.Condition
		return
	}
	scope, _, _ := strings.Cut(record.Change.Keys["pk"].S, "#")
	l.belongs(scope)
	l.About.Event, l.About.Subject, l.About.Records = tableOf(record.ARN), record.Change.Keys["sk"].S, 1
}

// tableOf returns the table name of arn:aws:dynamodb:<region>:<account>:table/<name>/stream/<label>.
func tableOf(arn string) string {
	_, rest, _ := strings.Cut(arn, ":table/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// MaxBody is the maximum length of a displayed body, in bytes.
const MaxBody = 16 << 10

// secretive are parts of names whose values are never displayed. images are the members with whole rows, which include
// columns that only the platform reads.
var (
	secretive = []string{
		"secret", "password", "passwd", "token", "authorization", "cookie", "api_key", "apikey", "private", "credential",
		"signature",
	}
	images = []string{"NewImage", "OldImage"}
)

const hidden = "…"

// shown returns a body without secrets; a body that is not JSON is returned as text.
func shown(body []byte) string {
	decoded, err := value.Decode("the body", body)
	if err != nil {
		return clip.Bytes(string(body), MaxBody)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(clean(decoded)) != nil {
		return hidden
	}
	return clip.Bytes(strings.TrimSpace(out.String()), MaxBody)
}

func clean(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			// The value of a secret may be an object: mask it as a whole.
			if secretName(name) {
				v[name] = hidden
			} else {
				v[name] = clean(member)
			}
		}
	case []any:
		for i, element := range v {
			v[i] = clean(element)
		}
	}
	return v
}

func secretName(name string) bool {
	for _, image := range images {
		if name == image {
			return true
		}
	}
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	for _, part := range secretive {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
