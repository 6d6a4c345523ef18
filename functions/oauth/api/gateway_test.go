package api_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/program/lambdahttp"
)

// TestThroughTheGateway plays endpoint 10 with the events of API Gateway, as the deployed program gets them: cookies
// apart from headers, and binary bodies in base64.
func TestThroughTheGateway(t *testing.T) {
	p := newPlatform(t)
	serve := lambdahttp.Adapt(p.handler)
	text, err := os.ReadFile("../../../events/apigateway/10-authorize.json")
	if err != nil {
		t.Fatal(err)
	}
	filled := strings.NewReplacer(
		"{{client_id}}", string(p.app.ClientID), "{{client_secret}}", p.secret,
	).Replace(string(text))
	multiType, multiBody := multi(p.credentials())
	for name, change := range map[string]func(e *events.APIGatewayV2HTTPRequest){
		"JSON": func(*events.APIGatewayV2HTTPRequest) {},
		"multipart": func(e *events.APIGatewayV2HTTPRequest) {
			e.Headers["content-type"], e.IsBase64Encoded = multiType, true
			e.Body = base64.StdEncoding.EncodeToString([]byte(multiBody))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var e events.APIGatewayV2HTTPRequest
			if err := json.Unmarshal([]byte(filled), &e); err != nil {
				t.Fatal(err)
			}
			change(&e)
			for range 2 {
				answer, err := serve(t.Context(), e)
				if err != nil || answer.StatusCode != 302 || len(answer.Cookies) == 0 {
					t.Fatalf("%v %+v", err, answer)
				}
				kept := answer.Cookies[len(answer.Cookies)-1]
				if !strings.HasSuffix(kept, "; Max-Age=60; HttpOnly; Secure; SameSite=Lax") {
					t.Errorf("cookie %q", kept)
				}
				cookie, _, _ := strings.Cut(kept, ";")
				e.RequestContext.HTTP.Method, e.Body, e.IsBase64Encoded = "GET", "", false
				e.RawQueryString, e.Cookies = strings.TrimPrefix(answer.Headers["Location"], "?"), []string{cookie}
				delete(e.Headers, "content-type")
			}
			answer, err := serve(t.Context(), e)
			if err != nil || answer.StatusCode != 200 || !matches(answer.Body, `{"code":"{…}","expires_in":600}`) {
				t.Errorf("%v %+v", err, answer)
			}
		})
	}
}
