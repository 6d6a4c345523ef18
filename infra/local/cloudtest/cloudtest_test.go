package cloudtest_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
)

// recorder is a fake testing.TB that records errors and cleanups.
type recorder struct {
	testing.TB
	cleanups []func()
	errors   string
}

func (r *recorder) Cleanup(f func())  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Error(args ...any) { r.errors += fmt.Sprintln(args...) }

func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

// TestDeniedCallFailsTest: a call denied by a program's own policies fails a test that checks nothing else.
func TestDeniedCallFailsTest(t *testing.T) {
	for _, granted := range []bool{true, false} {
		watched := &recorder{TB: t}
		c := cloudtest.Start(watched, func(cfg *cloud.Config) {
			if granted {
				return
			}
			text, err := os.ReadFile(filepath.Join(cfg.Root, "template.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			cfg.Template = filepath.Join(t.TempDir(), "template.yaml")
			without := strings.ReplaceAll(string(text), "- dynamodb:GetItem\n", "- dynamodb:Scan\n")
			if err := os.WriteFile(cfg.Template, []byte(without), 0o600); err != nil {
				t.Fatal(err)
			}
		})
		client := fmt.Sprintf(`{"client_id":%q,"client_secret":%q}`, c.Credentials.ClientID, c.Credentials.ClientSecret)
		answer, err := http.Post(c.URL+"/api/oauth2/service/openapi/authorize/", "application/json", strings.NewReader(client))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		watched.end()
		told := strings.Contains(watched.errors, "not authorized to perform: dynamodb:GetItem") &&
			strings.Contains(watched.errors, "OauthFunction")
		if told == granted {
			t.Errorf("granted %v: status %d, the test was told %q", granted, answer.StatusCode, watched.errors)
		}
	}
}
