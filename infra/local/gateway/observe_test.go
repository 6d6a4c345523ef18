package gateway

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/infra/local/watch"
	"minicloud/shared/clock"
)

// TestAccessLog compares the lines that the template's format makes of each outcome, and the metrics.
func TestAccessLog(t *testing.T) {
	all, err := template.ReadFile(filepath.Join("..", "..", "..", "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		fake *fake
		path string
		want map[string]any // of the line, without its times
	}{
		"answer": {&fake{result: lambdahost.Result{Payload: []byte(`{"statusCode":201}`)}}, "/a/b", map[string]any{
			"route": "ANY /a/{proxy+}", "status": 201.0, "integration_status": "200", "error": "-", "gateway_error": "-",
		}},
		"failed function": {&fake{result: lambdahost.Result{FunctionError: "Unhandled"}}, "/a/b", map[string]any{
			"route": "ANY /a/{proxy+}", "status": 500.0, "integration_status": "200",
			"error": "the function failed: Unhandled", "gateway_error": "Internal Server Error",
		}},
		"no capacity": {&fake{err: &lambdahost.Error{Status: 429, Type: "TooManyRequestsException", Message: `of "any"`}},
			"/a/b", map[string]any{
				"route": "ANY /a/{proxy+}", "status": 503.0, "integration_status": "429",
				"error": `TooManyRequestsException: of "any"`, "gateway_error": "Service Unavailable",
			}},
		"no answer in time": {&fake{slow: true}, "/a/b", map[string]any{
			"route": "ANY /a/{proxy+}", "status": 504.0, "integration_status": "504",
			"error": "context deadline exceeded", "gateway_error": "Gateway Timeout",
		}},
		"no route": {&fake{}, "/z", map[string]any{
			"route": "-", "status": 404.0, "integration_status": "-", "error": "-", "gateway_error": "Not Found",
		}},
	} {
		var log bytes.Buffer
		functions := functionsWith("ANY /a/{proxy+}")
		if tt.fake.slow {
			functions[0].Routes[0].Timeout = 1
		}
		g := New(functions, tt.fake, stats.New())
		g.API, g.AccessLog, g.Metrics = all.API, &log, watch.NewMetrics(clock.System)
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequest(http.MethodGet, tt.path, nil))

		var got map[string]any
		if err := json.Unmarshal(log.Bytes(), &got); err != nil {
			t.Errorf("%s: %s: %v", name, log.String(), err)
			continue
		}
		if got["request_id"] != w.Header().Get("Apigw-Requestid") {
			t.Errorf("%s: the log has another request id than the response: %s", name, log.String())
		}
		if _, known := got["ms"].(float64); !known || got["integration_ms"] == nil {
			t.Errorf("%s: no latencies: %s", name, log.String())
		}
		for _, field := range []string{"request_id", "ms", "integration_ms"} {
			delete(got, field)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		failed := 0.0
		if w.Code >= 500 {
			failed = 1
		}
		count := g.Metrics.Value("Sum", "AWS/ApiGateway", "Count", "ApiId", "HttpApi")
		if five := g.Metrics.Value("Average", "AWS/ApiGateway", "5xx", "ApiId", "HttpApi"); count != 1 || five != failed {
			t.Errorf("%s: %v requests, %v failed", name, count, five)
		}
	}
}
