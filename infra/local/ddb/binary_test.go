package ddb

import (
	"strings"
	"testing"
)

func TestWhatToDoWithoutTheEngine(t *testing.T) {
	for platform, want := range map[string]string{
		"linux/amd64":  "npm ci --prefix infra",
		"darwin/arm64": "not for darwin/arm64: set DYNAMODB_BIN",
	} {
		if found, err := installed(t.TempDir(), platform); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", platform, found, err)
		}
	}
	t.Setenv("DYNAMODB_BIN", "/no/such/program")
	if _, err := Binary(t.TempDir()); err == nil || !strings.Contains(err.Error(), "DYNAMODB_BIN=/no/such/program is not a program") {
		t.Errorf("a wrong DYNAMODB_BIN: %v", err)
	}
}
