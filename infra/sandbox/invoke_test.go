//go:build !portable

package sandbox_test

import (
	"testing"

	"minicloud/infra/local/cloudtest"
	"minicloud/shared/sandbox"
)

// open returns the compiled program behind the Invoke API, as the platform uses it.
func open(t *testing.T) sandbox.Runner { return cloudtest.Sandbox(t) }
