// Command local serves the whole platform on this machine, without an AWS account:
//
//	go run ./infra/local            build the programs, serve until Ctrl-C
//	go run ./infra/local -only-build    only build each program, as for Lambda
//
// It reads template.yaml and the environment variables PORT (8080), AWS_PORT (PORT + 1), FILES_PORT (AWS_PORT + 1),
// AWS_BIND (127.0.0.1), DATA_DIR (.local), DYNAMODB_BIN, SES_SANDBOX, ALLOW_PRIVATE_TARGETS and UNKIND.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/compile"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/seeder"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/shared/program/env"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	syscall.Umask(0o077) // keys, credentials and logs: readable only by their owner
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case ctx.Err() != nil: // Ctrl-C before the cloud was ready
		fmt.Fprintln(os.Stderr, "stopped before it was ready")
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var usage = `Serves minicloud on this machine until Ctrl-C.

  -only-build               build each program as for Lambda, in DATA_DIR/build, and stop
  -parameter Name=Value     a parameter of template.yaml, may be repeated

Environment:
  PORT                      of the HTTP API, on loopback (8080)
  AWS_PORT                  of the AWS APIs (PORT + 1)
  FILES_PORT                of the files of end users, on loopback (AWS_PORT + 1)
  AWS_BIND                  the address these are bound to (127.0.0.1); whoever reaches them has all data
  DATA_DIR                  where everything is kept (.local)
  DYNAMODB_BIN              another dynoxide than that of infra/node_modules
  AWS_ENDPOINT_URL_DYNAMODB another DynamoDB than dynoxide
  SES_SANDBOX               1 refuses mails to addresses that are not verified, as a new account does
  ALLOW_PRIVATE_TARGETS     1 lets functions and webhooks call this machine
  UNKIND                    what AWS does and a laptop does not: all, or some of these, each with or without =number;
                            /_local/stats counts how often each struck
` + indented(unkind.Usage())

func indented(lines string) string { return strings.ReplaceAll("  "+lines, "\n  ", "\n    ") }

// options holds the values of the flags and the environment variables.
type options struct {
	onlyBuild bool
	cloud     cloud.Config
}

func read(args []string, errors io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	flags.SetOutput(errors)
	flags.Usage = func() { fmt.Fprint(errors, usage) }
	// The flags have no help texts: usage describes them.
	flags.BoolVar(&o.onlyBuild, "only-build", false, "")
	// With these the template has all its alarms; nobody gets a mail.
	o.cloud.Parameters = map[string]string{
		"AlarmEmail": "alarms@example.com", "SendsMessages": "yes", "NewUsersPerHour": "0",
	}
	flags.Func("parameter", "", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return fmt.Errorf("want Name=Value")
		}
		o.cloud.Parameters[name] = value
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}

	root, err := ddb.Root()
	if err != nil {
		return o, err
	}

	var r env.Reader
	o.cloud.Root = root
	o.cloud.Port = r.Int("PORT", 8080)
	o.cloud.AWSBind = r.Default("AWS_BIND", "127.0.0.1")
	o.cloud.AWSPort = r.Int("AWS_PORT", nextPort(o.cloud.Port))
	o.cloud.FilesPort = r.Int("FILES_PORT", nextPort(o.cloud.AWSPort))
	o.cloud.DataDir = r.Default("DATA_DIR", filepath.Join(root, ".local"))
	if o.cloud.Unkind, err = unkind.Parse(r.Default("UNKIND", "")); err != nil {
		return o, err
	}
	o.cloud.MailSandbox = r.Default("SES_SANDBOX", "") == "1"
	if targets := r.Default("ALLOW_PRIVATE_TARGETS", ""); targets != "" {
		o.cloud.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": targets}
	}

	return o, r.Err()
}

// nextPort returns the default of the next port, or 0, any free port, if port is 0 or the last port.
func nextPort(port int) int {
	if port == 0 || port == 65535 {
		return 0
	}
	return port + 1
}

func run(ctx context.Context, args []string, out, terminal io.Writer) error {
	begun := time.Now()
	o, err := read(args, terminal)
	if err != nil {
		return err
	}

	// Claim before the build: another local cloud on this folder runs the programs that a build would replace.
	lock, err := cloud.Claim(o.cloud.DataDir)
	if err != nil {
		return err
	}
	defer lock.Release()
	if o.onlyBuild {
		return build(ctx, o.cloud, compile.Each, "build", terminal)
	}
	if err := cloud.Check(o.cloud); err != nil {
		return err
	}
	if err := build(ctx, o.cloud, compile.Programs, "bin", terminal); err != nil {
		return err
	}

	built := time.Now()
	o.cloud.Terminal, o.cloud.Seed, o.cloud.Lock = terminal, seeder.Demo, lock
	c, err := cloud.Start(ctx, o.cloud)
	if err != nil {
		return err
	}
	defer c.Stop()
	fmt.Fprintf(
		terminal, "built in %.2f s, started in %d ms\n", built.Sub(begun).Seconds(), time.Since(built).Milliseconds(),
	)
	fmt.Fprint(terminal, elsewhere(c.Template.Elsewhere), services(c, o.cloud.AWSBind), nextStep(c))
	fmt.Fprintln(out, "ready", c.URL)
	select {
	case <-ctx.Done():
		fmt.Fprintln(terminal, "stopping")
		return nil
	case err := <-c.Failed():
		return err
	}
}

// builder is compile.Programs or compile.Each.
type builder func(ctx context.Context, root, dir string, programs []string, report func(line string)) error

// build builds every program of the template into a folder of the data directory.
func build(ctx context.Context, cfg cloud.Config, compile builder, folder string, terminal io.Writer) error {
	t, err := template.ReadFile(filepath.Join(cfg.Root, "template.yaml"), template.Options{Parameters: cfg.Parameters})
	if err != nil {
		return err
	}
	fmt.Fprintln(terminal, "building the programs")
	report, done := progress(terminal, time.Now)
	defer done()
	return compile(ctx, cfg.Root, filepath.Join(cfg.DataDir, folder), t.Programs(), report)
}

// quietly is the interval of progress lines on an output that is not a terminal.
const quietly = 15 * time.Second

// progress shows the last reported line: on a terminal it replaces the one before, elsewhere it prints one every 15 s.
// done clears the line on a terminal.
func progress(out io.Writer, now func() time.Time) (report func(line string), done func()) {
	if live(out) {
		return func(line string) { fmt.Fprintf(out, "\r\033[K%s", line) }, func() { fmt.Fprint(out, "\r\033[K") }
	}

	last := now()
	return func(line string) {
		if now().Sub(last) >= quietly {
			last = now()
			fmt.Fprintln(out, line)
		}
	}, func() {}
}

// live reports whether out is a terminal.
func live(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	about, err := file.Stat()
	return err == nil && about.Mode()&os.ModeCharDevice != 0
}

// elsewhere returns a line that lists the template's resources which only AWS has, or "" if there are none.
func elsewhere(resources []template.Elsewhere) string {
	counts := map[string]int{}
	for _, r := range resources {
		counts[r.Type]++
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[kind], kind))
	}
	if len(parts) == 0 {
		return ""
	}
	return "only AWS has: " + strings.Join(parts, ", ") + ", throttling\n"
}

// services returns the address of the AWS APIs for other tools, with a warning if other machines can reach it.
func services(c *cloud.Cloud, bind string) string {
	said := "AWS APIs for other tools: AWS_ENDPOINT_URL=" + c.Services + "\n"
	if ip := net.ParseIP(bind); ip != nil && !ip.IsLoopback() {
		said += "AWS_BIND=" + bind + ": whoever reaches this address may do everything with the data\n"
	}
	return said
}

// nextStep returns shell commands to paste: get a code, exchange it for a token, run a function.
func nextStep(c *cloud.Cloud) string {
	if c.Credentials.ClientID == "" {
		return ""
	}
	return `
The credentials of the demo application are in ` + filepath.Join(relative(c), "credentials.json") + `. Try:

CODE=$(curl -sL ` + c.URL + `/api/oauth2/service/openapi/authorize/ \
  -d client_id=` + c.Credentials.ClientID + ` -d client_secret=` + c.Credentials.ClientSecret + ` | grep -o '[0-9a-f]\{40\}')
TOKEN=$(curl -s ` + c.URL + `/api/oauth2/access_token/ -d grant_type=authorization_code -d code=$CODE \
  -d client_id=` + c.Credentials.ClientID + ` -d client_secret=` + c.Credentials.ClientSecret + ` | grep -o '"access_token":"[^"]*' | cut -d'"' -f4)
curl -s ` + c.URL + `/oserve/v1.3/cloud-function/hello/job/ -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' -d '{"data":{"name":"` + strconv.Itoa(time.Now().Year()) + `"}}'

`
}

func relative(c *cloud.Cloud) string {
	here, _ := os.Getwd() // nothing is relative to ""
	if path, err := filepath.Rel(here, c.DataDir()); err == nil && !strings.HasPrefix(path, "..") {
		return path
	}
	return c.DataDir()
}
