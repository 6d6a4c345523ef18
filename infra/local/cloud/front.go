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
	"minicloud/infra/local/ses"
	"minicloud/infra/local/vendors"
	"minicloud/infra/local/vendors/payvendor"
)

// front serves the HTTP API and the tools at /_local/*.
func (c *Cloud) front(api http.Handler) http.Handler {
	local := http.NewServeMux()
	local.Handle("GET /_local/outbox", c.outbox.Box)
	local.Handle("DELETE /_local/outbox", c.outbox.Box)
	local.Handle("/_local/hook/", c.hook)
	local.HandleFunc("GET /_local/ses/verify", c.mails.ServeVerify)
	local.Handle("/_local/payments/", c.payvendor.Handler())
	local.HandleFunc("POST /_local/tick", c.bus.ServeTick)
	local.HandleFunc("POST /_local/events", c.bus.ServeEvents)
	local.HandleFunc("GET /_local/stats", c.showStats)
	local.HandleFunc("DELETE /_local/stats", c.showStats)
	local.Handle("GET /_local/alarms", c.watch)

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

// fromHere reports whether a request comes from a program on this machine. It refuses web pages in a local browser:
// they use another host name or send a foreign Origin.
func fromHere(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	ip := net.ParseIP(host)
	origin := r.Header.Get("Origin")
	return (host == "localhost" || (ip != nil && ip.IsLoopback())) && (origin == "" || origin == "http://"+r.Host)
}

// showStats serves the counters. DELETE and ?reset=1 reset them afterwards.
func (c *Cloud) showStats(w http.ResponseWriter, r *http.Request) {
	counted := c.Stats()
	if r.Method == http.MethodDelete || r.URL.Query().Get("reset") == "1" {
		c.counters.Reset()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(counted)
}

// services routes AWS API requests to the services, by the headers and paths that the SDK sends.
func (c *Cloud) services(w http.ResponseWriter, r *http.Request) {
	if c.buckets.Serves(r) {
		c.buckets.ServeHTTP(w, r) // checks origins and permissions itself, and does not keep bodies in memory
		return
	}
	// Programs send no Origin header, but browsers do: a web page could otherwise invoke functions with a plain form.
	if r.Header.Get("Origin") != "" {
		amazonError(w, http.StatusForbidden, "AccessDeniedException", "only programs may ask")
		return
	}

	target := r.Header.Get("X-Amz-Target")
	if strings.HasPrefix(target, "DynamoDB") {
		c.dynamo.ServeHTTP(w, r) // checks the permissions itself
		return
	}
	if !lambdahost.Serves(r.URL.Path) { // the Lambda API reads its own bodies, and its permissions need only the path
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
	case payvendor.Serves(r):
		c.payvendor.ServeHTTP(w, r)
	case vendors.Serves(r):
		c.vendors.ServeHTTP(w, r)
	case ses.Serves(r):
		c.mails.ServeHTTP(w, r)
	case outbox.Serves(r):
		c.outbox.ServeHTTP(w, r)
	default:
		service, _, _ := strings.Cut(target, ".")
		amazonError(w, http.StatusNotImplemented, "UnknownOperationException",
			"the local cloud does not serve "+service+" "+r.URL.Path)
	}
}

// buffered is a request body kept in memory, so that it can be read twice.
type buffered struct {
	*bytes.Reader
	content []byte
}

// Close does nothing.
func (buffered) Close() error { return nil }

// buffer reads the request's body into memory.
func buffer(r *http.Request) error {
	content, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	r.Body = buffered{bytes.NewReader(content), content}
	return err
}

// allowed checks whether the policies of the signer grant a request. All bodies but Lambda's are buffered.
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
	case ses.Serves(r):
		asked := c.mails.Asks(r, body)
		return c.gate.Check(authorization, asked.Action, asked.Tenant, asked.Resources...)
	case outbox.Serves(r):
		return c.gate.Check(authorization, outbox.Action, "", "*")
	}

	return nil
}

func amazonError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.Header().Set("X-Amzn-Errortype", kind)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": kind, "message": message})
}
