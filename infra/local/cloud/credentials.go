package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/disk"
	"minicloud/infra/seed/demo"
)

// Credentials is the content of credentials.json: the client credentials of the demo application and the console
// sign-in. The password is the one set when the account was created.
type Credentials struct {
	BaseURL string `json:"base_url"`
	demo.Credentials
	ConsoleURL      string `json:"console_url"`
	ConsoleEmail    string `json:"console_email"`
	ConsolePassword string `json:"console_password"`
}

// Seeder creates the demo application unless it exists. earlier is the result of its last run on this data directory;
// Seeder returns an error if the application exists and earlier does not match it. Package seeder implements it.
type Seeder func(ctx context.Context, client *dynamodb.Client, earlier Credentials) (Credentials, error)

// seed runs the seeder and stores the credentials: secrets are readable only when they are created.
func (c *Cloud) seed(ctx context.Context) error {
	if c.cfg.Seed == nil {
		return nil
	}
	path := filepath.Join(c.cfg.DataDir, "credentials.json")
	// The marker file exists while a first start has not stored its credentials. Data of an interrupted start may be
	// seeded again.
	unfinished := path + ".unfinished"
	earlier, err := c.earlier(path, unfinished)
	if err != nil {
		return err
	}
	if earlier.ClientID == "" {
		if err := os.WriteFile(unfinished, nil, 0o600); err != nil {
			return err
		}
	}

	c.Credentials, err = c.cfg.Seed(ctx, c.database.Client(), earlier)
	if err != nil {
		return fmt.Errorf("the demo application of %s: %w", path, err)
	}
	c.Credentials.BaseURL = c.URL
	if c.Credentials.ConsoleEmail != "" {
		c.Credentials.ConsoleURL = c.URL + "/console/"
	}
	if err := disk.ReplaceJSON(path, c.Credentials); err != nil {
		return err
	}
	if err := os.Remove(unfinished); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// earlier reads the stored credentials. They must exist if the tables hold data: new credentials would belong to a new
// application and could not open that data.
func (c *Cloud) earlier(path, unfinished string) (Credentials, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(unfinished); c.data && err != nil {
			return Credentials{}, fmt.Errorf(
				"%s is missing, and without it nobody can sign in to the data: %s", path, c.beginAnew(),
			)
		}
		return Credentials{}, nil
	}

	if err != nil {
		return Credentials{}, err
	}

	var kept Credentials
	err = json.Unmarshal(text, &kept)
	if err == nil && kept.ClientID == "" {
		err = errors.New("there is no client_id in it")
	}

	if err != nil && c.data {
		return Credentials{}, fmt.Errorf(
			"%s is broken (%w), and without it nobody can sign in to the data: %s", path, err, c.beginAnew(),
		)
	}

	if err != nil {
		return Credentials{}, nil // the tables are empty: nothing to open
	}

	return kept, nil
}

// beginAnew returns advice for the loss of a file that the data depends on.
func (c *Cloud) beginAnew() string {
	if elsewhere := os.Getenv("AWS_ENDPOINT_URL_DYNAMODB"); elsewhere != "" {
		return "restore it from a copy, or empty the database at " + elsewhere + " to begin again"
	}
	return "restore it from a copy, or delete the folder " + c.cfg.DataDir + " to begin again without the data"
}
