// Package lambdahttp adapts an http.Handler to API Gateway HTTP APIs (payload format 2.0). It uses
// aws-lambda-go-api-proxy and corrects what that adapter gets wrong.
package lambdahttp

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"minicloud/shared/httpapi"
	"minicloud/shared/trace/logging"
)

// Adapt returns handler as a Lambda handler of gateway events.
func Adapt(handler http.Handler) Handler {
	adapter := httpadapter.NewV2(alwaysAnswers{handler})
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		if end, limited := ctx.Deadline(); limited {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, end.Add(-httpapi.Margin))
			defer cancel()
		}

		ctx = logging.WithRequest(ctx, event.RequestContext.RequestID)
		ctx = context.WithValue(ctx, sentHeaders{}, event.Headers)
		// The gateway has decoded the path, but the adapter parses it as a URL: a literal "%" or "?" would change
		// its meaning or fail.
		event.RawPath = (&url.URL{Path: event.RawPath}).EscapedPath()
		if event.RequestContext.DomainName == "" {
			event.RequestContext.DomainName = "localhost"
		}

		answer, err := adapter.ProxyWithContext(ctx, event)
		if err != nil {
			// The event is no valid HTTP request, for example because its query has control characters.
			return refuse(http.StatusBadRequest, "the request line is malformed"), nil
		}

		return fit(answer), nil
	}
}

// refuse returns an error response in the format of D1. No handler has run, so the deployment's list of origins is not
// known here: every page may read the error, which says nothing about the caller.
func refuse(status int, message string) events.APIGatewayV2HTTPResponse {
	return events.APIGatewayV2HTTPResponse{
		StatusCode: status,
		Headers:    map[string]string{"Content-Type": "application/json", "Access-Control-Allow-Origin": "*"},
		Body:       `{"status":"error","error_msg":"` + message + `"}`,
	}
}

// sentHeaders is the context key of the headers from the gateway: one string per name, repeated headers joined by
// commas.
type sentHeaders struct{}

// alwaysAnswers gives the request the body that is not in its event. It restores the headers that the adapter splits at
// commas: User-Agent and Access-Control-Request-Headers would lose everything after the first comma. It also writes
// status 200 if the handler wrote nothing, which the adapter would turn into 504 (measured).
type alwaysAnswers struct{ http.Handler }

func (h alwaysAnswers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, _ := r.Context().Value(sentHeaders{}).(map[string]string)
	for name, value := range sent {
		r.Header.Set(name, value)
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		r.RemoteAddr = host
	}
	if text, _ := r.Context().Value(sentBody{}).([]byte); len(text) > 0 {
		r.Body, r.ContentLength = io.NopCloser(&base64Body{text: text}), decodedSize(text)
	}
	noted := &noting{ResponseWriter: w}
	h.Handler.ServeHTTP(noted, r)
	if !noted.wrote {
		w.WriteHeader(http.StatusOK)
	}
}

type noting struct {
	http.ResponseWriter
	wrote bool
}

func (w *noting) WriteHeader(status int) {
	w.wrote = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *noting) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}
