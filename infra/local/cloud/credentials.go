package cloud

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Credentials is the content of credentials.json: what a client of the demo
// application needs. Console fields are empty until there is a console.
type Credentials struct {
	BaseURL         string            `json:"base_url"`
	ClientID        string            `json:"client_id"`
	ClientSecret    string            `json:"client_secret"`
	Miniapp         int64             `json:"miniapp"`
	Environments    map[string]string `json:"environments"` // id by name
	ConsoleURL      string            `json:"console_url"`
	ConsolePassword string            `json:"console_password"`
}

// Seeder makes sure that the demo application is in the tables, whose names it
// gets by logical id. earlier is what it returned when it last ran on this data
// directory. Package seeder has the one there is.
type Seeder func(ctx context.Context, client *dynamodb.Client, tables map[string]string, earlier Credentials) (Credentials, error)

// seed runs the seeder and keeps the credentials: secrets can be seen only
// when they are made.
func (c *Cloud) seed(ctx context.Context) error {
	if c.cfg.Seed == nil {
		return nil
	}
	tables := map[string]string{}
	for _, t := range c.Template.Tables {
		tables[t.ID] = t.Name
	}
	path := filepath.Join(c.cfg.DataDir, "credentials.json")
	var earlier Credentials
	if kept, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(kept, &earlier) // unreadable is as good as none
	}
	var err error
	c.Credentials, err = c.cfg.Seed(ctx, c.database.Client(), tables, earlier)
	if err != nil {
		return err
	}
	c.Credentials.BaseURL = c.URL
	text, err := json.MarshalIndent(c.Credentials, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(path, append(text, '\n'))
}

// replaceFile writes a file that only its owner may read, whole or not at all.
func replaceFile(path string, content []byte) error {
	if err := os.WriteFile(path+".next", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".next", path)
}
