// Package sandboxes opens the Lambda functions that run user code.
package sandboxes

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"minicloud/shared/aws/remote"
	"minicloud/shared/dynamo/call"
	"minicloud/shared/program/backend"
)

// Open returns a runner that calls the sandbox functions of both plans.
func Open(b *backend.Backend) *remote.Runner {
	return remote.New(b.Config, b.String("SANDBOX_FREE_FUNCTION"), b.String("SANDBOX_PERSONAL_FUNCTION"),
		func(o *lambda.Options) {
			if b.Config.HTTPClient == nil { // the simulation has one
				o.HTTPClient = call.NewClient(0)
			}
			o.HTTPSignerV4 = new(call.Signer)
			o.APIOptions = append(o.APIOptions, call.Trim)
		})
}
