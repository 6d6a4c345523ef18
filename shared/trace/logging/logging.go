// Package logging sets up the programs' structured logs: one JSON object per
// line on standard output, which is what CloudWatch indexes.
package logging

import (
	"context"
	"io"
	"log/slog"
	"strings"

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
// id, the trace where it is another, X-Ray's trace if it records one, and the scope of the context added to each line.
func New(w io.Writer, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo
	}
	return slog.New(handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: l, ReplaceAttr: nameTimestamp})})
}

// nameTimestamp renames the time of a line: Lambda filters lines by their level only if they have a "timestamp", and
// takes all others for info.
func nameTimestamp(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		a.Key = "timestamp"
	}
	return a
}

// Buckets is the number of values of Bucket.
const Buckets = 15

// Bucket returns the bucket of an application, 0 to Buckets-1. Metrics of log lines have it as their dimension, because
// each value of a dimension is a metric that costs, and there is no limit to the number of applications.
func Bucket(app int64) int64 { return app % Buckets }

// traceKey is the context key under which aws-lambda-go stores the header X-Amzn-Trace-Id.
const traceKey = "x-amzn-trace-id"

// sampledTrace returns the root of the trace that X-Ray records for the invocation, "" if it records none.
func sampledTrace(ctx context.Context) string {
	header, _ := ctx.Value(traceKey).(string)
	if !strings.Contains(header, "Sampled=1") {
		return ""
	}
	_, root, _ := strings.Cut(header, "Root=")
	root, _, _ = strings.Cut(root, ";")
	return root
}

type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if id := RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	if root := sampledTrace(ctx); root != "" {
		r.AddAttrs(slog.String("xray", root))
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
