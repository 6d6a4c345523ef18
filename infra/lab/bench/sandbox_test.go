package bench

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/child"
	"minicloud/infra/local/cloudtest"
	"minicloud/shared/runtime/engine"
	"minicloud/shared/runtime/process"
	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

const trivial = `exports.main = async (event) => ({ sum: event.data.n + 1 })`

// quiet is a Host for functions that neither log nor call.
type quiet struct{}

func (quiet) Log(string, string)           {}
func (quiet) Settled(engine.Settlement)    {}
func (quiet) Call(int32, string, string)   {}
func (quiet) Replies() <-chan engine.Reply { return nil }

// inEngine benchmarks a function in the engine on one core, as the child process runs it. Each run has a fresh
// context.
func inEngine(b *testing.B, code string, event json.RawMessage) {
	e, err := process.NewEngine(128 << 20)
	must(b, err)
	defer e.Close()
	req := sandboxtest.Request(code)
	job := engine.Job{
		Function: req.Function, Digest: req.Digest, Source: func() ([]byte, error) { return []byte(code), nil },
		Event: req.Event, Timeout: 5 * time.Second, Memory: 128 << 20,
	}
	if event != nil {
		job.Event = event
	}

	run := func() {
		report := e.Run(job, quiet{})
		e.Reset()
		if report.Error != nil {
			b.Fatalf("%s: %s", report.Error.Type, report.Error.Message)
		}
	}
	began := time.Now()
	run() // compiles
	first := time.Since(began)
	loop(b, run)
	b.ReportMetric(ms(first), "first-ms")
}

// BenchmarkRun measures a fresh isolated run: ≤ 300 µs, so 3,500 a second on one core; with 165 KB of code ≤ 4 ms. The
// cost of requiring a module is the difference to the trivial run; the first run in a process also compiles the
// module.
func BenchmarkRun(b *testing.B) {
	b.Run("trivial", func(b *testing.B) { inEngine(b, trivial, nil) })
	b.Run("logs_an_object", func(b *testing.B) {
		inEngine(b, `exports.main = async () => { console.log('hello', { a: [1, 2] }); return 1 }`, nil)
	})
	b.Run("165_KB_of_code", func(b *testing.B) { inEngine(b, largeCode(), nil) })
	for _, name := range []string{"path", "util", "crypto", "stream", "zlib", "fs", "http"} {
		b.Run("requires_"+name, func(b *testing.B) {
			inEngine(b, fmt.Sprintf(`const m = require(%q); exports.main = async () => typeof m`, name), nil)
		})
	}
}

// largeCode returns 165 KB of functions, of which main calls one.
func largeCode() string {
	var code strings.Builder
	for i := 0; code.Len() < 165_000; i++ {
		fmt.Fprintf(&code, "function f%d(a, b) { const o = { a, b, name: 'f%d' }; if (a > %d) "+
			"return [o, ...Object.entries(o)]; return `${a}-${b}-%d`; }\n", i, i, i, i)
	}
	return code.String() + "exports.main = async () => f7(1, 2)"
}

// BenchmarkCrypto measures the cryptographic operations that the host computes for a function, beyond the run
// "nothing". Every run creates the signature that the verification reads.
func BenchmarkCrypto(b *testing.B) {
	event := keyEvent(b)
	for _, o := range []struct{ name, code string }{
		{"nothing", ``},
		{"RSA-2048_signature", `c.createSign('RSA-SHA256').update('x').sign(key)`},                             // ≤ 3 ms
		{"RSA-2048_verification", `c.createVerify('RSA-SHA256').update('x').verify(pub, signature)`},           // ≤ 0.5 ms
		{"AES-128-CBC_of_1_MB", `c.createCipheriv('aes-128-cbc', secret, secret).update(big)`},                 // ≤ 15 ms
		{"AES-256-GCM_of_1_MB", `c.createCipheriv('aes-256-gcm', big.subarray(0, 32), secret).update(big)`},    // ≤ 15 ms
		{"SHA-256_of_1_MB", `c.createHash('sha256').update(big).digest()`},                                     // ≤ 15 ms
		{"MD5_of_1_MB_of_text", `c.createHash('md5').update(text).digest('hex')`},                              // ≤ 15 ms
		{"1000_HMACs", `for (let i = 0; i < 1000; i++) c.createHmac('sha256', 'k').update('x').digest('hex')`}, // ≤ 30 ms
		{"pbkdf2_210000_SHA-512", `c.pbkdf2Sync('password', 'salt', 210000, 64, 'sha512')`},                    // ≤ 400 ms
		{"pbkdf2_100000_SHA-256", `c.pbkdf2Sync('password', 'salt', 100000, 32, 'sha256')`},                    // ≤ 100 ms
		{"scrypt_16384", `c.scryptSync('password', 'salt', 64)`},                                               // ≤ 100 ms
	} {
		b.Run(o.name, func(b *testing.B) {
			inEngine(b, `exports.main = async (event) => {
				const c = require('crypto'), { key, pub } = event.data;
				const secret = Buffer.alloc(16, 1), big = Buffer.alloc(1 << 20, 7), text = 'x'.repeat(1 << 20);
				const signature = c.createSign('RSA-SHA256').update('x').sign(key);
				`+o.code+`
				return 1;
			}`, event)
		})
	}
}

// keyEvent returns an event that carries a new RSA key pair.
func keyEvent(b *testing.B) json.RawMessage {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(b, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(b, err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	must(b, err)

	text := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	event, err := json.Marshal(object{"data": object{
		"key": text("PRIVATE KEY", private), "pub": text("PUBLIC KEY", public),
	}})
	must(b, err)
	return event
}

// BenchmarkChild measures a run through the supervisor's pipes, and the first run of a replaced child: ≤ 15 ms.
func BenchmarkChild(b *testing.B) {
	s := &process.Supervisor{Executable: cloudtest.SandboxProgram(b), MemoryMB: 128}
	defer s.Close()
	run := func() {
		_, err := s.Run(b.Context(), tenant.Scope{}, sandbox.PlanFree, sandboxtest.Request(trivial))
		must(b, err)
	}
	run()
	b.Run("run", func(b *testing.B) { loop(b, run) })
	b.Run("replaced", func(b *testing.B) {
		loop(b, func() {
			s.Close()
			run()
		})
	})
}

// BenchmarkInvoke measures a run through the local Invoke API, ≤ 1 ms, and the first one, which includes the start of
// the program, ≤ 15 ms.
func BenchmarkInvoke(b *testing.B) {
	runner := cloudtest.Sandbox(b)
	run := func() {
		scope := tenant.Scope{App: 1, Env: tenant.Production}
		result, err := runner.Run(b.Context(), scope, sandbox.PlanFree, sandboxtest.Request(trivial))
		must(b, err)
		if result.Error != nil {
			b.Fatal(result.Error.Message)
		}
	}
	began := time.Now()
	run()
	first := time.Since(began)
	loop(b, run)
	b.ReportMetric(ms(first), "first-ms")

	pair, child := resident(b)
	b.ReportMetric(pair, "MB-resident")    // ≤ 40
	b.ReportMetric(child, "MB-warm-child") // ≤ 30
}

// resident returns the resident memory in MB of a supervisor with its child, and of the child alone, averaged over the
// supervisors started by this process.
func resident(b *testing.B) (pair, each float64) {
	below, err := child.Below(os.Getpid())
	must(b, err)
	pairs := 0.0
	for _, p := range below {
		if p.Program == "engine-child" {
			pairs++
			each += memory(b, p.Pid)
			pair += memory(b, p.Pid) + memory(b, p.Parent)
		}
	}
	return pair / pairs, each / pairs
}

// memory returns the resident memory of a process in MB.
func memory(b *testing.B, pid int) (kB float64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(b, err)
	for line := range strings.Lines(string(text)) {
		_, _ = fmt.Sscanf(line, "VmRSS: %f", &kB)
	}
	return kB / 1024
}
