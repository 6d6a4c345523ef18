package ddb

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// maxHead bounds a request's head, bytes.
const maxHead = 64 * 1024

// Proxy stands between programs and the database and counts their operations.
// Each connection has one of its own to the database: answers are copied
// without being looked at, requests only as far as their head.
type Proxy struct {
	URL      string
	backend  string
	count    func(operation string)
	listener net.Listener

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

// NewProxy serves the database on a port of its own. count gets the name of
// each operation: "GetItem", for streams "Streams.GetRecords".
func NewProxy(s *Server, count func(operation string)) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		URL: "http://" + listener.Addr().String(), backend: strings.TrimPrefix(s.URL, "http://"),
		count: count, listener: listener, open: map[net.Conn]struct{}{},
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
	go func() {
		_, _ = io.Copy(client, database)
		client.Close() // ends the loop below
	}()
	requests := bufio.NewReaderSize(client, 16*1024)
	for p.forward(requests, database) == nil {
	}
}

// forward passes one request on and counts it.
func (p *Proxy) forward(from *bufio.Reader, to io.Writer) error {
	head, length, operation, err := readHead(from)
	if err != nil {
		return err
	}
	if operation != "" {
		p.count(operation)
	}
	if length < 0 { // chunked: nothing the SDK does; pass it on unseen
		if _, err := to.Write(head); err != nil {
			return err
		}
		_, err = io.Copy(to, from)
		if err == nil {
			err = io.EOF
		}
		return err
	}
	// Head and the part of the body that is already here in one write.
	here, _ := from.Peek(min(length, from.Buffered()))
	if _, err := to.Write(append(head, here...)); err != nil {
		return err
	}
	_, _ = from.Discard(len(here))
	_, err = io.CopyN(to, from, int64(length-len(here)))
	return err
}

// readHead reads the lines up to the empty one; length is that of the body, -1
// when it is chunked.
func readHead(from *bufio.Reader) (head []byte, length int, operation string, err error) {
	for {
		line, err := from.ReadSlice('\n')
		if err != nil {
			return nil, 0, "", err
		}
		head = append(head, line...)
		if len(line) <= 2 {
			return head, length, operation, nil
		}
		if len(head) > maxHead {
			return nil, 0, "", bufio.ErrBufferFull
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case equalFold(name, "content-length"):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return nil, 0, "", err
			}
		case equalFold(name, "transfer-encoding"):
			length = -1
		case equalFold(name, "x-amz-target"):
			operation = operationName(string(bytes.TrimSpace(value)))
		}
	}
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
