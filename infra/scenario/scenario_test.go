package scenario_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/ddb"
	"minicloud/infra/scenario"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/id"
)

// TestScenarios plays every story of testdata against a local cloud, or
// against the platform that BASE_URL names: then SCENARIO_CREDENTIALS is a
// JSON object with client_id, client_secret, test_env, other_client_id and
// other_client_secret.
func TestScenarios(t *testing.T) {
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
			player := &scenario.Player{BaseURL: base, Known: map[string]string{"run": id.Hex(4)}, Log: t.Logf}
			for name, value := range known {
				player.Known[name] = value
			}
			if err := player.Play(t.Context(), steps); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
}

// local starts a local cloud with a second application beside the demo one.
func local(t *testing.T) (base string, known map[string]string) {
	c := cloudtest.Start(t, func(cfg *cloud.Config) { cfg.Terminal = os.Stderr })
	other, err := demo.Seed{
		Client: database(c), ApplicationsTable: tableName(t, c, "ApplicationsTable"), Clock: clock.System, Name: "other",
	}.Plant(t.Context(), demo.Credentials{})
	if err != nil {
		t.Fatal(err)
	}
	return c.URL, map[string]string{
		"client_id": c.Credentials.ClientID, "client_secret": c.Credentials.ClientSecret,
		"test_env":        string(c.Credentials.Environments["test"]),
		"other_client_id": other.ClientID, "other_client_secret": other.ClientSecret,
	}
}

func database(c *cloud.Cloud) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(c.Database), Region: ddb.Region,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

func tableName(t *testing.T, c *cloud.Cloud, logicalID string) string {
	t.Helper()
	for _, table := range c.Template.Tables {
		if table.ID == logicalID {
			return table.Name
		}
	}
	t.Fatalf("template.yaml has no %s", logicalID)
	return ""
}
