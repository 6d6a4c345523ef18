// Command replay sends one event of events/ to its program and prints the program's response:
//
//	go run ./infra/replay events/apigateway/04-run-function.json
//
// The command starts a separate local cloud in a temporary directory, with a new demo application. It replaces the
// placeholders in double braces and calls the program through the Lambda Invoke API. The response goes to standard
// output. For events without a waiting caller (queues, streams, schedules), the effects are printed too. Queues and
// schedules are stopped, so only the event invokes the program.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := execute(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func execute(ctx context.Context, args []string, out, terminal io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: go run ./infra/replay <event file>")
	}
	tmpl, err := readTemplate()
	if err != nil {
		return err
	}
	r, err := prepare(tmpl, args[0])
	if err != nil {
		return err
	}

	dir, err := os.MkdirTemp("", "replay")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(terminal, "building the programs")
	cfg, err := config(dir)
	if err != nil {
		return err
	}
	return r.play(ctx, cfg, out, terminal)
}

// readTemplate reads the template of the repository.
func readTemplate() (*template.Template, error) {
	root, err := ddb.Root()
	if err != nil {
		return nil, err
	}
	return template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
}

// config builds all programs, because the invoked one may call others. It returns the configuration of a cloud on a
// data directory in which only the event invokes a program.
func config(dir string) (cloud.Config, error) {
	cfg, err := cloudtest.Config(dir)
	cfg.StoppedClock, cfg.HeldQueues, cfg.NoWindow = true, true, true
	return cfg, err
}

// replay is an event and its receiver.
type replay struct {
	event    []byte // with its placeholders
	receiver *template.Function
}

// waits reports whether a caller waits for the response; the effects of other events are printed.
func (r *replay) waits() bool { return len(r.receiver.Routes) > 0 || r.receiver.PerTenant }

// prepare reads an event file and finds the function that receives the event.
func prepare(tmpl *template.Template, file string) (*replay, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if source, err = given(source); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	receiver, err := receiverOf(tmpl, source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &replay{event: withTable(source, receiver), receiver: receiver}, nil
}

// given returns an event without its member "expect", which is for tests only.
func given(source []byte) ([]byte, error) {
	var event map[string]json.RawMessage
	if err := json.Unmarshal(source, &event); err != nil {
		return nil, err
	}
	delete(event, "expect")
	return json.Marshal(event)
}

// play plays the event in a local cloud of its own, whose data directory may already have the demo application.
func (r *replay) play(ctx context.Context, cfg cloud.Config, out, terminal io.Writer) error {
	cfg.Terminal = terminal
	local, err := cloud.Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer local.Stop()
	return r.playIn(ctx, local, local.Credentials, out, terminal)
}

// playIn sends the event to its program as an event of an application.
func (r *replay) playIn(
	ctx context.Context, local *cloud.Cloud, application cloud.Credentials, out, terminal io.Writer,
) error {
	c := &client{cloud: local, credentials: application, event: r.event, began: time.Now()}
	if err := c.plantTriggers(ctx, r.receiver.Program); err != nil {
		return err
	}
	if r.receiver.Program == "paymentnotify" {
		if err := c.agree(ctx); err != nil {
			return err
		}
	}
	event, err := fill(r.event, func(name string) (string, error) { return c.value(ctx, name) })
	if err != nil {
		return err
	}

	// The counts begin after the preparation and its stream records, so that they include only the program's own calls.
	if !r.waits() {
		if err := local.Drain(ctx); err != nil {
			return err
		}
	}
	before, begun := local.Stats(), time.Now()
	answer, failed, err := c.invoke(ctx, r.receiver, event)
	if err != nil {
		return err
	}

	fmt.Fprintf(terminal, "functions/%s, answered in %d ms:\n", r.receiver.Program, time.Since(begun).Milliseconds())
	if failed {
		return fmt.Errorf("the program failed: %s", answer)
	}
	if err := show(out, answer); err != nil || r.waits() {
		return err
	}

	if err := showDeeds(out, before, local.Stats()); err != nil {
		return err
	}
	return c.showFired(ctx, out, r.receiver.Program)
}

// showDeeds prints the program's service calls: the differences between two snapshots.
func showDeeds(out io.Writer, before, after stats.Snapshot) error {
	for _, group := range []struct {
		name        string
		was, counts map[string]int64
	}{
		{"dynamodb", before.DynamoDB, after.DynamoDB}, {"sqs", before.SQS, after.SQS},
		{"kms", before.KMS, after.KMS}, {"invoke", before.Invoke, after.Invoke},
	} {
		for _, operation := range sorted(group.counts) {
			if n := group.counts[operation] - group.was[operation]; n > 0 {
				if _, err := fmt.Fprintf(out, "%s %s: %d\n", group.name, operation, n); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// show prints a response: status, headers and body of an HTTP program, otherwise the JSON itself.
func show(out io.Writer, answer []byte) error {
	var http struct {
		Status  int               `json:"statusCode"`
		Headers map[string]string `json:"headers"`
		Cookies []string          `json:"cookies"`
		Body    string            `json:"body"`
	}
	if err := json.Unmarshal(answer, &http); err == nil && http.Status != 0 {
		fmt.Fprintln(out, http.Status)
		for _, name := range sorted(http.Headers) {
			fmt.Fprintf(out, "%s: %s\n", name, http.Headers[name])
		}

		for _, cookie := range http.Cookies {
			fmt.Fprintf(out, "Set-Cookie: %s\n", cookie)
		}

		fmt.Fprintln(out)
		answer = []byte(http.Body)
	}

	var pretty bytes.Buffer
	// A body need not be JSON: pages and errors of the gateway are text.
	if err := json.Indent(&pretty, answer, "", "  "); err != nil {
		pretty.Reset()
		pretty.Write(answer)
	}
	if pretty.Len() > 0 {
		pretty.WriteByte('\n')
	}

	_, err := out.Write(pretty.Bytes())
	return err
}
