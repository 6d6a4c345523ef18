package process

import (
	"testing"

	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

func TestPassesSandboxSuite(t *testing.T) {
	sandboxtest.Run(t, sandboxtest.PerTenant(func() sandbox.Runner { return newSupervisor(t) }))
}
