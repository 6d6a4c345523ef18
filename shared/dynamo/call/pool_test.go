package call

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/document"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// service is a server that answers each request with the next of its texts, and the last one again and again.
type service struct {
	*httptest.Server
	pool        *Pool
	requests    []*http.Request
	bodies      []string
	answer      func(w http.ResponseWriter, r *http.Request)
	connections atomic.Int64
}

func newService(t testing.TB, secure bool) *service {
	s := &service{pool: NewPool(time.Minute)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
		s.answer(w, r)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	s.answer = says("{}")
	if secure {
		s.StartTLS()
		s.pool.Secure.RootCAs = x509.NewCertPool()
		s.pool.Secure.RootCAs.AddCert(s.Certificate())
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	t.Cleanup(s.pool.Close)
	return s
}

func says(text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(text))))
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		io.WriteString(w, text) // a client that is gone shows in its own error
	}
}

func (s *service) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &s.URL, Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", "token"),
		HTTPClient: s.pool, HTTPSignerV4: new(Signer), APIOptions: []func(*middleware.Stack) error{Trim},
		Retryer: aws.NopRetryer{},
	})
}

var (
	query = smithy.NewOperationSchema(schemas.Query, schemas.QueryInput, schemas.QueryOutput)
	batch = smithy.NewOperationSchema(schemas.BatchGetItem, schemas.BatchGetItemInput, schemas.BatchGetItemOutput)
)

func attribute(depth int) *rapid.Generator[types.AttributeValue] {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z"\\<\x01 é]{0,9}`))
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
		case kind == 0:
			return &types.AttributeValueMemberN{Value: fmt.Sprint(rapid.Int64().Draw(t, "n"))}
		case kind == 1:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "bool")}
		case kind == 2:
			return &types.AttributeValueMemberNULL{Value: true}
		case kind == 3:
			return &types.AttributeValueMemberSS{Value: rapid.SliceOfN(text, 1, 3).Draw(t, "set")}
		case kind == 4:
			return &types.AttributeValueMemberB{Value: rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "bytes")}
		case kind == 5 && depth > 0:
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(attribute(depth-1), 0, 3).Draw(t, "list")}
		case kind == 6 && depth > 0:
			return &types.AttributeValueMemberM{Value: rapid.MapOfN(text, attribute(depth-1), 0, 3).Draw(t, "map")}
		}
		return &types.AttributeValueMemberS{Value: text.Draw(t, "text")}
	})
}

// TestDirectIsTheSDK makes random calls with the SDK and without its steps: both send the same and return the same.
func TestDirectIsTheSDK(t *testing.T) {
	s := newService(t, true)
	client := s.client()
	same := cmpopts.IgnoreUnexported(dynamodb.QueryOutput{}, dynamodb.QueryInput{}, dynamodb.BatchGetItemOutput{},
		types.KeysAndAttributes{}, types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
		types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{}, types.AttributeValueMemberSS{},
		types.AttributeValueMemberL{}, types.AttributeValueMemberM{}, document.NoSerde{})
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.MapOfN(rapid.StringMatching(`[a-z"é]{1,5}`), attribute(2), 0, 5), 0, 4).Draw(t, "items")
		key := rapid.MapOfN(rapid.StringMatching(`[a-z"é]{1,5}`), attribute(0), 1, 3).Draw(t, "key")

		in := &dynamodb.QueryInput{
			TableName: aws.String("t"), KeyConditionExpression: aws.String("pk = :pk"), ExclusiveStartKey: key,
			ConsistentRead: aws.Bool(true), Limit: aws.Int32(7), ExpressionAttributeNames: map[string]string{"#a": "b"},
		}
		answer := &dynamodb.QueryOutput{Items: items, Count: int32(len(items)), ScannedCount: 9, LastEvaluatedKey: key}
		s.answer = says(written(t, query, answer))
		want, err := client.Query(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		got := new(dynamodb.QueryOutput)
		compare(t, s, query, in, got)
		if diff := cmp.Diff(want, got, same, cmpopts.IgnoreFields(dynamodb.QueryOutput{}, "ResultMetadata")); diff != "" {
			t.Error(diff)
		}

		keys := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"t": {Keys: []map[string]types.AttributeValue{key}, ConsistentRead: aws.Bool(true)},
		}}
		s.answer = says(written(t, batch, &dynamodb.BatchGetItemOutput{
			Responses: map[string][]map[string]types.AttributeValue{"t": items}, UnprocessedKeys: keys.RequestItems,
		}))
		wanted, err := client.BatchGetItem(t.Context(), keys)
		if err != nil {
			t.Fatal(err)
		}
		gotten := new(dynamodb.BatchGetItemOutput)
		compare(t, s, batch, keys, gotten)
		if diff := cmp.Diff(wanted, gotten, same, cmpopts.IgnoreFields(dynamodb.BatchGetItemOutput{}, "ResultMetadata")); diff != "" {
			t.Error(diff)
		}
	})
	if n := s.connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// compare makes a call directly and compares its request with the last one, which was the SDK's.
func compare(t *rapid.T, s *service, o *smithy.OperationSchema, in smithy.Serializable, out smithy.Deserializable) {
	t.Helper()
	if !s.pool.Direct(context.Background(), s.client().Options(), o, in, out) {
		t.Fatal("the direct attempt has failed")
	}
	last := len(s.requests) - 1
	ours, theirs := s.requests[last], s.requests[last-1]
	for _, name := range []string{"X-Amz-Target", "Content-Type", "Content-Length", "X-Amz-Security-Token"} {
		if got, want := ours.Header.Get(name), theirs.Header.Get(name); got != want || got == "" {
			t.Errorf("%s: %q, the SDK sends %q", name, got, want)
		}
	}
	cut := func(r *http.Request) string { // the signature depends on the second
		fixed, _, _ := strings.Cut(r.Header.Get("Authorization"), "Signature=")
		return r.Method + " " + r.Host + r.RequestURI + " " + fixed
	}
	if cut(ours) != cut(theirs) {
		t.Errorf("%s, the SDK sends %s", cut(ours), cut(theirs))
	}
	if len(s.bodies[last]) != len(s.bodies[last-1]) { // members of maps come in any order
		t.Errorf("%s, the SDK sends %s", s.bodies[last], s.bodies[last-1])
	}
}

// written returns the text of a response.
func written(t *rapid.T, o *smithy.OperationSchema, out smithy.Serializable) string {
	request, err := encoded(context.Background(), dynamodb.New(dynamodb.Options{}).Options(), o, out)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(request.GetStream())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestUnusualResponsesAreTheSDKs checks that a response that is not a usual success is left to the SDK.
func TestUnusualResponsesAreTheSDKs(t *testing.T) {
	raw := func(text string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, text)
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"refusal": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"failure": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"checksum": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Amz-Crc32", "1")
			io.WriteString(w, "{}")
		},
		"chunks":        raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
		"compressed":    raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"),
		"no length":     raw("HTTP/1.1 200 OK\r\n\r\n{}"),
		"two lengths":   raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
		"bad length":    raw("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}"),
		"too short":     raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"),
		"no JSON":       raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n<>"),
		"half a head":   raw("HTTP/1.1 200 OK\r\nContent-"),
		"another words": raw("SSH-2.0\r\n\r\n"),
		"nothing":       raw(""),
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, false)
			client, in := s.client(), &dynamodb.QueryInput{TableName: aws.String("t")}
			direct := func() bool {
				return s.pool.Direct(t.Context(), client.Options(), query, in, new(dynamodb.QueryOutput))
			}
			if direct() || len(s.requests) > 0 {
				t.Error("a direct attempt before the SDK has called the service")
			}
			if _, err := client.Query(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if !direct() {
				t.Fatal("no direct attempt")
			}
			usual := s.answer
			s.answer = answer
			if direct() {
				t.Error("the attempt has succeeded")
			}
			if s.answer = usual; !direct() {
				t.Error("the next attempt fails too")
			}
		})
	}
}

// TestLostConnections closes the idle connections of a pool on the side of the service.
func TestLostConnections(t *testing.T) {
	s := newService(t, false)
	client, in := s.client(), &dynamodb.QueryInput{TableName: aws.String("t")}
	for range 3 {
		if _, err := client.Query(t.Context(), in); err != nil { // it has one attempt
			t.Fatal(err)
		}
		if !s.pool.Direct(t.Context(), client.Options(), query, in, new(dynamodb.QueryOutput)) {
			t.Error("no direct attempt")
		}
		s.CloseClientConnections()
	}
	if n := s.connections.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}

	s.Close()
	if _, err := client.Query(t.Context(), in); err == nil {
		t.Error("a service that has ended answers")
	}
}

// TestExchangeEnds checks that a request ends with its context, or at the timeout, and that its connection is not used
// again: the response may still come.
func TestExchangeEnds(t *testing.T) {
	s := newService(t, false)
	asked, ended := make(chan bool, 2), make(chan bool)
	quick := s.answer
	s.answer = func(http.ResponseWriter, *http.Request) { asked <- true; <-ended }
	client, in := s.client(), &dynamodb.QueryInput{TableName: aws.String("t")}

	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := client.Query(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.pool.Timeout = time.Millisecond
	if _, err := client.Query(t.Context(), in); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timeout: %v", err)
	}
	close(ended)
	s.pool.Timeout, s.answer = time.Minute, quick
	if _, err := client.Query(t.Context(), in); err != nil {
		t.Error(err)
	}
	if n := s.connections.Load(); n < 2 {
		t.Errorf("%d connections: one was used again", n)
	}
}

// TestKeepsFewConnections makes many requests at once.
func TestKeepsFewConnections(t *testing.T) {
	s := newService(t, false)
	const many = 2 * maxIdle
	for range many {
		s.pool.put(&connection{Conn: &net.TCPConn{}})
	}
	if n := len(s.pool.idle); n != maxIdle {
		t.Errorf("%d idle connections", n)
	}
	old := s.pool.idle[0]
	old.used = time.Now().Add(-idleTime)
	s.pool.idle = s.pool.idle[:1]
	if s.pool.take(old.to) != nil {
		t.Error("an old connection is used")
	}
}
