package dynamo

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"minicloud/shared/dynamo/call"

	"minicloud/shared/retry"
)

// TestNewRetriesByOurPolicy guards against a client that uses the SDK's default retries, which do not retry transaction
// conflicts.
func TestNewRetriesByOurPolicy(t *testing.T) {
	o := New(aws.Config{Region: "eu-west-1"}).Options()
	if got := o.Retryer.MaxAttempts(); got != retry.Calls.Tries {
		t.Errorf("%d attempts, want %d", got, retry.Calls.Tries)
	}
	if c, ok := o.HTTPClient.(*call.Client); !ok || c.Timeout != callTimeout {
		t.Errorf("HTTP client %T without our timeout", o.HTTPClient)
	}
}
