package dynamo

import (
	"minicloud/shared/retry"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// TestEveryClientHasOurPatience guards against a client that falls back to the
// SDK's retries, which do not know of colliding transactions.
func TestEveryClientHasOurPatience(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-west-1")
	opened, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]struct {
		aws.Retryer
		client any
	}{
		"Open": {opened.Options().Retryer, opened.Options().HTTPClient},
		"New":  {New(aws.Config{Region: "eu-west-1"}).Options().Retryer, New(aws.Config{}).Options().HTTPClient},
	} {
		if got := o.MaxAttempts(); got != retry.Calls.Tries {
			t.Errorf("%s: %d attempts, want %d", name, got, retry.Calls.Tries)
		}
		if c, ok := o.client.(*http.BuildableClient); !ok || c.GetTimeout() != callTimeout {
			t.Errorf("%s: HTTP client %T without our timeout", name, o.client)
		}
	}
}
