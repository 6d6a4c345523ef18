// Package server makes the HTTP servers of the local cloud, which end connections
// that somebody holds open without using them.
//
//	header    10 s
//	body      30 s, and a second more for every 8 KB that came
//	idle       2 min, longer than the SDK keeps a connection that it does not use
//
// The answer may take as long as it takes: runs of minutes and long polls are
// answered when they are.
package server

import (
	"cmp"
	"io"
	"net/http"
	"time"
)

// Limits bound the time a client may take. A zero field has its default.
type Limits struct {
	Header time.Duration // from the first byte to the end of the header
	Body   time.Duration // of a body that does not arrive
	Rate   int           // bytes a second that earn a body more time
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

// New returns a server for the handler. A body that arrives too slowly is an
// os.ErrDeadlineExceeded to who reads it.
func New(handler http.Handler, limits Limits) *http.Server {
	limits = limits.withDefaults()
	return &http.Server{
		Handler: bounded(handler, limits), ReadHeaderTimeout: limits.Header, IdleTimeout: limits.Idle,
	}
}

// bounded limits the time for the body alone. ReadTimeout of http.Server would go
// on after it, and end requests whose answer takes longer.
func bounded(handler http.Handler, limits Limits) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			b := &body{ReadCloser: r.Body, limits: limits, connection: http.NewResponseController(w), begun: time.Now()}
			b.extend() // also for a handler that does not read it: the server does
			r.Body = b
		}
		handler.ServeHTTP(w, r)
	})
}

// body moves the deadline of its connection on while it is read.
type body struct {
	io.ReadCloser
	limits     Limits
	connection *http.ResponseController
	begun      time.Time
	read       int64
}

// Read reads, and ends the time limit with the body.
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

// extend sets the deadline; a connection that has none in a test goes without.
func (b *body) extend() {
	earned := time.Duration(b.read) * time.Second / time.Duration(b.limits.Rate)
	_ = b.connection.SetReadDeadline(b.begun.Add(b.limits.Body + earned))
}
