// Command smoke tries a deployment from outside in about a minute, and deletes what it made: the main job, a trigger of
// each asynchronous kind, and the walls around functions. It prints each step in plain words, and stops at the first
// that fails.
//
//	make smoke BASE_URL=https://….amazonaws.com CLIENT_ID=… CLIENT_SECRET=… TEST_ENV=…
//
// The console shows an application's client id and secret when it is created, and the ids of its environments. Without
// CLIENT_ID it is the demo application that `make run` keeps in DATA_DIR. All happens in a test environment, where a
// paid order of 0.01 stays.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/local/cloud"
	"minicloud/infra/scenario"
	"minicloud/shared/id"
	"minicloud/shared/program/env"
)

//go:embed smoke.http
var story string

//go:embed walls.js
var walls string

// application is the one in whose test environment the story is played.
type application struct{ clientID, clientSecret, environment string }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var r env.Reader
	base, clientID, folder := r.String("BASE_URL"), r.Default("CLIENT_ID", ""), r.Default("DATA_DIR", ".local")
	a, err := demo(folder)
	if clientID != "" {
		a, err = application{clientID, r.String("CLIENT_SECRET"), r.String("TEST_ENV")}, nil
	}
	if err = cmp.Or(r.Err(), err); err == nil {
		err = smoke(ctx, os.Stdout, base, a)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		os.Exit(1)
	}
}

// demo is the demo application of a local cloud.
func demo(folder string) (application, error) {
	text, err := os.ReadFile(filepath.Join(folder, "credentials.json"))
	if err != nil {
		return application{}, fmt.Errorf("CLIENT_ID is not set, and there is no local cloud: %w", err)
	}
	var c cloud.Credentials
	if err := json.Unmarshal(text, &c); err != nil {
		return application{}, fmt.Errorf("%s/credentials.json: %w", folder, err)
	}
	return application{c.ClientID, c.ClientSecret, string(c.Environments["test"])}, nil
}

// smoke plays the story, and prints each step.
func smoke(ctx context.Context, out io.Writer, base string, a application) error {
	steps, err := scenario.Parse(story)
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "%s, in the test environment %s\n", base, a.environment)
	begun := time.Now()
	player := &scenario.Player{BaseURL: base, Known: words(a)}
	for i, step := range steps {
		before := time.Now()
		if err := player.Play(ctx, []scenario.Step{step}); err != nil {
			fmt.Fprintf(out, "FAILED %5.1f s  %s\n", time.Since(before).Seconds(), step.Title)
			tidy(context.WithoutCancel(ctx), player, steps[i+1:])
			return err // names the step
		}
		fmt.Fprintf(out, "ok     %5.1f s  %s\n", time.Since(before).Seconds(), step.Title)
	}
	fmt.Fprintf(out, "all %d steps in %.0f s; a paid order smoke%s of 0.01 stays\n", len(steps), time.Since(begun).Seconds(),
		player.Known["run"])
	return nil
}

// words are what the story may name from its beginning.
func words(a application) map[string]string {
	run, key := id.Hex(4), id.Hex(16)
	code, _ := json.Marshal(walls) // a text
	notification := client.Notification(key, map[string]string{
		"appid": "wx" + run, "mch_id": "m" + run, "out_trade_no": "smoke" + run, "total_fee": "1", "fee_type": "CNY",
		"return_code": "SUCCESS", "result_code": "SUCCESS", "trade_type": "JSAPI",
	})
	return map[string]string{
		"client_id": a.clientID, "client_secret": a.clientSecret, "env": a.environment, "run": run,
		"merchant_key": key, "notification": string(notification), "walls": string(code[1 : len(code)-1]),
	}
}

// keyRemoval is the title of the step that is no DELETE, and yet removes what the story made.
const keyRemoval = "remove the payment key"

// tidy deletes what the story made before it failed. A step about something that was not made yet names what is not
// known, and is no request.
func tidy(ctx context.Context, player *scenario.Player, rest []scenario.Step) {
	for _, step := range rest {
		// A payment key that was there before is somebody else's.
		_, ours := player.Known["key_set"]
		if step.Method == http.MethodDelete || step.Title == keyRemoval && ours {
			_ = player.Play(ctx, []scenario.Step{step}) // the failure that is told is the first
		}
	}
}
