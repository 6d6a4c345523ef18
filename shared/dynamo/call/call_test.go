package call

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"
	"pgregory.net/rapid"
)

// TestSignsAsTheSDK signs random requests with both signers. Both sign all headers of these requests.
func TestSignsAsTheSDK(t *testing.T) {
	var ours Signer // one for all requests: keys of other days and secrets must not be used again
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ -~]{0,20}`)
		word := rapid.StringMatching(`[A-Za-z0-9]{1,12}`)
		address := rapid.SampledFrom([]string{
			"https://dynamodb.us-east-1.amazonaws.com", "http://127.0.0.1:8000", "http://[::1]:8000",
		}).Draw(t, "address")
		path := rapid.SampledFrom([]string{
			"", "/", "/2015-03-31/functions/sandbox/invocations", "/functions/arn%3Aaws%3Alambda%2Fx", "/a%20b/?b=2&a=x%20y%2B",
		}).Draw(t, "path")
		body := text.Draw(t, "body")
		request := func() *http.Request {
			r, err := http.NewRequest(http.MethodPost, address+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		a, b := request(), request()
		for range rapid.IntRange(0, 3).Draw(t, "headers") {
			name, value := "X-Amz-"+word.Draw(t, "name"), text.Draw(t, "value")
			a.Header.Add(name, value)
			b.Header.Add(name, value)
		}
		keys := aws.Credentials{
			AccessKeyID: word.Draw(t, "id"), SecretAccessKey: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "secret"),
			SessionToken: rapid.SampledFrom([]string{"", "token"}).Draw(t, "token"),
		}
		at := time.Date(2026, 11, 26, 23, 59, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "minutes")) * time.Minute)
		region := rapid.SampledFrom([]string{"us-east-1", "eu-west-1"}).Draw(t, "region")
		service := rapid.SampledFrom([]string{"dynamodb", "lambda"}).Draw(t, "service")
		digest := sha256.Sum256([]byte(body))
		hash := hex.EncodeToString(digest[:])

		if err := ours.SignHTTP(context.Background(), keys, a, hash, service, region, at); err != nil {
			t.Fatal(err)
		}
		if err := v4.NewSigner().SignHTTP(context.Background(), keys, b, hash, service, region, at); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"} {
			if got, want := a.Header.Get(name), b.Header.Get(name); got != want {
				t.Errorf("%s:\n%s, the SDK\n%s", name, got, want)
			}
		}
	})
}

// TestTrimKnowsTheSteps fails when a release of the SDK renames a step: Trim would no longer remove it.
func TestTrimKnowsTheSteps(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{}") // a client that is gone shows in its own error
	}))
	defer server.Close()
	var before, after []string
	steps := func(into *[]string) func(*middleware.Stack) error {
		return func(s *middleware.Stack) error {
			*into = slices.Concat(s.Build.List(), s.Finalize.List(), s.Deserialize.List())
			return nil
		}
	}
	options := []func(*middleware.Stack) error{steps(&before), Trim, steps(&after)}

	table := dynamodb.New(dynamodb.Options{
		BaseEndpoint: &server.URL, Region: "x", Credentials: aws.AnonymousCredentials{}, APIOptions: options,
	})
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "x"}}
	if _, err := table.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("t"), Key: key}); err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Concat(unused.build, unused.finalize, unused.deserialize) {
		if !slices.Contains(before, id) || slices.Contains(after, id) {
			t.Errorf("step %s: the SDK has %v, left are %v", id, before, after)
		}
	}

	function := lambda.New(lambda.Options{
		BaseEndpoint: &server.URL, Region: "x", Credentials: aws.AnonymousCredentials{}, APIOptions: options,
	})
	if _, err := function.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("f")}); err != nil {
		t.Fatal(err)
	}
	// This step passes on the header by which Lambda finds functions that call each other in a loop.
	if !slices.Contains(after, "RecursionDetection") {
		t.Errorf("no RecursionDetection in %v", after)
	}
}

// TestSendsInOnePacket looks at what a server reads first of a request whose body has a type unknown to net/http.
func TestSendsInOnePacket(t *testing.T) {
	for _, size := range []int{1, 500, maxCopy + 1} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		watched, arrived := &watchedListener{listener, make(chan string, 1)}, 0
		server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			arrived = len(body)
		})}
		go server.Serve(watched)
		defer server.Close()

		body := struct{ io.ReadCloser }{io.NopCloser(strings.NewReader(strings.Repeat("x", size)))}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listener.Addr().String(), body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = int64(size)
		answer, err := NewClient(time.Minute).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()

		if arrived != size {
			t.Errorf("%d bytes of %d arrived", arrived, size)
		}
		_, sent, _ := strings.Cut(<-watched.first, "\r\n\r\n")
		if size <= maxCopy && len(sent) != size {
			t.Errorf("%d bytes of %d came with the headers", len(sent), size)
		}
	}
}

// watchedListener keeps what the first read of a connection gets.
type watchedListener struct {
	net.Listener
	first chan string
}

func (l *watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &watchedConn{c, l.first}, err
}

type watchedConn struct {
	net.Conn
	first chan string
}

func (c *watchedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 1 { // net/http's server reads one byte in the background
		select {
		case c.first <- string(b[:n]):
		default:
		}
	}
	return n, err
}
