package cloud

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"

	"minicloud/infra/local/bus"
	"minicloud/infra/local/keys"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/outbox"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/vendors"
)

// front serves the HTTP API, and /_local/* beside it.
func (c *Cloud) front(api http.Handler) http.Handler {
	local := http.NewServeMux()
	local.Handle("GET /_local/outbox", c.outbox.Box)
	local.Handle("DELETE /_local/outbox", c.outbox.Box)
	local.Handle("/_local/hook/", c.hook)
	local.HandleFunc("POST /_local/tick", c.bus.ServeTick)
	local.HandleFunc("POST /_local/events", c.bus.ServeEvents)
	local.HandleFunc("GET /_local/stats", c.showStats)
	local.HandleFunc("DELETE /_local/stats", c.showStats)

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/_local/") {
			api.ServeHTTP(w, r)
			return
		}
		// Web pages in a browser of this machine reach loopback too; they must not read the outbox or fire schedules.
		if !fromHere(r) {
			http.Error(w, "only this machine may ask", http.StatusForbidden)
			return
		}

		local.ServeHTTP(w, r)
	})
}

// fromHere keeps web pages out that a browser on this machine shows: they
// reach loopback under another host name, or say where they come from.
func fromHere(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	ip := net.ParseIP(host)
	origin := r.Header.Get("Origin")
	return (host == "localhost" || (ip != nil && ip.IsLoopback())) && (origin == "" || origin == "http://"+r.Host)
}

// showStats answers with the counts; DELETE and ?reset=1 begin again after
// that.
func (c *Cloud) showStats(w http.ResponseWriter, r *http.Request) {
	counted := c.Stats()
	if r.Method == http.MethodDelete || r.URL.Query().Get("reset") == "1" {
		c.counters.Reset()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(counted)
}

// services serves the AWS APIs, told apart as the SDK addresses them.
func (c *Cloud) services(w http.ResponseWriter, r *http.Request) {
	// Programs do not say where they come from. A web page in a browser on this
	// machine must, and could otherwise invoke functions by a plain form.
	if r.Header.Get("Origin") != "" {
		amazonError(w, http.StatusForbidden, "AccessDeniedException", "only programs may ask")
		return
	}

	target := r.Header.Get("X-Amz-Target")
	if strings.HasPrefix(target, "DynamoDB") {
		c.dynamo.ServeHTTP(w, r) // has a gate of its own
		return
	}
	if !lambdahost.Serves(r.URL.Path) { // which reads its own, and is granted by the path
		if err := buffer(r); err != nil {
			amazonError(w, http.StatusBadRequest, "SerializationException", "the request body did not arrive: "+err.Error())
			return
		}
	}
	if err := c.tell(c.allowed(r, target)); err != nil {
		amazonError(w, http.StatusForbidden, "AccessDeniedException", err.Error())
		return
	}
	switch {
	case lambdahost.Serves(r.URL.Path):
		c.host.ServeHTTP(w, r)
	case queue.Serves(target):
		c.queues.ServeHTTP(w, r)
	case bus.Serves(target):
		c.bus.ServeHTTP(w, r)
	case keys.Serves(target):
		c.keys.ServeHTTP(w, r)
	case vendors.Serves(r):
		c.vendors.ServeHTTP(w, r)
	case outbox.Serves(r):
		c.outbox.ServeHTTP(w, r)
	default:
		service, _, _ := strings.Cut(target, ".")
		amazonError(w, http.StatusNotImplemented, "UnknownOperationException",
			"the local cloud does not serve "+service+" "+r.URL.Path)
	}
}

// buffered is a body that was read, and can be read once more.
type buffered struct {
	*bytes.Reader
	content []byte
}

// Close does nothing.
func (buffered) Close() error { return nil }

// buffer reads the request's body.
func buffer(r *http.Request) error {
	content, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	r.Body = buffered{bytes.NewReader(content), content}
	return err
}

// allowed asks the gate about a request, whose body is buffered but for Lambda's.
func (c *Cloud) allowed(r *http.Request, target string) error {
	authorization := r.Header.Get("Authorization")
	if lambdahost.Serves(r.URL.Path) {
		return c.gate.Lambda(authorization, lambdahost.Name(r.URL.Path))
	}

	// The resource of an AWS JSON request, such as the queue's URL, is in its body.
	body := r.Body.(buffered).content
	_, operation, _ := strings.Cut(target, ".")
	switch {
	case queue.Serves(target):
		return c.gate.SQS(authorization, operation, body)
	case bus.Serves(target):
		return c.gate.Events(authorization, operation, body)
	case keys.Serves(target):
		return c.gate.KMS(authorization, operation, body)
	case outbox.Serves(r):
		action, resource := outbox.Asked(r)
		return c.gate.Check(authorization, action, resource)
	}

	return nil
}

func amazonError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.Header().Set("X-Amzn-Errortype", kind)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": kind, "message": message})
}
