// Package sandboxtest builds requests for tests that run functions in a sandbox.
package sandboxtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"minicloud/shared/compress"
	"minicloud/shared/sandbox"
)

// Request returns a run of code with 64 MB and a timeout of 30 s, which only an endless program reaches, even on a
// busy machine.
func Request(code string) sandbox.Request {
	sum := sha256.Sum256([]byte(code))
	return sandbox.Request{
		Op: sandbox.OpRun, JobID: "1", Function: "hello", Code: compress.Gzip([]byte(code)),
		Digest: hex.EncodeToString(sum[:]), Event: json.RawMessage(`{"data":{"n":20},"eventType":"open_api"}`),
		TimeoutMS: 30_000, MemoryMB: 64,
	}
}
