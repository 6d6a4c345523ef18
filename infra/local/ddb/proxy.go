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
)

// maxBody limits a request, bytes: DynamoDB takes bodies up to 16 MB.
const maxBody = 17 << 20

// How long a client may take. Connections that are not used are ended later than
// the SDK ends them, which is after 90 s.
const (
	idleTimeout    = 5 * time.Minute
	requestTimeout = time.Minute
)

// Proxy stands between programs and the database: it counts their operations
// and refuses what they may not do, and lets their applications take turns. Of answers it looks only at those that
// say what is wrong with the file.
//
// Each connection has one of its own to the database and one goroutine: a server and a client of net/http would hand
// each request over between five, which takes as long as the database does.
type Proxy struct {
	URL      string
	backend  string
	cfg      ProxyConfig
	listener net.Listener
	idle     time.Duration
	patience time.Duration // with a request that has begun

	troubles troubles
	doubts   doubts
	turns    turns

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

// Allow decides whether the signer of a request may do it; the error is what
// they are told.
type Allow func(authorization, operation string, body []byte) error

// Measure gets the capacity that a signed operation consumed, before its client gets
// the answer.
type Measure func(authorization, operation string, used []capacity.Used)

// ProxyConfig has the callbacks of a proxy; each may be nil.
type ProxyConfig struct {
	// Count gets the name of each operation: "GetItem", for streams
	// "Streams.GetRecords".
	Count func(operation string)
	// Answered gets each operation that the database has answered, before the client
	// gets the answer.
	Answered func(operation string, body []byte)
	// Measure asks the database for the consumed capacity, also for clients that did not ask for it. The cost is a
	// few per cent of time.
	Measure Measure
	// Allow is asked first; nil lets everything pass.
	Allow Allow
	// Tell gets a fault of the database's file with its remedy, at most once a minute.
	Tell func(error)
}

// NewProxy serves the database on a port of its own.
func NewProxy(s *Server, cfg ProxyConfig) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		URL: "http://" + listener.Addr().String(), backend: strings.TrimPrefix(s.URL, "http://"),
		cfg: cfg, listener: listener, idle: idleTimeout, patience: requestTimeout,
		troubles: troubles{path: cmp.Or(s.path, s.URL), tell: cfg.Tell, told: map[string]time.Time{}},
		open:     map[net.Conn]struct{}{},
	}
	go p.accept()
	return p, nil
}

// Close ends the proxy and all connections through it.
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

// keep remembers a connection for Close, and says whether it may be used.
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

// serve passes requests on and their answers back. A database that ends before its answer ends the client's
// connection too, so that the client tries again as it does in the cloud.
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

// request is a request whose body was read.
type request struct {
	*http.Request
	body      []byte
	operation string
}

// next reads the next request within the time there is for it.
func (p *Proxy) next(client net.Conn, requests *bufio.Reader) (*request, error) {
	_ = client.SetReadDeadline(time.Now().Add(p.idle)) // a closed one says so when it is read
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

// handle returns the answer to a request: a refusal, or that of the database. The callbacks come before the answer,
// because a client must find done what it caused.
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

	sent := r.body
	if p.cfg.Measure != nil {
		sent = capacity.Request(r.operation, r.body)
	}
	token := tokenOf(r)
	doubtful := p.doubts.about(token)
	leave := p.turns.enter(r.application())
	answer, content, err := r.pass(sent, database, answers)
	leave()
	if err != nil {
		p.doubts.add(token) // before the client can try again
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
	if doubtful && conditionFailed(content) {
		return failure(http.StatusInternalServerError, "com.amazonaws.dynamodb.v20120810#InternalServerError",
			"the database was killed during an earlier attempt of this transaction"), nil
	}
	return answer, nil
}

// pass sends the request to the database, with this body, and reads the answer.
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

// failure is an answer as DynamoDB gives it.
func failure(status int, kind, message string) *http.Response {
	body, _ := json.Marshal(map[string]string{"__type": kind, "Message": message}) // two texts
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(body)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(bytes.NewReader(body)),
	}
}

func operationName(target string) string {
	version, operation, _ := strings.Cut(target, ".")
	if strings.HasPrefix(version, "DynamoDBStreams") {
		return "Streams." + operation
	}
	return operation
}
