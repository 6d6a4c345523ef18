package cloud

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
)

// Credentials is the content of credentials.json: what a client of the demo
// application needs. Console fields are empty until there is a console.
type Credentials struct {
	BaseURL string `json:"base_url"`
	demo.Credentials
	ConsoleURL      string `json:"console_url"`
	ConsolePassword string `json:"console_password"`
}

// seed makes the demo application, or finds it again with the secrets kept in
// credentials.json, and keeps them there.
func (c *Cloud) seed(ctx context.Context) error {
	tables := map[string]string{}
	for _, t := range c.Template.Tables {
		tables[t.ID] = t.Name
	}
	if tables["ApplicationsTable"] == "" {
		return nil // a template of a test
	}
	path := filepath.Join(c.cfg.DataDir, "credentials.json")
	var earlier Credentials
	if kept, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(kept, &earlier) // unreadable is as good as none
	}
	planted, err := demo.Seed{
		Client: c.database.Client(), ApplicationsTable: tables["ApplicationsTable"],
		FunctionsTable: tables["FunctionsTable"], Clock: clock.System,
	}.Plant(ctx, earlier.Credentials)
	if err != nil {
		return err
	}
	c.Credentials = Credentials{BaseURL: c.URL, Credentials: planted}
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
