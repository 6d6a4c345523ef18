package sandbox

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"time"

	"minicloud/infra/lab/bench/measure"
	"minicloud/shared/sandbox/engine"
	"minicloud/shared/sandbox/process"
)

// operations of crypto, how often one run does them, and how long one may take.
var operations = []struct {
	name, code string
	times      int
	bound      string
}{
	{"RSA-2048 signature, SHA-256, from PEM", `c.createSign('RSA-SHA256').update('x').sign(key)`, 20, "≤ 3 ms"},
	{"RSA-2048 verification", `c.createVerify('RSA-SHA256').update('x').verify(pub, signature)`, 100, "≤ 0.5 ms"},
	{"AES-128-CBC of 1 MB", `c.createCipheriv('aes-128-cbc', secret, secret).update(big)`, 5, "≤ 15 ms"},
	{"AES-256-GCM of 1 MB", `c.createCipheriv('aes-256-gcm', big.subarray(0, 32), secret).update(big)`, 5, "≤ 15 ms"},
	{"SHA-256 of 1 MB", `c.createHash('sha256').update(big).digest()`, 5, "≤ 15 ms"},
	{"MD5 of 1 MB of text", `c.createHash('md5').update(text).digest('hex')`, 5, "≤ 15 ms"},
	{"1,000 small HMACs", `for (let i = 0; i < 1000; i++) c.createHmac('sha256', 'k').update('x').digest('hex')`, 1, "≤ 30 ms"},
	{"pbkdf2, 210,000 rounds of SHA-512", `c.pbkdf2Sync('password', 'salt', 210000, 64, 'sha512')`, 1, "≤ 400 ms"},
	{"pbkdf2, 100,000 rounds of SHA-256", `c.pbkdf2Sync('password', 'salt', 100000, 32, 'sha256')`, 1, "≤ 100 ms"},
	{"scrypt 16384/8/1", `c.scryptSync('password', 'salt', 64)`, 1, "≤ 100 ms"},
}

// inCrypto measures what the host computes for a function, in the engine: a run without the operation is taken off.
func inCrypto(r measure.Report) error {
	e, err := process.NewEngine(128 << 20)
	if err != nil {
		return err
	}
	defer e.Close()

	event, err := keyEvent()
	if err != nil {
		return err
	}
	none, err := timesOf(e, event, "", 1)
	if err != nil {
		return err
	}

	for _, o := range operations {
		series, err := timesOf(e, event, o.code, o.times)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		for i, d := range series {
			series[i] = max(0, d-none.Median()) / time.Duration(o.times)
		}
		r.Row(o.name, fmt.Sprintf("%.2f ms", measure.MS(series.Median())), o.bound,
			fmt.Sprintf("p95 %.2f ms, n %d", measure.MS(series.P(0.95)), len(series)))
	}

	return nil
}

// timesOf runs a function that does the operation so many times, after preparing what operations work on.
func timesOf(e *engine.QuickJS, event json.RawMessage, code string, times int) (measure.Series, error) {
	j := job(fmt.Sprintf(`exports.main = async (event) => {
		const c = require('crypto'), { key, pub } = event.data;
		const secret = Buffer.alloc(16, 1), big = Buffer.alloc(1 << 20, 7), text = 'x'.repeat(1 << 20);
		const signature = c.createSign('RSA-SHA256').update('x').sign(key);
		for (let n = 0; n < %d; n++) { %s }
		return 1;
	}`, times, code))
	j.Event = event

	return measure.Times(2, 15, func() error {
		report := e.Run(j, quiet{})
		if report.Error != nil {
			return fmt.Errorf("%s: %s", report.Error.Type, report.Error.Message)
		}
		return nil
	})
}

// keyEvent is an event with a new pair of keys.
func keyEvent() (json.RawMessage, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, err
	}

	text := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return json.Marshal(map[string]any{"data": map[string]string{
		"key": text("PRIVATE KEY", private), "pub": text("PUBLIC KEY", public),
	}})
}
