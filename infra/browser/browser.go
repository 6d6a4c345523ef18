// Package browser plays the stories of functions/console/web/test in a real Chromium against a local cloud, as an
// administrator would: first login, a function, a trigger, a paid order. A story fails if the browser's console logs
// an error. axe-core checks each page in both themes. `make test` plays the stories in short, `make stories` all.
package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
)

// maxLine is the maximum length of the player's output lines, in bytes: a line lists every finding of a story.
const maxLine = 16 << 20

// result is one output line of the player.
type result struct {
	Story  string   `json:"story"`
	Millis int64    `json:"ms"`
	Errors []string `json:"errors"`
	Notes  []string `json:"notes"` // measurements
}

// Play plays the named stories against c, or all stories of the demo application if none is named. It calls start
// only if everything else is installed. If something is missing, such as Chromium, it reports that instead, and in CI
// it fails.
func Play(t *testing.T, start func() *cloud.Cloud, stories ...string) {
	t.Helper()
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}

	web := filepath.Join(root, "functions", "console", "web")
	chromium, missing := browser(web)
	if missing != "" {
		leaveOut(t, missing)
		return
	}

	c := start()
	player := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(web, "test", "play.mjs")}, stories...)...)
	player.Stderr = os.Stderr
	player.Env = append(os.Environ(), "BASE_URL="+c.URL, "CHROMIUM="+chromium,
		"CREDENTIALS="+filepath.Join(c.DataDir(), "credentials.json"),
		"SCREENSHOTS="+filepath.Join(root, ".local", "screenshots"))
	output, err := player.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := player.Start(); err != nil {
		t.Fatal(err)
	}

	played, lines := 0, bufio.NewScanner(output)
	lines.Buffer(nil, maxLine)
	for ; lines.Scan(); played++ {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("the player printed %q: %v", lines.Text(), err)
		}
		t.Run(r.Story, func(t *testing.T) { report(t, r) })
	}

	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if err := player.Wait(); err != nil {
		t.Errorf("the player: %v", err)
	}
	if played == 0 {
		t.Error("no story was played")
	}
}

func report(t *testing.T, r result) {
	t.Logf("%v", time.Duration(r.Millis)*time.Millisecond)
	for _, note := range r.Notes {
		t.Log(note)
	}
	for _, problem := range r.Errors {
		t.Error(problem)
	}
}

// browser returns the path of Chromium, or a description of what is missing.
func browser(web string) (path, missing string) {
	for _, needed := range []struct{ file, command string }{
		{"node_modules/playwright-core/package.json", "npm ci in functions/console/web"},
		{"dist/index.html", "make console"},
	} {
		if _, err := os.Stat(filepath.Join(web, needed.file)); err != nil {
			return "", fmt.Sprintf("functions/console/web/%s is missing: %s", needed.file, needed.command)
		}
	}

	if _, err := exec.LookPath("node"); err != nil {
		return "", "node is not installed"
	}

	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, ""
		}
	}
	return "", "Chromium is not installed"
}

// leaveOut skips the stories with the reason, in a subtest because the calling test may have other parts. In CI it
// fails.
func leaveOut(t *testing.T, missing string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("the console was not tested: %s", missing)
	}
	t.Run("in a browser", func(t *testing.T) { t.Skip(missing) })
}
