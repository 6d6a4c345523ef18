package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"minicloud/infra/local/server"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
)

// API serves SQS's JSON protocol.
type API struct {
	Broker  *Broker
	BaseURL string                 // prefix of queue URLs
	Count   func(operation string) // called for every request; not nil
	Unkind  *unkind.Switches       // leaves entries of batches undone; nil leaves none
}

// operation runs one operation of the protocol on a JSON request body.
type operation func(a *API, ctx context.Context, body []byte) (any, error)

// operations lists the operations that the local cloud serves.
var operations = map[string]operation{
	"SendMessage":                  decoded((*API).send),
	"SendMessageBatch":             decoded((*API).sendBatch),
	"ReceiveMessage":               decoded((*API).receive),
	"DeleteMessage":                decoded((*API).delete),
	"DeleteMessageBatch":           decoded((*API).deleteBatch),
	"ChangeMessageVisibility":      decoded((*API).changeVisibility),
	"ChangeMessageVisibilityBatch": decoded((*API).changeVisibilityBatch),
	"GetQueueUrl":                  decoded((*API).queueURL),
	"GetQueueAttributes":           decoded((*API).attributes),
	"ListQueues":                   decoded((*API).list),
}

func decoded[In any](f func(*API, context.Context, In) (any, error)) operation {
	return func(a *API, ctx context.Context, body []byte) (any, error) {
		var in In
		if err := json.Unmarshal(body, &in); err != nil {
			return nil, &Error{Type: "SerializationException", Message: err.Error()}
		}
		return f(a, ctx, in)
	}
}

// ServeHTTP serves one operation.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := server.Operation(r)
	a.Count(name)
	// JSON escapes can make a body of the maximum size several times longer.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4*MaxBytes))
	if err != nil {
		answerError(w, invalid("the request is too long"))
		return
	}

	run, ok := operations[name]
	if !ok {
		answerError(w, &Error{Type: "UnsupportedOperation", Message: "the local cloud does not serve " + name})
		return
	}

	if a.Broker.down.Load() {
		answerError(w, errDown)
		return
	}
	out, err := run(a, context.WithValue(r.Context(), traceKey{}, r.Header.Get("X-Amzn-Trace-Id")), body)
	if err != nil {
		answerError(w, err)
		return
	}

	server.JSON(w, out)
}

// traceKey is the key of the trace header in a request's context.
type traceKey struct{}

func answerError(w http.ResponseWriter, err error) {
	refusal, ok := errors.AsType[*Error](err)
	status := http.StatusBadRequest
	if !ok {
		refusal, status = &Error{Type: "InternalFailure", Message: err.Error()}, http.StatusInternalServerError
	}
	code := cmp.Or(refusal.Query, refusal.Type)
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	// The SDK reads the error code of SQS from this header, which keeps the codes of the older query protocol.
	w.Header().Set("X-Amzn-Query-Error", code+";Sender")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{
		"__type": "com.amazonaws.sqs#" + refusal.Type, "message": refusal.Message,
	})
}

type urlOut struct{ QueueUrl string }

func (a *API) url(name string) string { return a.BaseURL + "/" + template.Account + "/" + name }

func (a *API) queueURL(_ context.Context, in struct{ QueueName string }) (any, error) {
	return ask(a.Broker, in.QueueName, func(*queue) urlOut { return urlOut{a.url(in.QueueName)} })
}

// async is the queue of package async, which list omits. AWS does not allow its name.
const async = "(async)"

func (a *API) list(_ context.Context, in struct{ QueueNamePrefix string }) (any, error) {
	a.Broker.mu.Lock()
	defer a.Broker.mu.Unlock()
	out := struct{ QueueUrls []string }{[]string{}}
	for name, q := range a.Broker.queues {
		if strings.HasPrefix(name, in.QueueNamePrefix) && !q.unlisted && name != async {
			out.QueueUrls = append(out.QueueUrls, a.url(name))
		}
	}
	return out, nil
}
