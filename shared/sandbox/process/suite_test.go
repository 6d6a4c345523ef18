package process

import (
	"testing"

	"minicloud/shared/sandbox"
	"minicloud/shared/sandbox/sandboxtest"
)

func TestSuite(t *testing.T) {
	sandboxtest.Run(t, sandboxtest.PerTenant(func() sandbox.Runner { return newSupervisor(t) }))
}
