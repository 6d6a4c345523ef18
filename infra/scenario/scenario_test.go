package scenario_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/scenario"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// TestScenarios plays every story of testdata against a local cloud, or against the platform at BASE_URL. Then
// SCENARIO_CREDENTIALS is a JSON object with miniapp, client_id, client_secret, test_env, other_client_id,
// other_client_secret and rejected_function, the name of a function of the application that an audit rejected.
func TestScenarios(t *testing.T) {
	t.Parallel() // it has its own cloud
	base, known := os.Getenv("BASE_URL"), map[string]string{}
	if base == "" {
		base, known = local(t)
	} else if err := json.Unmarshal([]byte(os.Getenv("SCENARIO_CREDENTIALS")), &known); err != nil {
		t.Fatalf("SCENARIO_CREDENTIALS: %v", err)
	}
	stories, err := filepath.Glob("testdata/*.http")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".http"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := scenario.Parse(string(text))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			player := &scenario.Player{BaseURL: base, Known: words(), Log: t.Logf, Description: described(t)}
			for name, value := range known {
				player.Known[name] = value
			}
			if err := player.Play(t.Context(), steps); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
}

// words returns the values for every story: run, which is unique; times in Unix seconds relative to the start; texts
// of a given size.
func words() map[string]string {
	known, now := map[string]string{"run": id.Hex(4)}, time.Now()
	for _, name := range []string{"old_phone", "new_phone"} { // a number gets one message a minute
		known[name] = fmt.Sprintf("138%08d", rand.IntN(100_000_000))
	}
	for name, size := range map[string]int{"text_5k": 5 << 10, "text_300k": 300 << 10, "text_4200k": 4200 << 10,
		"text_5200k": 5200 << 10, "text_7m": 7 << 20} {
		known[name] = strings.Repeat("x", size)
	}
	for name, ahead := range map[string]time.Duration{
		"an_hour_ago": -time.Hour, "soon": 3 * time.Second, "in_an_hour": time.Hour, "in_31_days": 31 * 24 * time.Hour,
	} {
		known[name] = strconv.FormatInt(now.Add(ahead).Unix(), 10)
	}
	for name, minutes := range map[string]time.Duration{"in_two_minutes": 2, "in_four_minutes": 4} {
		known[name] = now.Add(minutes * time.Minute).UTC().Format(time.RFC3339)
	}
	// The same minute every day, in the default time zone of triggers.
	daily := now.Add(2 * time.Minute).In(time.FixedZone("Asia/Shanghai", 8*60*60))
	known["daily_in_two_minutes"] = fmt.Sprintf("%d %d * * *", daily.Minute(), daily.Hour())
	return known
}

// local starts a local cloud with a second application beside the demo application.
func local(t *testing.T) (base string, known map[string]string) {
	c := start(t, func(cfg *cloud.Config) { cfg.Terminal = os.Stderr })
	other := c.anew(t).Credentials
	return c.URL, map[string]string{
		"miniapp":   strconv.FormatInt(int64(c.Credentials.Miniapp), 10),
		"client_id": c.Credentials.ClientID, "client_secret": c.Credentials.ClientSecret,
		"test_env":        string(c.Credentials.Environments["test"]),
		"other_client_id": other.ClientID, "other_client_secret": other.ClientSecret,
		"rejected_function": rejected(t, c),
	}
}

// rejected creates a function of the demo application with a rejected audit, directly in the store: audits are not
// part of the API.
func rejected(t *testing.T, c stage) string {
	t.Helper()
	store := &functiondb.Functions{Client: database(c), Table: "FunctionsTable"}
	service := &cloudfunction.Service{Store: store, IDs: &id.Source{}, Clock: clock.System}
	scope := tenant.Scope{App: c.Credentials.Miniapp, Env: tenant.Production}
	f, err := service.Create(
		t.Context(), scope, "auditor", cloudfunction.New{Name: "unlawful", Code: "exports.main = async () => 'ran'"},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.SetAudit(t.Context(), scope, string(f.Name), cloudfunction.AuditRejected); err != nil {
		t.Fatal(err)
	}
	return string(f.Name)
}

func database(c stage) *dynamodb.Client { return ddb.NewClient(c.Database) }
