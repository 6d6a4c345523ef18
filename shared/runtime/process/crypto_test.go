package process

import (
	"testing"

	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// TestCryptoInChild checks the operations that a sealed child must allow, and that long ones time out without a
// kill.
func TestCryptoInChild(t *testing.T) {
	s := newSupervisor(t)
	for what, code := range map[string]string{
		"keys shorter than Go takes by itself": `
			const { publicKey, privateKey } = c.generateKeyPairSync('rsa', { modulusLength: 512 });
			return c.verify('md5', Buffer.from('x'), publicKey, c.sign('md5', Buffer.from('x'), privateKey))`,
		"work beside the run": `for (let i = 0; i < 3; i++) c.scryptSync('a', 'b', 32); return true`,
		"large texts":         `const text = 'x'.repeat(12 << 20); for (let i = 0; i < 6; i++) c.createHash('md5').update(text).digest(); return true`,
		"large bytes":         `for (let i = 0; i < 6; i++) { const b = Buffer.alloc(20 << 20); c.createCipheriv('aes-128-ctr', b.subarray(0, 16), b.subarray(0, 16)).update(b) } return true`,
		"random values":       `return c.randomBytes(1 << 20).length === 1 << 20 && c.randomUUID().length === 36`,
	} {
		r := s.must(t, sandboxtest.Request(`exports.main = async () => { const c = require('crypto'); `+code+` }`))
		if string(r.Data) != "true" {
			t.Errorf("%s: %s %+v", what, r.Data, r.Error)
		}
	}

	for what, code := range map[string]string{
		"pbkdf2": `c.pbkdf2Sync('a', 'b', 1e9, 64, 'sha512')`,
		"scrypt": `c.scryptSync('a', 'b', 64, { N: 1024, r: 1, p: 4e3, maxmem: 2 ** 40 })`,
	} {
		req := sandboxtest.Request(`exports.main = async () => { const c = require('crypto'); ` + code + ` }`)
		req.TimeoutMS = 300

		r := s.must(t, req)
		for try := 0; try < 50 && r.MemUsage == 0; try++ { // retry if a busy machine was late
			r = s.must(t, req)
		}
		if r.Outcome != sandbox.OutcomeDeadlineExceeded || r.MemUsage == 0 { // for a killed child no memory is reported
			t.Errorf("%s: %s %+v, %d bytes", what, r.Outcome, r.Error, r.MemUsage)
		}
	}
}
