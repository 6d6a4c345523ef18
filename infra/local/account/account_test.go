package account

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minicloud/infra/local/cloud"
)

func TestOpensTheRunningLocalCloud(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DATA_DIR", dir)
	t.Setenv("ROWS_TABLE", "")
	if _, _, err := Open(t.Context(), "ROWS_TABLE"); err == nil || !strings.Contains(err.Error(), "make run") {
		t.Errorf("without a local cloud: %v", err)
	}

	programs := `{"TableFunction":{"ROWS_TABLE":"Rows","AWS_ENDPOINT_URL":"http://host.docker.internal:8081"}}`
	if err := os.WriteFile(filepath.Join(dir, cloud.SAMFile), []byte(programs), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, names, err := Open(t.Context(), "ROWS_TABLE")
	if err != nil || names["ROWS_TABLE"] != "Rows" || *cfg.BaseEndpoint != "http://127.0.0.1:8081" {
		t.Errorf("names %v, at %v: %v", names, cfg.BaseEndpoint, err)
	}
}

// A tool that took one table from AWS and another from the local cloud would correct one by the other.
func TestRefusesSomeVariablesWithoutTheOthers(t *testing.T) {
	t.Setenv("ROWS_TABLE", "stack-RowsTable")
	t.Setenv("COUNTS_TABLE", "")
	if _, _, err := Open(t.Context(), "ROWS_TABLE", "COUNTS_TABLE"); err == nil || !strings.Contains(err.Error(), "set all of") {
		t.Errorf("one of two is set: %v", err)
	}
}
