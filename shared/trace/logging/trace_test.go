package logging_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"minicloud/shared/trace"
	"minicloud/shared/trace/logging"
)

// A line names the trace where that is not the request's own.
func TestLinesNameTheTrace(t *testing.T) {
	for id, want := range map[string]string{"r-1": "", "": "", "r-0": `"trace":"r-0"`} {
		var out bytes.Buffer
		ctx := trace.NewContext(logging.WithRequest(t.Context(), "r-1"), trace.Link{ID: id, Cause: "5/6"})
		logging.New(&out, "info").InfoContext(ctx, "hello")
		if line := out.String(); !strings.Contains(line, want) || want == "" && strings.Contains(line, "trace") {
			t.Errorf("of trace %q: %s", id, line)
		}
	}
}

// A line names the trace of X-Ray where that records one.
func TestLinesNameSampledTraces(t *testing.T) {
	const root = "1-67891233-abcdef012345678912345678"
	for header, want := range map[string]bool{
		"Root=" + root + ";Parent=53995c3f42cd8ad8;Sampled=1": true,
		"Root=" + root + ";Parent=53995c3f42cd8ad8;Sampled=0": false,
		"": false,
	} {
		var out bytes.Buffer
		//lint:ignore SA1029 the key of aws-lambda-go
		ctx := context.WithValue(t.Context(), "x-amzn-trace-id", header)
		logging.New(&out, "info").InfoContext(ctx, "hello")
		if got := strings.Contains(out.String(), `"xray":"`+root+`"`); got != want {
			t.Errorf("of the header %q: %s", header, out.String())
		}
	}
}

// Lambda takes lines without a "timestamp" in RFC 3339 for info, whatever their level.
func TestLinesHaveATimestamp(t *testing.T) {
	var out bytes.Buffer
	logging.New(&out, "info").Error("hello", slog.Group("inner", "time", 1))
	var line struct {
		Timestamp time.Time
		Level     string
		Inner     struct{ Time int }
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || line.Timestamp.IsZero() || line.Level != "ERROR" ||
		line.Inner.Time != 1 {
		t.Errorf("%s: %v", out.String(), err)
	}
}
