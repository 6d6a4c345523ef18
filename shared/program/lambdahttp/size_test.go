package lambdahttp_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/shared/httpapi"
	"minicloud/shared/program/lambdahttp"
)

// lambdaAnswer is the response size that Lambda accepts in practice, in bytes.
const lambdaAnswer = 6*1024*1024 + 100

// TestMaxAnswerFitsLambda sends bodies of MaxAnswer bytes that grow differently when escaped, with the largest
// headers that a gateway accepts.
func TestMaxAnswerFitsLambda(t *testing.T) {
	for name, unit := range map[string]string{
		"letters": "abcd", "quotes": `"`, "backslashes": `\`, "control characters": "\x01", "HTML": "<&>",
		"other scripts": "漢", "separators": "\u2028", "JSON": `{"a":"\"<"},`, "escapes": `\u0001`, "tabs": "\t",
		"not UTF-8": "\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := strings.Repeat(unit, httpapi.MaxAnswer/len(unit))
			handle := lambdahttp.Adapt(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("X-Many", strings.Repeat("h", 10_000))
				w.Write([]byte(body))
			}))
			payload, err := lambda.NewHandler(handle).Invoke(t.Context(), encoded(t, event("GET", "/", "")))
			if err != nil {
				t.Fatal(err)
			}
			if len(payload) > lambdaAnswer {
				t.Errorf("Lambda would refuse %d bytes", len(payload))
			}
			if status, got := received(t, payload); status != http.StatusOK || got != body {
				t.Errorf("%d, %d bytes, not the %d written", status, len(got), len(body))
			}
		})
	}
}

func TestOversizedAnswerIsAnError(t *testing.T) {
	for name, unit := range map[string]string{"text": "x", "not UTF-8": "\xff"} {
		handle := lambdahttp.Adapt(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "r")
			w.Write([]byte(strings.Repeat(unit, httpapi.MaxAnswer+10)))
		}))
		answer, err := handle(t.Context(), event("GET", "/", ""))
		if err != nil || answer.StatusCode != http.StatusInternalServerError || answer.IsBase64Encoded ||
			answer.Body != `{"status":"error","error_msg":"the answer is too large, ask for less"}` ||
			answer.Headers["Content-Type"] != "application/json" || answer.Headers["X-Request-Id"] != "r" {
			t.Errorf("%s: %d %.100s %v, %v", name, answer.StatusCode, answer.Body, answer.Headers, err)
		}
	}
}

func TestSmallAnswersAreNotEncoded(t *testing.T) {
	body := strings.Repeat(`"\"`, 1000)
	handle := lambdahttp.Adapt(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) }))
	answer, err := handle(t.Context(), event("GET", "/", ""))
	if err != nil || answer.IsBase64Encoded || answer.Body != body {
		t.Errorf("%.100s, %v", answer.Body, err)
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	payload, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// received returns what a caller receives for a response of the Lambda function.
func received(t *testing.T, payload []byte) (status int, body string) {
	t.Helper()
	var answer struct {
		StatusCode      int
		Body            string
		IsBase64Encoded bool
	}
	if err := json.Unmarshal(payload, &answer); err != nil {
		t.Fatal(err)
	}
	if !answer.IsBase64Encoded {
		return answer.StatusCode, answer.Body
	}
	plain, err := base64.StdEncoding.DecodeString(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(plain)
}
