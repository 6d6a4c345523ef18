// Command probe is a program for tests of the local cloud; its payload controls what it does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type request struct {
	Do      string          `json:"do"`
	Value   json.RawMessage `json:"value,omitempty"`
	MS      int             `json:"ms,omitempty"`
	RawPath string          `json:"rawPath,omitempty"` // set by the gateway
	Body    string          `json:"body,omitempty"`
}

var calls int

func main() {
	if os.Getenv("BROKEN_INIT") != "" {
		fmt.Println("panic: broken on purpose")
		os.Exit(3)
	}
	if os.Getenv("ONE_ANSWER") != "" {
		answer()
		time.Sleep(50 * time.Millisecond)
		os.Exit(0)
	}
	if pause, err := time.ParseDuration(os.Getenv("SLOW_NEXT")); err == nil {
		for {
			answer()
			time.Sleep(pause)
		}
	}
	lambda.Start(handle)
}

// answer responds to one invocation with the process ID and does not ask for another.
func answer() {
	api := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/invocation/"
	work, err := http.Get(api + "next")
	if err != nil {
		os.Exit(1)
	}
	id := work.Header.Get("Lambda-Runtime-Aws-Request-Id")
	body := strings.NewReader(fmt.Sprintf(`{"pid":%d}`, os.Getpid()))
	if _, err := http.Post(api+id+"/response", "application/json", body); err != nil {
		os.Exit(1)
	}
}

func handle(ctx context.Context, raw json.RawMessage) (any, error) {
	var req request
	if err := json.Unmarshal(raw, &req); err != nil {
		return nil, err
	}
	if req.RawPath != "" {
		return web(req, raw)
	}
	calls++
	switch req.Do {
	case "fail":
		return nil, errors.New("failed on purpose")
	case "exit":
		os.Exit(7)
	case "panic":
		panic("on purpose")
	case "count":
		go count()
	case "burn":
		burn(time.Duration(req.MS) * time.Millisecond)
	case "sleep":
		time.Sleep(time.Duration(req.MS) * time.Millisecond)
	case "big":
		return strings.Repeat("x", req.MS), nil
	case "env":
		return os.Environ(), nil
	}
	about, _ := lambdacontext.FromContext(ctx)
	deadline, _ := ctx.Deadline()
	return map[string]any{
		"pid": os.Getpid(), "calls": calls, "value": req.Value, "tenant": about.TenantID,
		"left_ms": time.Until(deadline).Milliseconds(), "function": lambdacontext.FunctionName,
		"counted": counted.Load(),
	}, nil
}

// counted is how many milliseconds count has counted.
var counted atomic.Int64

// count is work that goes on when an invocation has ended.
func count() {
	for {
		time.Sleep(time.Millisecond)
		counted.Add(1)
	}
}

// burn uses so much processor time.
func burn(d time.Duration) {
	var before, now syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before) // fails for no process that is its own
	used := func(r syscall.Rusage) time.Duration { return time.Duration(r.Utime.Nano() + r.Stime.Nano()) }
	for used(now)-used(before) < d {
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &now)
	}
}

// web responds to the gateway with the event itself, or as the body says.
func web(req request, raw json.RawMessage) (any, error) {
	if strings.HasPrefix(req.Body, "answer ") {
		return json.RawMessage(strings.TrimPrefix(req.Body, "answer ")), nil
	}
	if req.Body == "fail" {
		return nil, errors.New("failed on purpose")
	}
	if req.Body == "sleep" {
		time.Sleep(2 * time.Second)
	}
	return map[string]any{"statusCode": 200, "headers": map[string]string{"content-type": "application/json"}, "body": string(raw)}, nil
}
