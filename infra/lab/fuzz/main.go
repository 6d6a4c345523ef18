// Command fuzz sends requests that nobody thought of to a local cloud: schemathesis makes them from the description of
// the API, as one of two tenants, and what is answered must be as described.
//
//	make fuzz CASES=20000 SEED=1
//
// Some requests name things of the tenant that sends them, some of the other one (hooks.py): everything of the other
// holds a word that no answer may hold, and afterwards the other has everything as it was. Some are sent by
// administrators of the sender, in their console and with console tokens: none does what is above their role.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/ddb"
	"minicloud/shared/httpapi/openapi"
)

func main() {
	var o options
	flag.StringVar(&o.schemathesis, "schemathesis", "schemathesis", "the program")
	flag.IntVar(&o.cases, "cases", 20000, "how many random requests, beside those that follow from the description")
	flag.IntVar(&o.seed, "seed", 1, "repeats a run")
	flag.StringVar(&o.only, "only", "", "an operationId, or how paths begin: only these")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

type options struct {
	schemathesis string
	cases, seed  int
	only         string
}

func run(ctx context.Context, o options) (told error) {
	dir, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cfg, err := cloudtest.Config(filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	c, err := cloud.Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() {
		c.Stop()
		told = errors.Join(told, cloudtest.Denied())
	}()

	client := ddb.NewClient(c.Database)
	sender, other, err := tenants(ctx, c, client)
	if err != nil {
		return err
	}
	people, err := newAdministrators(ctx, client, sender, other)
	if err != nil {
		return err
	}
	defer people.Close()

	// Read before and after: whatever changes for the other tenant crossed the border between tenants.
	before, err := people.everything(ctx, other)
	if err != nil {
		return err
	}
	told = errors.Join(o.send(ctx, c, dir, sender, other), people.audited(ctx))
	after, err := people.everything(ctx, other)
	if err != nil {
		return err
	}
	for path, was := range before {
		if after[path] != was {
			told = errors.Join(told, fmt.Errorf("%s of the other tenant was\n  %s\nand is\n  %s", path, was, after[path]))
		}
	}
	return told
}

// send runs schemathesis against the cloud.
func (o options) send(ctx context.Context, c *cloud.Cloud, dir string, sender, other *tenant) error {
	estates, err := json.Marshal(map[string]any{"own": sender, "other": other})
	if err != nil {
		return err
	}
	document := filepath.Join(dir, "openapi.json")
	if err := os.WriteFile(document, openapi.Document, 0o644); err != nil {
		return err
	}

	here := filepath.Join(c.Root(), "infra", "lab", "fuzz")
	arguments := []string{
		"--config-file", filepath.Join(here, "schemathesis.toml"), "run", document,
		"--url", c.URL, "--seed", strconv.Itoa(o.seed), "--workers", "2",
		"--phases", "coverage,fuzzing", "--max-examples", strconv.Itoa(o.perOperation()),
		"--suppress-health-check", "all", "--request-timeout", "60",
		"--continue-on-failure", "--warnings", "off", "--no-shrink",
	}
	if strings.HasPrefix(o.only, "/") {
		arguments = append(arguments, "--include-path-regex", "^"+regexp.QuoteMeta(o.only))
	} else if o.only != "" {
		arguments = append(arguments, "--include-operation-id", o.only)
	}
	command := exec.CommandContext(ctx, o.schemathesis, arguments...)
	// Schemathesis writes caches into its working directory.
	command.Dir = dir
	command.Env = append(os.Environ(), "SCHEMATHESIS_HOOKS=hooks", "PYTHONPATH="+here,
		"FUZZ_ESTATES="+string(estates), "PYTHONDONTWRITEBYTECODE=1")
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

// perOperation shares the random cases among the operations. Schemathesis first tries about 200 cases for each,
// derived from the description, such as every limit and the values just beyond it.
func (o options) perOperation() int {
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	operations := 0
	if json.Unmarshal(openapi.Document, &document) == nil {
		for path, item := range document.Paths {
			if o.only == "" || strings.HasPrefix(path, o.only) {
				operations += len(item)
			}
		}
	}
	return max(o.cases/max(operations, 1), 1)
}
