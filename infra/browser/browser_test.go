package browser

import (
	"flag"
	"strings"
	"testing"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
)

var (
	all  = flag.Bool("all", false, "play every story, not only the short ones")
	only = flag.String("only", "", "play these stories alone, separated by commas")
)

// short are the stories of every test run: signing in, the cost of a page, and one story through all features.
var short = []string{"sign-in", "speed", "first-day"}

func TestStories(t *testing.T) {
	stories := short
	switch {
	case *only != "":
		stories = strings.Split(*only, ",")
	case *all:
		stories = nil
	}
	Play(t, func() *cloud.Cloud {
		return cloudtest.Start(t, func(cfg *cloud.Config) {
			cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // receivers are on loopback
		})
	}, stories...)
}
