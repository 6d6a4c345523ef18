package lambdahttp_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/shared/program/lambdahttp"
)

// TestInvokeFindsTheBody: the body is the member of the event, wherever it stands and whatever members of other objects
// are called; text and malformed base64 are decoded as before.
func TestInvokeFindsTheBody(t *testing.T) {
	around := `"rawPath":"/","headers":{"body":"aGVhZGVy","x\"body":"\\"},"queryStringParameters":{"a":"\",\"body\":\"eA=="},` +
		`"cookies":["body","eA=="],"requestContext":{"http":{"method":"POST"},"body":"eA=="}`
	for name, test := range map[string]struct{ event, want string }{
		"behind":        {`{` + around + `,"body":"aGk=","isBase64Encoded":true}`, "hi"},
		"in front":      {`{"isBase64Encoded":true,"body":"aGk=",` + around + `}`, "hi"},
		"with spaces":   {"{ \"body\" :\n \"aGk=\" , " + around + ` , "isBase64Encoded" : true }`, "hi"},
		"with escapes":  {`{"body":"\u0061Gk\u003d",` + around + `,"isBase64Encoded":true}`, "hi"},
		"text":          {`{"body":"aGk=",` + around + `}`, "aGk="},
		"text, escapes": {`{"body":"{\"body\":\"aGk=\"}",` + around + `}`, `{"body":"aGk="}`},
		"a value":       {`{"version":"body","routeKey":"aGk=",` + around + `}`, ""},
		"null":          {`{"body":null,` + around + `,"isBase64Encoded":true}`, ""},
		"none":          {`{` + around + `}`, ""},
		"empty":         {`{"body":"",` + around + `,"isBase64Encoded":true}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if status, got := received(t, invoke(t, []byte(test.event))); status != http.StatusOK || got != test.want {
				t.Errorf("%d %q, not %q", status, got, test.want)
			}
		})
	}
	for _, malformed := range []string{"aGk", "a", "aGk=aGk=", "a*k=", strings.Repeat("aaaa", 1023) + "aGk=" + "aGk="} {
		event := `{"body":"` + malformed + `",` + around + `,"isBase64Encoded":true}`
		if status, got := received(t, invoke(t, []byte(event))); status != http.StatusBadRequest {
			t.Errorf("malformed base64: %d %q", status, got)
		}
	}
}

// TestInvokeDecodesLargeBodies, at sizes around the pieces in which they are decoded, read by few bytes at a time.
func TestInvokeDecodesLargeBodies(t *testing.T) {
	var got []byte
	handler := lambdahttp.Adapt(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var err error
		if got, err = io.ReadAll(iotest.OneByteReader(r.Body)); err != nil || r.ContentLength != int64(len(got)) {
			t.Errorf("%d bytes of %d, %v", len(got), r.ContentLength, err)
		}
	}))
	for _, size := range []int{1, 2, 3, 3071, 3072, 3073, 6143, 6144, 6145, 100_000} {
		want := make([]byte, size)
		rand.Read(want)
		event := `{"body":"` + base64.StdEncoding.EncodeToString(want) + `","isBase64Encoded":true,"rawPath":"/"}`
		if _, err := handler.Invoke(t.Context(), []byte(event)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func invoke(t *testing.T, event []byte) []byte {
	t.Helper()
	payload, err := lambda.NewHandler(lambdahttp.Adapt(http.HandlerFunc(echo))).Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

func echo(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(r.Body)
	if err != nil || r.ContentLength != int64(len(content)) {
		w.WriteHeader(http.StatusBadRequest)
	}
	w.Write(content)
}

// TestInvokeRefusesMalformedEvents, also where the text of the body does not end.
func TestInvokeRefusesMalformedEvents(t *testing.T) {
	handler := lambda.NewHandler(lambdahttp.Adapt(http.HandlerFunc(echo)))
	for _, event := range []string{``, `{`, `"body`, `{"body":"aGk=`, `{"body":"aGk="`, `{"body":"aGk=","isBase64Encoded":1}`, `{"body":"\`} {
		if answer, err := handler.Invoke(t.Context(), []byte(event)); err == nil {
			t.Errorf("%s: %s", event, answer)
		}
	}
}

// FuzzInvoke: an event means to Invoke what it means to encoding/json.
func FuzzInvoke(f *testing.F) {
	f.Add([]byte(`{"body":"aGk=","headers":{"body":"x"},"isBase64Encoded":true}`))
	f.Add([]byte(`{"headers":{"a\\":"\\\""},"body":"{\"a\":1}"}`))
	var plain, taken []byte
	see := func(into *[]byte) lambdahttp.Handler {
		return lambdahttp.Adapt(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			*into, _ = io.ReadAll(r.Body)
		}))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var event events.APIGatewayV2HTTPRequest
		if json.Unmarshal(payload, &event) != nil || bytes.Count(bytes.ToLower(payload), []byte("body")) > 1 ||
			strings.Count(strings.ToLower(string(payload)), "base64") > 1 {
			return // the last of several members of one name counts, and upper case is the same name
		}
		plain, taken = nil, nil
		want, _ := see(&plain)(t.Context(), event)
		answer, err := see(&taken).Invoke(t.Context(), payload)
		var got events.APIGatewayV2HTTPResponse
		if err == nil {
			err = json.Unmarshal(answer, &got)
		}
		if err != nil || got.StatusCode != want.StatusCode || !bytes.Equal(plain, taken) {
			t.Errorf("%v, %d %q, not %d %q", err, got.StatusCode, taken, want.StatusCode, plain)
		}
	})
}

// plain is a handler whose events the library decodes.
type plain = func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// BenchmarkInvoke decodes an event with a body of 1 MB, which its handler reads.
func BenchmarkInvoke(b *testing.B) {
	e := event("POST", "/", "")
	e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(make([]byte, 1<<20)), true
	payload, err := json.Marshal(e)
	if err != nil {
		b.Fatal(err)
	}
	handler := lambdahttp.Adapt(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var read bytes.Buffer
		read.Grow(1<<20 + bytes.MinRead)
		if n, err := read.ReadFrom(r.Body); err != nil || n != 1<<20 {
			b.Error(n, err)
		}
	}))
	for name, h := range map[string]lambda.Handler{
		"Handler": lambda.NewHandler(handler),
		"plain":   lambda.NewHandler(plain(handler)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := h.Invoke(b.Context(), payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
