// Package startup measures how long the local cloud and each program take to
// start. `make build` prints how large the programs are.
package startup

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/template"
	"minicloud/shared/sandbox"
)

const rounds = 7

// Run prints the figures of start.
func Run(ctx context.Context, r measure.Report) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	begun := time.Now()
	cfg, err := cloudtest.Config(ctx, dir)
	if err != nil {
		return err
	}

	cfg.StoppedClock = true // nothing else starts beside what is timed
	r.Row("programs built (warm when all is cached)", fmt.Sprintf("%.2f s", time.Since(begun).Seconds()), "", "")
	if err := start(ctx, r, cfg); err != nil {
		return err
	}

	c, err := cloud.Start(ctx, cfg)
	if err != nil {
		return err
	}

	functions := c.Template.Functions
	c.Stop()
	for _, f := range functions {
		if err := firstAnswer(ctx, r, cfg, f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}

	return nil
}

// start times a cloud from nothing to ready; the first start, which makes the
// tables and seeds, stands by itself.
func start(ctx context.Context, r measure.Report, cfg cloud.Config) error {
	once := func() error {
		c, err := cloud.Start(ctx, cfg)
		if err == nil {
			c.Stop()
		}
		return err
	}
	first, err := measure.Times(0, 1, once)
	if err != nil {
		return err
	}

	r.Series("local cloud ready, first start", first, "≤ 300 ms")
	again, err := measure.Times(0, rounds, once)
	if err != nil {
		return err
	}

	r.Series("local cloud ready and stopped, later starts", again, "≤ 300 ms")

	return nil
}

// request is an event that each HTTP program answers without much work: what
// remains is its start.
const request = `{"version":"2.0","rawPath":"/nothing/","headers":{},"requestContext":{"domainName":"localhost","requestId":"bench","http":{"method":"GET","path":"/nothing/","sourceIp":"127.0.0.1"}}}`

// trivialRun is the same for the sandbox: the smallest function.
func trivialRun() (string, error) {
	var code bytes.Buffer
	zip := gzip.NewWriter(&code)
	if _, err := io.WriteString(zip, "exports.main = async () => 1"); err != nil {
		return "", err
	}
	if err := zip.Close(); err != nil {
		return "", err
	}
	text, err := json.Marshal(sandbox.Request{
		Op: sandbox.OpRun, Function: "one", Code: code.Bytes(), Digest: "bench",
		Event: json.RawMessage(`{}`), TimeoutMS: 5000, MemoryMB: 128,
	})
	return string(text), err
}

// firstAnswer times the first invocation of a program, a new cloud each time,
// beside one that finds it warm.
func firstAnswer(ctx context.Context, r measure.Report, cfg cloud.Config, f *template.Function) error {
	probe := request
	if f.PerTenant {
		var err error
		if probe, err = trivialRun(); err != nil {
			return err
		}
	} else if len(f.Routes) == 0 {
		return nil
	}

	var cold, warm measure.Series
	for range rounds {
		c, err := cloud.Start(ctx, cfg)
		if err != nil {
			return err
		}

		s, err := measure.Times(0, 2, func() error { return invoke(ctx, c.Services, f, probe) })
		c.Stop()
		if err != nil {
			return err
		}

		cold, warm = append(cold, s[0]), append(warm, s[1])
	}

	r.Series(f.ID+", start to first answer", cold, "≤ 30 ms")
	r.Series(f.ID+", the next answer", warm, "")
	return nil
}

func invoke(ctx context.Context, services string, f *template.Function, event string) error {
	req, err := http.NewRequestWithContext(
		ctx, http.MethodPost, services+"/2015-03-31/functions/"+f.Name+"/invocations", strings.NewReader(event),
	)
	if err != nil {
		return err
	}
	if f.PerTenant {
		req.Header.Set("X-Amz-Tenant-Id", "1.production")
	}

	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || resp.Header.Get("X-Amz-Function-Error") != "") {
		err = fmt.Errorf("status %d: %.300s", resp.StatusCode, answer)
	}

	return err
}
