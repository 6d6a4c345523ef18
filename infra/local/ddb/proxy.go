package ddb

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"minicloud/infra/local/capacity"
	"minicloud/infra/local/unkind"
	"minicloud/infra/local/watch"
)

// maxBody is the maximum size of a request in bytes: DynamoDB accepts bodies up to 16 MB.
const maxBody = 17 << 20

// Client timeouts. The proxy closes idle connections later than the SDK does, which is after 90 s.
const (
	idleTimeout    = 5 * time.Minute
	requestTimeout = time.Minute
)

// Proxy is a proxy between programs and the database. It counts operations, checks permissions, and schedules requests
// round-robin by application. It reads error responses for faults of the database file.
//
// Each client connection has its own connection to the database and one goroutine: a net/http server and client would
// pass each request between five goroutines, which takes as long as the database itself.
type Proxy struct {
	URL      string
	backend  string
	cfg      ProxyConfig
	listener net.Listener
	idle     time.Duration
	patience time.Duration // time to read a request once it has begun

	troubles troubles
	doubts   doubts
	turns    turns

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

// Measure is called with the capacity that a signed operation consumed, before the client gets the response.
type Measure func(authorization, operation string, used []capacity.Used)

// ProxyConfig holds the callbacks of a proxy; each may be nil.
type ProxyConfig struct {
	// Count is called with the name of each operation: "GetItem", for streams "Streams.GetRecords".
	Count func(operation string)
	// Answered is called for each operation that the database has answered, before the client gets the response.
	Answered func(operation string, body []byte)
	// Measure is called with the consumed capacity, which the proxy requests even if the client did not. It costs a
	// few per cent of time.
	Measure Measure
	// Allow is called first: its error, why the signer may not perform the operation, becomes the response.
	Allow func(authorization, operation string, body []byte) error
	// Unkind is what DynamoDB does to callers beside answering them; nil does nothing.
	Unkind *unkind.Database
	// Metrics gets the metrics of DynamoDB; nil for none.
	Metrics *watch.Metrics
	// Tell is called with a fault of the database file and its remedy, at most once a minute.
	Tell func(error)
}

// NewProxy starts a proxy of the database on a free port.
func NewProxy(s *Server, cfg ProxyConfig) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		URL: "http://" + listener.Addr().String(), backend: strings.TrimPrefix(s.URL, "http://"),
		cfg: cfg, listener: listener, idle: idleTimeout, patience: requestTimeout,
		troubles: troubles{path: cmp.Or(s.path, s.URL), tell: cfg.Tell},
		open:     map[net.Conn]struct{}{},
	}
	go p.accept()
	return p, nil
}

// Close stops the proxy and closes its connections.
func (p *Proxy) Close() {
	p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for c := range p.open {
		c.Close()
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(client)
	}
}

// keep registers a connection for Close. It returns false if the proxy is closed.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.open[c] = struct{}{}
	}
	return !p.closed
}

func (p *Proxy) forget(c net.Conn) {
	c.Close()
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
}

// serve passes requests to the database and returns its responses. If the database ends before it responds, serve
// closes the client's connection, so that the client retries as in the cloud.
func (p *Proxy) serve(client net.Conn) {
	defer p.forget(client)
	if !p.keep(client) {
		return
	}

	database, err := net.Dial("tcp", p.backend)
	if err != nil {
		return
	}
	defer p.forget(database)
	if !p.keep(database) {
		return
	}

	requests, answers := bufio.NewReaderSize(client, 16*1024), bufio.NewReaderSize(database, 16*1024)
	for to := bufio.NewWriterSize(client, 16*1024); ; {
		r, err := p.next(client, requests)
		if err != nil {
			return
		}
		answer, err := p.handle(r, database, answers)
		if err != nil || answer.Write(to) != nil || to.Flush() != nil {
			return
		}
	}
}

// request is a request with its body in memory.
type request struct {
	*http.Request
	body      []byte
	operation string
}

// next reads the next request, within the idle timeout and patience.
func (p *Proxy) next(client net.Conn, requests *bufio.Reader) (*request, error) {
	_ = client.SetReadDeadline(time.Now().Add(p.idle)) // an error on a closed connection appears at the next read
	if _, err := requests.Peek(1); err != nil {
		return nil, err
	}
	_ = client.SetReadDeadline(time.Now().Add(p.patience))
	r, err := http.ReadRequest(requests)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	return &request{r, body, operationName(r.Header.Get("X-Amz-Target"))}, err
}

// handle returns the response to a request: a refusal, or the response of the database. The callbacks run before the
// client gets the response, so that the client finds their effects.
func (p *Proxy) handle(r *request, database io.Writer, answers *bufio.Reader) (*http.Response, error) {
	authorization := r.Header.Get("Authorization")
	if p.cfg.Allow != nil && r.operation != "" {
		if err := p.cfg.Allow(authorization, r.operation, r.body); err != nil {
			return failure(http.StatusBadRequest, "com.amazon.coral.service#AccessDeniedException", err.Error()), nil
		}
	}
	if p.cfg.Count != nil && r.operation != "" {
		p.cfg.Count(r.operation)
	}

	if message := refusal(r.operation, r.body); message != "" {
		return failure(http.StatusBadRequest, "com.amazon.coral.validate#ValidationException", message), nil
	}

	if p.cfg.Unkind == nil {
		return p.forward(r, database, answers)
	}
	return p.unkind(r, database, answers)
}

// unkind is forward with what Config.Unkind does to calls.
func (p *Proxy) unkind(r *request, database io.Writer, answers *bufio.Reader) (*http.Response, error) {
	forwarded := 0 // status of the database's last response
	status, content, err := p.cfg.Unkind.Answer(r.operation, r.body, p.cfg.Unkind.Lasts(r.operation),
		func(operation string, body []byte) (int, []byte, error) {
			asked := &request{r.Clone(r.Context()), body, operation}
			version, _, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
			asked.Header.Set("X-Amz-Target", version+"."+strings.TrimPrefix(operation, "Streams."))
			answer, err := p.forward(asked, database, answers)
			if err != nil {
				return 0, nil, err
			}
			forwarded = answer.StatusCode
			content, err := io.ReadAll(answer.Body)
			return answer.StatusCode, content, err
		})
	if err != nil {
		return nil, err
	}
	if status >= http.StatusBadRequest && status != forwarded { // forward has reported what the database refused
		p.reportFailure(r, status, content)
	}
	return unkind.Answer(r.Request, status, content), nil
}

// forward passes a request to the database and returns its response.
func (p *Proxy) forward(r *request, database io.Writer, answers *bufio.Reader) (*http.Response, error) {
	authorization, sent := r.Header.Get("Authorization"), r.body
	if p.cfg.Measure != nil {
		sent = capacity.Request(r.operation, r.body)
	}
	token := tokenOf(r)
	doubtful := p.doubts.about(token)
	leave := p.turns.enter(r.application())
	answer, content, err := r.pass(sent, database, answers)
	leave()
	if err != nil {
		p.doubts.add(token) // before the client can retry
		return nil, err
	}

	if p.cfg.Answered != nil && r.operation != "" {
		p.cfg.Answered(r.operation, r.body)
	}
	if p.cfg.Measure != nil && r.operation != "" {
		p.cfg.Measure(authorization, r.operation, capacity.Of(r.operation, sent, content))
	}
	if answer.StatusCode == http.StatusInternalServerError {
		p.troubles.saw(content)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		p.reportFailure(r, answer.StatusCode, content)
	}
	if doubtful && conditionFailed(content) {
		return failure(http.StatusInternalServerError, "com.amazonaws.dynamodb.v20120810#InternalServerError",
			"the database was killed during an earlier attempt of this transaction"), nil
	}
	return answer, nil
}

// pass sends the request with this body to the database and reads the response.
func (r *request) pass(
	body []byte, database io.Writer, answers *bufio.Reader,
) (answer *http.Response, content []byte, err error) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if err := r.Write(database); err != nil {
		return nil, nil, err
	}
	if answer, err = http.ReadResponse(answers, r.Request); err != nil {
		return nil, nil, err
	}
	content, err = io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(content))
	return answer, content, err
}

// failure returns an error response in DynamoDB's format.
func failure(status int, kind, message string) *http.Response {
	body, _ := json.Marshal(map[string]string{"__type": kind, "Message": message}) // two strings always encode
	return unkind.Answer(nil, status, body)
}

func operationName(target string) string {
	version, operation, _ := strings.Cut(target, ".")
	if strings.HasPrefix(version, "DynamoDBStreams") {
		return "Streams." + operation
	}
	return operation
}
