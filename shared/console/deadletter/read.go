package deadletter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
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
	case Events:
		// The queue of events also receives failed batches of streams.
		if l.ofBus(); l.Repair == None {
			l.ofStream()
		}
	case Records:
		l.Repair = Recount
		l.ofStream()
	default:
		l.ofQueue()
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

// targets are the queues of the kinds whose messages hold only ids.
var targets = map[Kind]Target{Jobs: JobQueue, Actions: ActionQueue, Bulk: BulkQueue, TableWork: TableWorkQueue}

// ofQueue decodes a job.Message, run.Message, bulk.Message or table.Task: an id has the same name in all of them.
func (l *Letter) ofQueue() {
	var m struct {
		Scope     string
		Function  id.ID
		Job       id.ID
		Trigger   trigger.ID
		Run       string
		Slow      bool
		Operation id.ID
		Table     table.ID
		Index     string
	}
	if json.Unmarshal([]byte(l.again), &m) != nil {
		return
	}
	l.belongs(m.Scope)
	l.About = About{
		Function: m.Function, Job: m.Job, Trigger: m.Trigger, Run: m.Run, Operation: m.Operation, Table: m.Table,
		Index: m.Index,
	}
	if l.target = targets[l.Kind]; m.Slow {
		l.target = SlowActionQueue
	}
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
