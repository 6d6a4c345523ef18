package scenario_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"minicloud/infra/scenario"
)

// logged returns the log lines of a request by file, once the access log and the program have theirs.
func logged(t *testing.T, c stage, id string) map[string][]map[string]any {
	t.Helper()
	for deadline := time.Now().Add(scenario.Patience); ; time.Sleep(5 * time.Millisecond) {
		lines := map[string][]map[string]any{}
		files, err := filepath.Glob(filepath.Join(c.DataDir(), "logs", "*.log"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				var fields map[string]any
				if bytes.Contains(line, []byte(id)) && json.Unmarshal(line, &fields) == nil {
					name := strings.TrimSuffix(filepath.Base(path), ".log")
					lines[name] = append(lines[name], fields)
				}
			}
		}
		if len(lines["access"]) > 0 && len(lines["CloudfunctionFunction"]) > 0 {
			return lines
		}
		if time.Now().After(deadline) {
			t.Fatalf("of the request %s the logs have %v", id, lines)
		}
	}
}

// logsOfARequest: the id that the caller gets is in the access log and in the program's lines, those name the trace of
// X-Ray, and a request has one line in each.
func logsOfARequest(t *testing.T, c stage) {
	const root = "1-67891233-abcdef012345678912345678"
	r, err := http.NewRequest("GET", c.URL+"/oserve/v1.3/cloud-function/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amzn-Trace-Id", "Root="+root)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	lines := logged(t, c, resp.Header.Get("X-Request-Id"))
	line := lines["CloudfunctionFunction"][0]
	if line["request_id"] != resp.Header.Get("X-Request-Id") || line["xray"] != root || line["timestamp"] == nil {
		t.Errorf("the program's line is %v", line)
	}
	if access := lines["access"][0]; access["request_id"] != line["request_id"] || access["status"] != 401.0 ||
		access["route"] != "ANY /oserve/v1.3/{proxy+}" {
		t.Errorf("the access log has %v", access)
	}

	owner := c.owner(t)
	upload(t, owner, "hello", "exports.main = async () => 1")
	run := owner.ask(t, "POST", "/oserve/v1.3/cloud-function/hello/job/", `{"data":{}}`)
	if run.status != http.StatusOK {
		t.Fatalf("run: %d %s", run.status, run.body)
	}
	lines = logged(t, c, run.header.Get("X-Request-Id"))
	if len(lines) != 2 || len(lines["access"]) != 1 || len(lines["CloudfunctionFunction"]) != 1 {
		t.Errorf("a synchronous run has the lines %v, want one of the gateway and one of the program", lines)
	}
}
