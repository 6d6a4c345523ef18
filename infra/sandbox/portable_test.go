//go:build portable

package sandbox_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"minicloud/shared/runtime/process"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

func TestMain(m *testing.M) {
	if process.IsChild() {
		process.ChildMain()
	}
	os.Exit(m.Run())
}

// open returns process supervisors, one per tenant: the compiled program has the walls of this system.
func open(t *testing.T) sandbox.Runner {
	return &perTenant{open: func() sandbox.Runner {
		s := &process.Supervisor{}
		t.Cleanup(s.Close)
		return s
	}}
}

// perTenant is a sandbox.Runner that opens one runner per tenant.
type perTenant struct {
	open    func() sandbox.Runner
	mu      sync.Mutex
	runners map[tenant.Scope]sandbox.Runner
}

func (p *perTenant) Run(
	ctx context.Context, scope tenant.Scope, plan sandbox.Plan, req sandbox.Request,
) (sandbox.Result, error) {
	p.mu.Lock()
	r := p.runners[scope]
	if r == nil {
		if p.runners == nil {
			p.runners = map[tenant.Scope]sandbox.Runner{}
		}
		r = p.open()
		p.runners[scope] = r
	}
	p.mu.Unlock()
	return r.Run(ctx, scope, plan, req)
}
