package gateway

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/template/monitor"
	"minicloud/infra/local/unkind"
)

// exchange is a request with its response, as the access log and the metrics see it.
type exchange struct {
	http.ResponseWriter
	id     string
	begun  time.Time
	route  string
	status int

	integration       time.Duration // 0 if no function was invoked
	integrationStatus int           // 0 if no function was invoked
	integrationError  string        // of Lambda or the function
	gatewayError      string        // of the gateway itself

	unkind *unkind.Switches
}

// WriteHeader notes the status.
func (e *exchange) WriteHeader(status int) {
	if e.status == 0 {
		e.status = status
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write notes the status of a response without WriteHeader.
func (e *exchange) Write(b []byte) (int, error) {
	if e.status == 0 {
		e.status = http.StatusOK
	}
	return e.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the ResponseWriter.
func (e *exchange) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// failed notes why Lambda did not run the function.
func (e *exchange) failed(err error) {
	e.integrationError = err.Error()
	if refusal, ok := errors.AsType[*lambdahost.Error](err); ok {
		e.integrationStatus = refusal.Status
	} else {
		e.integrationStatus = http.StatusGatewayTimeout
	}
}

// observe records the metrics and the line of the access log of a request that is over.
func (g *Gateway) observe(e *exchange) {
	put := func(metric string, value float64) {
		g.Metrics.Put("AWS/ApiGateway", metric, value, "ApiId", g.API.ID)
	}
	one := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	latency := time.Since(e.begun)
	put("Count", 1)
	put("4xx", one(e.status >= 400 && e.status < 500))
	put("5xx", one(e.status >= 500))
	put("Latency", float64(latency.Milliseconds()))
	if g.AccessLog != nil && g.API.AccessLog != "" {
		_, _ = g.AccessLog.Write([]byte(e.line(g.API.AccessLog, latency) + "\n")) // a full disk must not fail requests
	}
}

// line fills in the format of the access log. A variable without a value is a hyphen.
func (e *exchange) line(format string, latency time.Duration) string {
	number := func(n int64, known bool) string {
		if !known {
			return "-"
		}
		return strconv.FormatInt(n, 10)
	}
	invoked := e.integrationStatus != 0
	values := map[string]string{
		"requestId": e.id, "routeKey": e.route, "status": number(int64(e.status), true),
		"responseLatency":         number(latency.Milliseconds(), true),
		"integrationLatency":      number(e.integration.Milliseconds(), invoked),
		"integrationStatus":       number(int64(e.integrationStatus), invoked),
		"integrationErrorMessage": e.integrationError, "error.message": e.gatewayError,
	}
	return monitor.AccessLogVariable.ReplaceAllStringFunc(format, func(variable string) string {
		value := values[strings.TrimPrefix(variable, "$context.")]
		if value == "" {
			return "-"
		}
		quoted, _ := json.Marshal(value) // a string always encodes
		return string(quoted[1 : len(quoted)-1])
	})
}
