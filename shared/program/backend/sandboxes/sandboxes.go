// Package sandboxes opens the Lambda functions that run user code.
package sandboxes

import (
	"minicloud/shared/aws/remote"
	"minicloud/shared/program/backend"
)

// Open returns a runner that calls the sandbox functions of both plans.
func Open(b *backend.Backend) *remote.Runner {
	return remote.New(b.Config, b.String("SANDBOX_FREE_FUNCTION"), b.String("SANDBOX_PERSONAL_FUNCTION"))
}
