// Package clients plays one story with two clients that third-party generators make from the API description: one in
// Go, one in TypeScript. `make clients` runs it: the generators are too slow for every test run.
package clients

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"minicloud/infra/local/cloudtest"
)

var play = flag.Bool("play", false, "generate the clients, compile them and play the story")

func TestClients(t *testing.T) {
	if !*play {
		t.Skip("make clients plays it")
	}
	c := cloudtest.Start(t)

	for _, client := range []struct {
		name, folder string
		commands     [][]string
	}{
		{"Go", "golang", [][]string{{"go", "generate", "."}, {"go", "run", "."}}},
		{"TypeScript", "typescript", [][]string{
			{"npx", "openapi-typescript", "../../../../shared/httpapi/openapi/openapi.json", "-o", "schema.d.ts"},
			{"npx", "tsc"}, {"node", "built/story.js"},
		}},
	} {
		t.Run(client.name, func(t *testing.T) {
			for _, arguments := range client.commands {
				cmd := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
				cmd.Dir = client.folder
				cmd.Env = append(os.Environ(), "BASE_URL="+c.URL,
					"CLIENT_ID="+c.Credentials.ClientID, "CLIENT_SECRET="+c.Credentials.ClientSecret)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", arguments, err, out)
				}
			}
		})
	}
}
