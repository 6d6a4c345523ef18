package lambdahttp_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/trace/logging"
)

func event(method, path, query string) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{RawPath: path, RawQueryString: query, Headers: map[string]string{}}
	e.RequestContext.HTTP.Method = method
	e.RequestContext.HTTP.SourceIP = "203.0.113.9"
	e.RequestContext.RequestID = "req-1"
	e.RequestContext.DomainName = "api.example.com"
	return e
}

func TestHandlerGetsRequestUnchanged(t *testing.T) {
	var got struct{ path, query, body, ip, id, cookie string }
	handle := lambdahttp.Adapt(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got.path, got.query, got.body, got.ip = r.URL.Path, r.URL.RawQuery, string(body), r.RemoteAddr
		got.id = logging.RequestID(r.Context())
		if c, err := r.Cookie("b"); err == nil {
			got.cookie = c.Value
		}
		w.Header().Add("Set-Cookie", "x=1")
		w.Header().Add("Set-Cookie", "y=2")
		w.WriteHeader(http.StatusTeapot)
	}))

	e := event("POST", "/a/50% off?/ü/", "where=%7B%7D&&offset=0")
	e.Body, e.IsBase64Encoded = "aGk=", true
	e.Cookies = []string{"a=1", "b=2"}
	answer, err := handle(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if got.path != "/a/50% off?/ü/" || got.query != "where=%7B%7D&&offset=0" || got.body != "hi" ||
		got.ip != "203.0.113.9" || got.id != "req-1" || got.cookie != "2" {
		t.Errorf("handler saw %+v", got)
	}

	if answer.StatusCode != http.StatusTeapot || len(answer.Cookies) != 2 {
		t.Errorf("answer %+v", answer)
	}
}

func TestHeadersAreNotSplit(t *testing.T) {
	sent := map[string]string{
		"user-agent":                     "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0",
		"access-control-request-headers": "authorization,content-type, x-service-env-id",
		"idempotency-key":                "a, b",
		"content-type":                   "multipart/form-data; boundary=a,b",
	}

	e := event("POST", "/", "")
	e.Headers = sent
	_, err := lambdahttp.Adapt(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for name, want := range sent {
			if got := r.Header.Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}))(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeepsRepeatedParameters checks that repeated parameters are read from the raw query: the gateway's map joins
// their values with commas.
func TestKeepsRepeatedParameters(t *testing.T) {
	for query, want := range map[string][]string{"a__in=1&a__in=2": {"1", "2"}, "a__in=1,2": {"1,2"}} {
		e := event("GET", "/", query)
		e.QueryStringParameters = map[string]string{"a__in": "1,2"}
		_, err := lambdahttp.Adapt(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if got := r.URL.Query()["a__in"]; !slices.Equal(got, want) {
				t.Errorf("%s: %q", query, got)
			}
		}))(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestEmptyHandlerAnswers200(t *testing.T) {
	answer, err := lambdahttp.Adapt(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))(
		t.Context(), event("GET", "/", ""),
	)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("got %d, %v", answer.StatusCode, err)
	}
}

// TestRequestEndsBeforeInvocation checks that the request's deadline leaves a second for the response.
func TestRequestEndsBeforeInvocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 29*time.Second)
		defer cancel()
		answer, err := lambdahttp.Adapt(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			w.WriteHeader(http.StatusGatewayTimeout)
		}))(ctx, event("GET", "/", ""))
		if took := time.Since(start); err != nil || answer.StatusCode != http.StatusGatewayTimeout ||
			took != 28*time.Second {
			t.Errorf("%d after %v, %v", answer.StatusCode, took, err)
		}
	})
}

func TestMalformedRequestIs400(t *testing.T) {
	called := false
	handle := lambdahttp.Adapt(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	answer, err := handle(t.Context(), event("GET", "/x/", "a=\x00"))
	if err != nil || answer.StatusCode != http.StatusBadRequest || called || answer.Headers["Access-Control-Allow-Origin"] != "*" {
		t.Errorf("got %d, %v, handler called: %v", answer.StatusCode, err, called)
	}
}
