package ddb

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/local/capacity"
)

// Bounds of a request, bytes. DynamoDB takes bodies up to 16 MB.
const (
	maxHead = 64 * 1024
	maxBody = 17 << 20
)

// How long a client may take. Connections that are not used are ended later than
// the SDK ends them, which is after 90 s.
const (
	idleTimeout    = 5 * time.Minute
	requestTimeout = time.Minute
)

// Proxy stands between programs and the database: it counts their operations
// and refuses what they may not do, and lets their applications take turns. Each connection has one of its own to the
// database; of answers it looks only at those that say what is wrong with the file.
type Proxy struct {
	URL      string
	backend  string
	cfg      ProxyConfig
	listener net.Listener
	troubles *troubles
	idle     time.Duration
	patience time.Duration // with a request that has begun

	doubts doubts
	turns  turns

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
		troubles: &troubles{path: cmp.Or(s.path, s.URL), tell: cfg.Tell, told: map[string]time.Time{}},
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

	var pending atomic.Pointer[request] // the last request: clients send one at a time
	pending.Store(&request{leave: func() {}})
	defer func() { pending.Load().leave() }()
	go func() {
		p.answer(client, database, &pending)
		p.doubts.add(tokenOf(pending.Load())) // before the client can try again
		client.Close()                        // ends the loop below
	}()
	requests := bufio.NewReaderSize(client, 16*1024)
	for {
		req, err := p.next(client, requests)
		if err != nil {
			return
		}

		if p.cfg.Allow != nil && req.operation != "" {
			if err := p.cfg.Allow(req.authorization, req.operation, req.body()); err != nil {
				// Nothing is on its way from the database: clients send one
				// request at a time.
				if _, err := client.Write(denial(err)); err != nil {
					return
				}
				continue
			}
		}

		if req.operation != "" && p.cfg.Count != nil {
			p.cfg.Count(req.operation)
		}

		token := tokenOf(req)
		if token != "" && p.doubts.about(token) {
			err := p.decide(client, req)
			p.answered(req)
			if err != nil {
				return
			}
			continue
		}

		if p.cfg.Measure != nil {
			req.setBody(capacity.Request(req.operation, req.body()))
		}

		req.leave = p.turns.enter(req.application())
		pending.Store(req)
		if _, err := database.Write(req.whole); err != nil {
			return
		}
	}
}

// next reads the next request within the time there is for it.
func (p *Proxy) next(client net.Conn, requests *bufio.Reader) (*request, error) {
	_ = client.SetReadDeadline(time.Now().Add(p.idle)) // a closed one says so when it is read
	if _, err := requests.Peek(1); err != nil {
		return nil, err
	}
	_ = client.SetReadDeadline(time.Now().Add(p.patience))
	return readRequest(requests)
}

// request is a request as it came, and what its head says.
type request struct {
	whole         []byte
	head          int // bytes of whole
	operation     string
	authorization string
	leave         func() // gives back its place in the database
}

func (r *request) body() []byte { return r.whole[r.head:] }

// setBody puts another body after the same head.
func (r *request) setBody(body []byte) {
	length := fmt.Appendf(nil, "\r\nContent-Length: %d\r\n", len(body))
	head := contentLength.ReplaceAllLiteral(r.whole[:r.head], length)
	r.head = len(head)
	r.whole = append(head, body...)
}

var contentLength = regexp.MustCompile(`(?i)\r\ncontent-length:[^\r]*\r\n`)

// answer passes the database's answers on until one of the two connections ends, and reports
// each.
func (p *Proxy) answer(client io.Writer, database io.Reader, pending *atomic.Pointer[request]) {
	to := watch{client, p.troubles, func() { pending.Load().leave() }, func() { p.answered(pending.Load()) }}
	if p.cfg.Measure == nil {
		_, _ = io.Copy(to, database)
		return
	}
	for answers := bufio.NewReaderSize(database, 64*1024); ; {
		answer, err := readRequest(answers) // its frame is that of a request
		if err != nil {
			return
		}

		asked := pending.Load()
		if asked.operation != "" {
			p.cfg.Measure(asked.authorization, asked.operation, capacity.Of(asked.operation, asked.body(), answer.body()))
		}
		if _, err := to.Write(answer.whole); err != nil {
			return
		}
	}
}

// answered tells that a request was answered.
func (p *Proxy) answered(r *request) {
	if r.operation != "" && p.cfg.Answered != nil {
		p.cfg.Answered(r.operation, r.body())
	}
}

func denial(err error) []byte {
	return failure("400 Bad Request", "com.amazon.coral.service#AccessDeniedException", err.Error())
}

// failure is an answer as DynamoDB gives it.
func failure(status, kind, message string) []byte {
	body, _ := json.Marshal(map[string]string{"__type": kind, "Message": message}) // two texts
	return fmt.Appendf(
		nil, "HTTP/1.1 %s\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\n\r\n%s", status, len(body),
		body,
	)
}

// readRequest reads one request. A chunked one is an error: the SDK sends none.
func readRequest(from *bufio.Reader) (*request, error) {
	r := &request{whole: make([]byte, 0, 2048)}
	length := 0
	for {
		line, err := from.ReadSlice('\n')
		if err != nil {
			return nil, err
		}

		r.whole = append(r.whole, line...)
		// A line of CR LF alone ends the head.
		if len(line) <= 2 {
			break
		}
		if len(r.whole) > maxHead {
			return nil, bufio.ErrBufferFull
		}

		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case equalFold(name, "content-length"):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil || length < 0 || length > maxBody {
				return nil, fmt.Errorf("content length %s", value)
			}
		case equalFold(name, "transfer-encoding"):
			return nil, errors.New("a chunked request")
		case equalFold(name, "x-amz-target"):
			r.operation = operationName(string(bytes.TrimSpace(value)))
		case equalFold(name, "authorization"):
			r.authorization = string(value)
		}
	}

	r.head = len(r.whole)
	r.whole = append(r.whole, make([]byte, length)...)
	_, err := io.ReadFull(from, r.whole[r.head:])
	return r, err
}

func equalFold(name []byte, want string) bool {
	return len(name) == len(want) && strings.EqualFold(string(name), want)
}

func operationName(target string) string {
	version, operation, _ := strings.Cut(target, ".")
	if strings.HasPrefix(version, "DynamoDBStreams") {
		return "Streams." + operation
	}
	return operation
}
