package cloud

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/outbox"
	"minicloud/infra/local/server"
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
	server.JSON(w, counted)
}

// services routes AWS API requests to the services, by the headers and paths that the SDK sends.
func (c *Cloud) services(w http.ResponseWriter, r *http.Request) {
	if c.buckets.Serves(r) {
		c.buckets.ServeHTTP(w, r) // checks origins and permissions itself, and does not keep bodies in memory
		return
	}
	// Programs send no Origin header, but browsers do: a web page could otherwise invoke functions with a plain form.
	if r.Header.Get("Origin") != "" {
		server.Refuse(w, http.StatusForbidden, "AccessDeniedException", "only programs may ask")
		return
	}

	if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB") {
		c.dynamo.ServeHTTP(w, r) // checks the permissions itself
		return
	}
	var body []byte
	if !lambdahost.Serves(r.URL.Path) { // the Lambda API reads its own bodies, and its permissions need only the path
		var err error
		if body, err = io.ReadAll(io.LimitReader(r.Body, 8<<20)); err != nil {
			server.Refuse(w, http.StatusBadRequest, "SerializationException", "the request body did not arrive: "+err.Error())
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	to, denied := c.service(r, body)
	if c.tell(denied) != nil {
		server.Refuse(w, http.StatusForbidden, "AccessDeniedException", denied.Error())
		return
	}
	to.ServeHTTP(w, r)
}

// service returns the service that a request is for, and why the policies of the signer deny the request. The resource
// of an AWS JSON request, such as the queue's URL, is in its body.
func (c *Cloud) service(r *http.Request, body []byte) (to http.Handler, denied error) {
	signer := r.Header.Get("Authorization")
	service, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch {
	case lambdahost.Serves(r.URL.Path):
		return c.host, c.gate.Lambda(signer, lambdahost.Name(r.URL.Path))
	case service == "AmazonSQS":
		return c.queues, c.gate.SQS(signer, operation, body)
	case service == "AWSEvents":
		return c.bus, c.gate.Events(signer, operation, body)
	case service == "TrentService":
		return c.keys, c.gate.KMS(signer, operation, body)
	case payvendor.Serves(r):
		return c.payvendor, nil
	case vendors.Serves(r):
		return c.vendors, nil
	case ses.Serves(r):
		asked := c.mails.Asks(r, body)
		return c.mails, c.gate.Check(signer, asked.Action, asked.Tenant, asked.Resources...)
	case outbox.Serves(r):
		return c.outbox, c.gate.Check(signer, outbox.Action, "", "*")
	}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.Refuse(w, http.StatusNotImplemented, "UnknownOperationException",
			"the local cloud does not serve "+service+" "+r.URL.Path)
	}), nil
}
