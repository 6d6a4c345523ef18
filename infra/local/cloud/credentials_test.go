package cloud_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/cloud"
	"minicloud/infra/seed/demo"
)

// planted starts and stops a cloud on dir, and reports whether the seeder created a new application.
func planted(t *testing.T, dir string, failure error) (again bool, err error) {
	t.Helper()
	cfg := config(t, dir)
	cfg.Seed = func(ctx context.Context, client *dynamodb.Client, earlier cloud.Credentials) (cloud.Credentials, error) {
		if earlier.ClientID != "" {
			return earlier, nil
		}
		again = true
		_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("ItemsTable"), Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "application"}, "sk": &types.AttributeValueMemberS{Value: "x"},
		}})
		made := cloud.Credentials{Credentials: demo.Credentials{ClientID: "id", ClientSecret: "secret"}}
		return made, errors.Join(err, failure)
	}
	c, err := cloud.Start(t.Context(), cfg)
	if err == nil {
		c.Stop()
	}
	return again, err
}

// TestReportsLostFiles: lost credentials and keys are not created again while data depends on them.
func TestReportsLostFiles(t *testing.T) {
	tests := []struct{ name, file, content, want string }{
		{"credentials missing", "credentials.json", "", "credentials.json is missing"},
		{
			"credentials cut", "credentials.json", `{"client_id":"id`,
			"credentials.json is broken (unexpected end of JSON input)",
		},
		{"credentials of nobody", "credentials.json", `{}`, "credentials.json is broken (there is no client_id in it)"},
		{"keys missing", "keys.json", "", "keys.json is missing"},
		{"keys cut", "keys.json", `{"Key":"AA`, "keys.json is broken (unexpected end of JSON input)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if again, err := planted(t, dir, nil); !again || err != nil {
				t.Fatal(again, err)
			}
			path := filepath.Join(dir, tt.file)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if tt.content != "" {
				if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			again, err := planted(t, dir, nil)
			want := []string{filepath.Join(dir, tt.want), "restore it from a copy, or delete the folder " + dir}
			for _, text := range want {
				if err == nil || again || !strings.Contains(err.Error(), text) {
					t.Errorf("%v, %v; want an error with %q", again, err, text)
				}
			}
			if after, _ := os.ReadFile(path); string(after) != tt.content {
				t.Errorf("%s is %q now", tt.file, after)
			}
			if err := os.WriteFile(path, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			if again, err := planted(t, dir, nil); again || err != nil {
				t.Errorf("restored: %v, %v", again, err)
			}
		})
	}
}

var errKilled = errors.New("killed")

// TestInterruptedFirstStartBeginsAgain: the next start creates new credentials, because the first were never stored.
func TestInterruptedFirstStartBeginsAgain(t *testing.T) {
	dir := t.TempDir()
	if again, err := planted(t, dir, errKilled); !again || !errors.Is(err, errKilled) {
		t.Fatal(again, err)
	}
	if again, err := planted(t, dir, nil); !again || err != nil {
		t.Fatal(again, err)
	}
	if err := os.Remove(filepath.Join(dir, "credentials.json")); err != nil {
		t.Fatal(err)
	}
	if again, err := planted(t, dir, nil); again || err == nil || !strings.Contains(err.Error(), "credentials.json") {
		t.Errorf("begun again after a whole start: %v, %v", again, err)
	}
}
