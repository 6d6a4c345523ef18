package backend

import (
	"context"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"minicloud/shared/program/env"
)

// config reads the AWS_* variables that Lambda and the local cloud set. The SDK's own loader also supports
// profiles, SSO and instance metadata, which no program uses; it adds a megabyte and a quarter of the build time to
// each program.
func config(r *env.Reader) aws.Config {
	cfg := aws.Config{
		Region: r.String("AWS_REGION"),
		Credentials: credentials.NewStaticCredentialsProvider(
			r.String("AWS_ACCESS_KEY_ID"), r.String("AWS_SECRET_ACCESS_KEY"), r.Default("AWS_SESSION_TOKEN", ""),
		),
		ConfigSources: []any{endpoints{}},
	}
	if url := r.Default("AWS_ENDPOINT_URL", ""); url != "" {
		cfg.BaseEndpoint = aws.String(url)
	}
	return cfg
}

// endpoints gives the SDK's clients the endpoint of a service, AWS_ENDPOINT_URL_<SERVICE>.
type endpoints struct{}

// GetServiceBaseEndpoint implements the SDK's ServiceBaseEndpointProvider; sdkID is a name such as "DynamoDB".
func (endpoints) GetServiceBaseEndpoint(_ context.Context, sdkID string) (url string, found bool, err error) {
	url = os.Getenv("AWS_ENDPOINT_URL_" + strings.ToUpper(strings.ReplaceAll(sdkID, " ", "_")))
	return url, url != "", nil
}
