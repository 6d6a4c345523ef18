// Package server creates the HTTP servers of the local cloud, which close connections that clients hold open without
// using them.
//
//	header    10 s
//	body      30 s, and another second for every 8 KB received
//	idle       2 min, longer than the SDK keeps an unused connection
//
// Responses have no time limit: runs may take minutes, and long polls wait.
package server

import (
	"cmp"
	"io"
	"net/http"
	"time"
)

// Limits are the time limits for a client. A zero field means its default.
type Limits struct {
	Header time.Duration // from the first byte to the end of the header
	Body   time.Duration // for the body, before the time earned by Rate
	Rate   int           // received bytes that add a second to Body
	Idle   time.Duration // between two requests
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Header: cmp.Or(l.Header, 10*time.Second),
		Body:   cmp.Or(l.Body, 30*time.Second),
		Rate:   cmp.Or(l.Rate, 8*1024),
		Idle:   cmp.Or(l.Idle, 2*time.Minute),
	}
}

// New returns a server for the handler. If a body arrives too slowly, reading it returns os.ErrDeadlineExceeded.
func New(handler http.Handler, limits Limits) *http.Server {
	limits = limits.withDefaults()
	return &http.Server{
		Handler: bounded(handler, limits), ReadHeaderTimeout: limits.Header, IdleTimeout: limits.Idle,
	}
}

// bounded limits only the time for the body. ReadTimeout of http.Server would also cover the handler and end requests
// with slow responses.
func bounded(handler http.Handler, limits Limits) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			b := &body{ReadCloser: r.Body, limits: limits, connection: http.NewResponseController(w), begun: time.Now()}
			b.extend() // even if the handler does not read the body, because the server reads it
			r.Body = b
		}
		handler.ServeHTTP(w, r)
	})
}

// body is a request body that extends the read deadline of its connection while data arrives.
type body struct {
	io.ReadCloser
	limits     Limits
	connection *http.ResponseController
	begun      time.Time
	read       int64
}

// Read reads from the body, and removes the deadline at its end.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	switch {
	case err == io.EOF:
		_ = b.connection.SetReadDeadline(time.Time{})
	case n > 0:
		b.extend()
	}
	return n, err
}

// extend sets the deadline; it ignores the error of test connections without deadlines.
func (b *body) extend() {
	earned := time.Duration(b.read) * time.Second / time.Duration(b.limits.Rate)
	_ = b.connection.SetReadDeadline(b.begun.Add(b.limits.Body + earned))
}
