package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/template"
	"minicloud/infra/seed/demo"
)

func TestOptions(t *testing.T) {
	t.Setenv("PORT", "9000")
	t.Setenv("DATA_DIR", "elsewhere")
	t.Setenv("ALLOW_PRIVATE_TARGETS", "1")
	var said bytes.Buffer
	o, err := read([]string{"-only-build", "-parameter", "Stage=prod", "-parameter", "LogLevel=DEBUG"}, &said)
	if err != nil {
		t.Fatal(err)
	}
	if !o.onlyBuild || o.cloud.Port != 9000 || o.cloud.AWSPort != 9001 || o.cloud.FilesPort != 9002 || o.cloud.DataDir != "elsewhere" ||
		o.cloud.Parameters["Stage"] != "prod" ||
		o.cloud.Parameters["LogLevel"] != "DEBUG" || o.cloud.Environment["ALLOW_PRIVATE_TARGETS"] != "1" {
		t.Errorf("%+v", o)
	}
}

func TestDefaults(t *testing.T) {
	for _, name := range []string{"PORT", "AWS_PORT", "FILES_PORT", "AWS_BIND", "DATA_DIR", "ALLOW_PRIVATE_TARGETS"} {
		t.Setenv(name, "")
	}
	o, err := read(nil, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if o.cloud.Port != 8080 || o.cloud.AWSPort != 8081 || o.cloud.FilesPort != 8082 || o.cloud.AWSBind != "127.0.0.1" ||
		o.cloud.DataDir != filepath.Join(o.cloud.Root, ".local") || o.cloud.Environment != nil {
		t.Errorf("%+v", o)
	}
}

func TestReportsWrongSettings(t *testing.T) {
	t.Setenv("PORT", "eighty")
	if _, err := read(nil, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), `PORT is "eighty"`) {
		t.Errorf("PORT: %v", err)
	}
	var said bytes.Buffer
	if _, err := read([]string{"-help"}, &said); !errors.Is(err, flag.ErrHelp) ||
		!strings.Contains(said.String(), "DATA_DIR") {
		t.Errorf("-help: %v, %s", err, said.String())
	}
	if _, err := read([]string{"-parameter", "x"}, &said); err == nil ||
		!strings.Contains(err.Error(), "want Name=Value") {
		t.Errorf("a parameter without value: %v", err)
	}
}

// TestSecondRunBuildsNothing: a second run must not replace the programs that the first local cloud runs.
func TestSecondRunBuildsNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DATA_DIR", dir)
	t.Setenv("PORT", "0")
	first, err := cloud.Claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Release()
	want := fmt.Sprintf(
		"another local cloud (process %d) uses %s: stop it, or choose another folder with DATA_DIR", os.Getpid(), dir,
	)
	for _, args := range [][]string{nil, {"-only-build"}} {
		var said bytes.Buffer
		if err := run(t.Context(), args, &said, &said); err == nil || err.Error() != want {
			t.Errorf("run %v: %v, want %s", args, err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "bin")); !errors.Is(err, fs.ErrNotExist) || said.Len() > 0 {
			t.Errorf("run %v built: %v, %s", args, err, said.String())
		}
	}
}

func TestNextStepNamesCredentials(t *testing.T) {
	c := &cloud.Cloud{
		URL: "http://127.0.0.1:1",
		Credentials: cloud.Credentials{
			Credentials: demo.Credentials{ClientID: "the-id", ClientSecret: "the-secret"},
		},
	}
	step := nextStep(c)
	for _, want := range []string{
		"client_id=the-id", "client_secret=the-secret", "http://127.0.0.1:1/api/oauth2/access_token/",
	} {
		if !strings.Contains(step, want) {
			t.Errorf("no %s in %s", want, step)
		}
	}
	if got := nextStep(&cloud.Cloud{}); got != "" {
		t.Errorf("without a demo application: %q", got)
	}
}

func TestReportsWhatOnlyAWSHas(t *testing.T) {
	got := elsewhere([]template.Elsewhere{
		{ID: "A", Type: "AWS::CloudWatch::Alarm"}, {ID: "L", Type: "AWS::Logs::LogGroup"},
		{ID: "B", Type: "AWS::CloudWatch::Alarm"},
	})
	if want := "only AWS has: 2 AWS::CloudWatch::Alarm, 1 AWS::Logs::LogGroup, throttling\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := elsewhere(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestProgressIsRareWithoutTerminal(t *testing.T) {
	var said bytes.Buffer
	now := time.Unix(0, 0)
	report, done := progress(&said, func() time.Time { return now })
	for second := range 40 {
		report(fmt.Sprintf("%d s", second))
		now = now.Add(time.Second)
	}
	done()
	if said.String() != "15 s\n30 s\n" {
		t.Errorf("said %q", said.String())
	}
}
