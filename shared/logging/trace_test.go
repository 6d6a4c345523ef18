package logging_test

import (
	"bytes"
	"strings"
	"testing"

	"minicloud/shared/logging"
	"minicloud/shared/trace"
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
