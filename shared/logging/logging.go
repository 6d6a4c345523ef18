// Package logging sets up the programs' structured logs: one JSON object per
// line on standard output, which is what CloudWatch indexes.
package logging

import (
	"context"
	"io"
	"log/slog"

	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

type requestKey struct{}

// WithRequest returns ctx carrying the id of the request or message being
// served; every log line under it has it as "request_id".
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestID returns the id WithRequest put into ctx, "" when there is none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// New returns a logger that writes JSON lines to w, at the level of that name
// ("debug", "info", "warn", "error"; anything else is info), with the request
// id, the trace where it is another, and the scope of the context added to each line.
func New(w io.Writer, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo
	}
	return slog.New(handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: l})})
}

type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if id := RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	if l := trace.FromContext(ctx); l.ID != "" && l.ID != RequestID(ctx) {
		r.AddAttrs(slog.String("trace", l.ID))
	}
	if s, ok := tenant.FromContext(ctx); ok {
		r.AddAttrs(slog.Int64("miniapp", int64(s.App)), slog.String("env", string(s.Env)))
	}
	return h.Handler.Handle(ctx, r)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
