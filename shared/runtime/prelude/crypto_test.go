package prelude_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/runtime/engine"
	"minicloud/shared/runtime/process"
	"minicloud/shared/runtime/sandboxtest"
)

// silent is a Host for programs that neither log nor make calls.
type silent struct{}

func (silent) Log(string, string)           {}
func (silent) Settled(engine.Settlement)    {}
func (silent) Call(int32, string, string)   {}
func (silent) Replies() <-chan engine.Reply { return nil }

// sandboxed returns an engine with the whole prelude, as functions use it.
func sandboxed(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := process.NewEngine(256 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// job returns a run of code with limits that only an endless program reaches.
func job(code string, event any) engine.Job {
	text, err := json.Marshal(map[string]any{"data": event})
	if err != nil {
		panic(err) // strings can be marshalled
	}
	req := sandboxtest.Request(code)
	return engine.Job{
		Function: req.Function, Digest: req.Digest, Source: func() ([]byte, error) { return []byte(code), nil },
		Event: text, Timeout: time.Minute, Memory: 128 << 20,
	}
}

// TestCryptoMatchesNode compares every line of testdata/crypto with the output of Node.
func TestCryptoMatchesNode(t *testing.T) {
	files, err := filepath.Glob("testdata/crypto/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}

	keys, runner := map[string]any{}, text(t, "testdata/crypto/run.js")
	if err := json.Unmarshal([]byte(text(t, "testdata/crypto/keys.json")), &keys); err != nil {
		t.Fatal(err)
	}

	code := `exports.main = (event) => (` + strings.TrimSuffix(runner[strings.Index(runner, "(async"):], "\n") +
		`)(event.data.line, require, event.data.keys)`
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden"), func(t *testing.T) {
			e := sandboxed(t)
			for block := range strings.SplitSeq(strings.TrimPrefix("\n"+text(t, file), "\n> "), "\n> ") {
				line, want, _ := strings.Cut(block, "\n")
				report := e.Run(job(code, map[string]any{"line": line, "keys": keys}), silent{})
				if report.Error != nil {
					t.Errorf("%s\n%s: %s\n%s", line, report.Error.Type, report.Error.Message, report.Error.Stack)
					continue
				}
				var got string
				if err := json.Unmarshal(report.Data, &got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.TrimRight(withoutSecrets(want), "\n"), strings.TrimRight(got, "\n")); diff != "" {
					t.Errorf("%s\n-node +sandbox\n%s", line, diff)
				}
			}
		})
	}
}

// secretsShown matches Node's messages that contain a secret passed in a wrong form; the prelude's messages name
// only its type.
var secretsShown = regexp.MustCompile(
	`("(?:handle|key|key\.key|pkey|password|ikm|buf1|buf2)" (?:argument|property) must be [^\n]*? Received type \w+) \([^\n]*?\)`,
)

var passphraseShown = regexp.MustCompile(`((?:passphrase|privateKey|publicKey)' is invalid\. Received) (?:\d+|'[^\n']*')`)

func withoutSecrets(node string) string {
	node = passphraseShown.ReplaceAllString(node, "$1 type number")
	return secretsShown.ReplaceAllString(node, "$1")
}

// TestCryptoHasNamesOfNode checks that every function and class of Node's crypto exists, and that unsupported ones
// name an alternative.
func TestCryptoHasNamesOfNode(t *testing.T) {
	e := sandboxed(t)
	code := `exports.main = async (event) => {
		const c = require("crypto");
		const absent = event.data.filter((name) => typeof c[name] === "undefined");
		const said = ["createDiffieHellman", "createCipher", "generatePrime"].map((name) => { try { c[name](); } catch (e) { return e.message; } });
		return [absent, said];
	}`
	report := e.Run(job(code, strings.Fields(nodeNames)), silent{})
	want := `[[],["crypto.createDiffieHellman is not available in cloud functions: use createECDH or diffieHellman, or ` +
		`bundle a JavaScript library","crypto.createCipher is not available in cloud functions: use createCipheriv",` +
		`"crypto.generatePrime is not available in cloud functions: bundle a JavaScript library"]]`
	if string(report.Data) != want {
		t.Errorf("%s %+v", report.Data, report.Error)
	}
}

// nodeNames are the keys of require("crypto") in Node 20.
const nodeNames = `checkPrime checkPrimeSync createCipheriv createDecipheriv createDiffieHellman
	createDiffieHellmanGroup createECDH createHash createHmac createPrivateKey createPublicKey createSecretKey
	createSign createVerify diffieHellman generatePrime generatePrimeSync getCiphers getCipherInfo getCurves
	getDiffieHellman getHashes hkdf hkdfSync pbkdf2 pbkdf2Sync generateKeyPair generateKeyPairSync generateKey
	generateKeySync privateDecrypt privateEncrypt publicDecrypt publicEncrypt randomBytes randomFill randomFillSync
	randomInt randomUUID scrypt scryptSync sign setEngine timingSafeEqual getFips setFips verify hash Certificate
	Cipheriv Decipheriv DiffieHellman DiffieHellmanGroup ECDH Hash Hmac KeyObject Sign Verify X509Certificate
	secureHeapUsed constants webcrypto subtle getRandomValues`

func text(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
