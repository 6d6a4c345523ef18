package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/outbox"
	"minicloud/infra/local/ses"
)

// service is one of AWS that programs call.
type service string

const (
	dynamoDB service = "dynamodb"
	sqs      service = "sqs"
	eventBus service = "events"
	kms      service = "kms"
	lambda   service = "lambda"
	mail     service = "mail" // SES and SNS
	s3       service = "s3"
)

// serviceOf returns the service and the operation of a request.
func serviceOf(r *http.Request) (service, string) {
	prefix, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch {
	case lambdahost.Serves(r.URL.Path):
		return lambda, "Invoke"
	case outbox.Serves(r), ses.Serves(r):
		return mail, "Send"
	case prefix == "TrentService":
		return kms, operation
	case prefix == "AmazonSQS":
		return sqs, operation
	case prefix == "AWSEvents":
		return eventBus, operation
	}
	return dynamoDB, operation
}

// throttle refuses a call, as its service does.
func (w *World) throttle(c *call) answer {
	kind, status := "ThrottlingException", http.StatusBadRequest
	switch c.service {
	case dynamoDB:
		kind = "ProvisionedThroughputExceededException"
	case s3:
		return answer{status: http.StatusServiceUnavailable, header: http.Header{}, body: []byte("<Error><Code>SlowDown</Code></Error>")}
	case lambda:
		kind, status = "TooManyRequestsException", http.StatusTooManyRequests
	}
	return refusal(status, kind, "slow down")
}

func refusal(status int, kind, message string) answer {
	body, _ := json.Marshal(map[string]string{"__type": kind, "message": message}) // strings always encode
	header := http.Header{"Content-Type": {"application/x-amz-json-1.0"}, "X-Amzn-Errortype": {kind}}
	return answer{status: status, header: header, body: body}
}

// perform makes a call, and gives its answer to then: at once, but for code that is invoked, which takes its time.
func (w *World) perform(c *call, then func(answer)) {
	switch c.service {
	case dynamoDB:
		then(w.ask(c, 0))
	case lambda:
		w.running.Go(func() { then(w.invoke(c)) })
	default:
		if c.service == sqs && c.operation == "SendMessage" {
			w.checkChain(c)
		}
		handlers := map[service]http.Handler{sqs: w.queues, eventBus: w.bus, kms: w.keys, mail: w.Mail, s3: w.buckets}
		then(serve(handlers[c.service], c))
	}
}

// serve makes a call of a service of the local cloud.
func serve(service http.Handler, c *call) answer {
	r := c.request.Clone(c.request.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.body)), int64(len(c.body))
	r.RequestURI, r.RemoteAddr = "", "203.0.113.9:1"
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, r)
	return answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.Bytes()}
}

// invoke runs what a program invokes. It goes on when the program dies, as it does on Lambda.
func (w *World) invoke(c *call) answer {
	result, err := w.Sandbox(w.ctx, lambdahost.Request{
		Function: lambdahost.Name(c.request.URL.Path), Tenant: c.request.Header.Get("X-Amz-Tenant-Id"), Payload: c.body,
	})
	if refused, ok := errors.AsType[*lambdahost.Error](err); ok {
		return refusal(refused.Status, refused.Type, refused.Message)
	}
	if err != nil {
		return answer{err: err}
	}

	header := http.Header{"Content-Type": {"application/json"}}
	if result.FunctionError != "" {
		header.Set("X-Amz-Function-Error", result.FunctionError)
	}
	return answer{status: http.StatusOK, header: header, body: result.Payload}
}
