package call

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxIdle is the maximum number of idle connections, and idleTime how long one is used again: as long as the SDK
	// does.
	maxIdle  = 16
	idleTime = 90 * time.Second
)

// Pool is an HTTP client for calls that may be repeated, as all calls of DynamoDB here. It writes and reads in the
// goroutine of the caller; net/http passes each exchange through three, which takes a quarter of the processor time of
// a call. It keeps bodies in memory.
//
// A connection that the service has closed, or that was lost while Lambda had frozen the program, fails at its next use.
// The exchange is then repeated on a new connection, and all idle ones are dropped.
type Pool struct {
	Timeout time.Duration // of an exchange
	// Secure is the configuration of TLS, without the name of the server.
	Secure *tls.Config

	mu   sync.Mutex
	idle []*connection // the last one was used last
	base atomic.Pointer[base]
}

// NewPool returns a pool without connections. timeout limits each exchange.
func NewPool(timeout time.Duration) *Pool {
	return &Pool{Timeout: timeout, Secure: &tls.Config{
		MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(maxIdle),
	}}
}

// connection is a connection to one service.
type connection struct {
	net.Conn
	to    base
	in    *bufio.Reader
	used  time.Time // the wall clock, which goes on while Lambda has frozen the program
	again bool      // it has been used before
}

// base is the scheme and the host of a service.
type base struct{ scheme, host string }

// Do sends a request and returns the response with its body in memory.
func (p *Pool) Do(r *http.Request) (answer *http.Response, err error) {
	var message bytes.Buffer
	if err := r.Write(&message); err != nil {
		return nil, err
	}
	to := base{r.URL.Scheme, r.URL.Host}
	err = p.exchange(r.Context(), to, message.Bytes(), func(in *bufio.Reader) (keep bool, err error) {
		if answer, err = http.ReadResponse(in, r); err != nil {
			return false, err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		answer.Body = io.NopCloser(bytes.NewReader(body))
		return !answer.Close, err
	})
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusOK {
		p.base.Store(&to)
	}
	return answer, nil
}

// exchange writes a request and has its response read.
func (p *Pool) exchange(
	ctx context.Context, to base, message []byte, read func(*bufio.Reader) (keep bool, err error),
) error {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	for {
		c, err := p.connect(ctx, to)
		if err != nil {
			return err
		}
		// It fails for a closed connection, which nobody reads.
		stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
		keep, answered := false, false
		if err = c.send(message); err == nil {
			answered = true
			keep, err = read(c.in)
		}
		// The function of stop may still set the deadline, and bytes that are left belong to no request.
		if stop() && keep && err == nil && c.in.Buffered() == 0 {
			p.put(c)
			return nil
		}
		c.Close()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case answered || !c.again:
			return err
		}
		p.Close()
	}
}

// send writes a request and waits for the first byte of the response.
func (c *connection) send(message []byte) error {
	if _, err := c.Write(message); err != nil {
		return err
	}
	_, err := c.in.Peek(1)
	return err
}

// connect returns an idle connection, or a new one.
func (p *Pool) connect(ctx context.Context, to base) (*connection, error) {
	if c := p.take(to); c != nil {
		return c, nil
	}
	address := to.host
	if _, _, err := net.SplitHostPort(address); err != nil {
		address = net.JoinHostPort(address, map[string]string{"http": "80", "https": "443"}[to.scheme])
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if to.scheme == "https" {
		secure := p.Secure.Clone()
		secure.ServerName, _, _ = net.SplitHostPort(address)
		client := tls.Client(conn, secure)
		if err := client.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		conn = client
	}
	return &connection{Conn: conn, to: to, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

// take returns an idle connection, nil if there is none.
func (p *Pool) take(to base) *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		c := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if c.to == to && time.Since(c.used) < idleTime {
			c.again = true
			return c
		}
		c.Close()
	}
	return nil
}

func (p *Pool) put(c *connection) {
	c.used = time.Now().Round(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle = append(p.idle, c); len(p.idle) > maxIdle {
		p.idle[0].Close()
		p.idle = p.idle[1:]
	}
}

// Close closes the idle connections.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle {
		c.Close()
	}
	p.idle = nil
}
