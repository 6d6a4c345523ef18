// Package ddb runs the DynamoDB of the local cloud: one dynoxide process on a loopback port, with its data in one
// SQLite file.
//
//	engine.Find ──► Start ──► CreateTables ──► Client / URL ──► Stop
//
// A new file is a copy of empty.db, whose index keeps writes from scanning all stream records.
package ddb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/child"
	"minicloud/shared/dynamo/call"
)

// Region is the AWS region that all local services report.
const Region = "us-east-1"

// Config is the configuration of the database.
type Config struct {
	Binary string    // path of dynoxide, see engine.Find
	Path   string    // database file; created if missing
	Log    io.Writer // receives the output of the process; nil discards it
}

// Server is a running database.
type Server struct {
	URL  string // http://127.0.0.1:port
	path string
	cfg  Config
	port int

	mu      sync.Mutex
	process *child.Process // nil for Elsewhere
	stopped bool
}

var errPortTaken = errors.New("port taken")

// Start starts the database and waits until it accepts requests, typically 5 ms. Its error names the file and the
// remedy.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if err := prepare(cfg.Path); err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		s, err := start(ctx, cfg)
		// Another process has taken the free port in the meantime.
		if errors.Is(err, errPortTaken) && attempt < 5 {
			continue
		}
		if err != nil {
			return nil, trouble(cfg.Path, err)
		}
		return s, nil
	}
}

func start(ctx context.Context, cfg Config) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	process, err := launch(ctx, cfg, port)
	if err != nil {
		return nil, err
	}
	return &Server{URL: "http://127.0.0.1:" +
		strconv.Itoa(port), path: cfg.Path, cfg: cfg, port: port, process: process}, nil
}

// launch starts the process and waits until it accepts requests.
func launch(ctx context.Context, cfg Config, port int) (*child.Process, error) {
	output, input := io.Pipe()
	cmd := exec.Command(cfg.Binary, "--host", "127.0.0.1", "--port", strconv.Itoa(port), "--db-path", cfg.Path)
	cmd.Env = []string{}
	cmd.Stdout, cmd.Stderr = input, input
	process, err := child.Start(cmd)
	if err != nil {
		return nil, err
	}

	// Without the close, follow would wait forever for output of an ended process.
	go func() {
		<-process.Done()
		input.Close()
	}()
	ready := make(chan string, 1)
	go follow(output, cfg.Log, ready)
	select {
	case line := <-ready:
		if line == "" {
			return process, nil
		}
		process.Stop(0)
		if strings.Contains(line, "in use") {
			return nil, errPortTaken
		}
		return nil, errors.New(line)
	case <-ctx.Done():
		process.Stop(0)
		return nil, ctx.Err()
	case <-time.After(10 * time.Second):
		process.Stop(0)
		return nil, errors.New("does not answer after 10 s")
	}
}

// follow copies the output to log. It sends "" to ready once the process listens, or the last line if the process ends
// before.
func follow(output io.Reader, log io.Writer, ready chan<- string) {
	last, told := "ended without output", false
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if strings.Contains(lines.Text(), "listening on") && !told {
			ready <- ""
			told = true
		}
		if text := strings.TrimSpace(lines.Text()); text != "" {
			last = text
		}
		if log != nil {
			fmt.Fprintln(log, lines.Text())
		}
	}

	if !told {
		ready <- last
	}

	// The scanner stops at a line that is too long; an unread pipe would block the process.
	_, _ = io.Copy(io.Discard, output)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Elsewhere returns the database at url, such as DynamoDB Local, which this process neither starts nor stops.
func Elsewhere(url string) *Server { return &Server{URL: strings.TrimSuffix(url, "/")} }

// Stop ends the database. Acknowledged writes are in the file.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.process != nil {
		s.process.Stop(2 * time.Second)
	}
}

// Client returns a client of this database.
func (s *Server) Client() *dynamodb.Client { return NewClient(s.URL) }

// NewClient returns a client of the database at url. Its calls are as cheap as those of the programs, but it has the
// SDK's retries.
func NewClient(url string) *dynamodb.Client {
	return dynamodb.NewFromConfig(SDK(url), func(o *dynamodb.Options) {
		o.HTTPClient, o.HTTPSignerV4 = call.NewClient(0), new(call.Signer)
		o.APIOptions = append(o.APIOptions, call.Trim)
	})
}

// SDK returns the configuration of clients of the local services at url.
func SDK(url string) aws.Config {
	return aws.Config{
		Region: Region, BaseEndpoint: &url,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
}
