package cloudtest

import (
	"net/http/httptest"
	"testing"
	"time"

	"minicloud/infra/local/compile"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/lambdahost"
	"minicloud/shared/aws/remote"
	"minicloud/shared/sandbox"
)

// SandboxProgram returns the path of the compiled sandbox program.
func SandboxProgram(t testing.TB) string {
	t.Helper()
	cfg, err := Config(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return compile.Bootstrap(cfg.BinDir, "sandbox")
}

// Sandbox serves the sandbox program as both sandbox functions through a local Invoke API, and returns a runner for
// it.
func Sandbox(t testing.TB) sandbox.Runner {
	t.Helper()
	program := SandboxProgram(t)
	function := func(name string, memory int) lambdahost.Function {
		return lambdahost.Function{
			Name: name, Bootstrap: program, Timeout: 310 * time.Second, MemoryMB: memory, PerTenant: true, Reserved: -1,
		}
	}
	host, err := lambdahost.New(lambdahost.Config{
		Functions: []lambdahost.Function{function("free", 256), function("personal", 512)}, Region: "local",
		LogDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}

	server := httptest.NewServer(host)
	t.Cleanup(func() { server.Close(); host.Close() })
	return remote.New(ddb.SDK(server.URL), "free", "personal")
}
