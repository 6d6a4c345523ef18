package process

import (
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/compress"
	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// logOf runs a request and returns its log, which must be long enough to be compressed.
func (s *Supervisor) logOf(t *testing.T, req sandbox.Request) string {
	t.Helper()
	r := s.must(t, req)
	text, err := compress.Gunzip(r.LogGzip)
	if err != nil {
		t.Fatalf("%s %+v, log %q: %v", r.Outcome, r.Error, r.Log, err)
	}
	return string(text)
}

// TestMasksSecrets checks that a secret is masked in every encoding that a log can show.
func TestMasksSecrets(t *testing.T) {
	s := newSupervisor(t)
	const secret = `p"a<ss>&'wörd`
	req := sandboxtest.Request(`exports.main = async () => {
		const s = process.env.KEY;
		console.log(s, { s }, [s], JSON.stringify({ s }), encodeURIComponent(s), Buffer.from(s).toString('base64'));
		console.table([{ s }]);
		console.error(new Error(s));
		return 'x'.repeat(` + fmt.Sprint(maxLine-5) + `) + s;
	}`)
	req.Variables, req.Secrets = map[string]string{"KEY": secret}, []string{"KEY"}
	log := s.logOf(t, req)
	if strings.Count(log, "******") != 8 {
		t.Fatalf("log %.2000q", log)
	}
	for _, part := range []string{"ss", "wör", "w%C3", "cCJhPHN", "xxp"} {
		if strings.Contains(log, part) {
			t.Errorf("the log has %q: %.2000q", part, log)
		}
	}
}

func TestDoesNotMaskShortSecrets(t *testing.T) {
	req := sandboxtest.Request(`exports.main = async () => { console.log(1, 'true', 'true!'); return null; }`)
	req.Variables = map[string]string{"FLAG": "1", "NAME": "tru", "LONG": "true!"}
	req.Secrets = []string{"FLAG", "NAME", "LONG"}
	if r := newSupervisor(t).must(t, req); !strings.Contains(r.Log, "LOG 1 true ******\n") {
		t.Errorf("log %q", r.Log)
	}
}

// TestMasksSecretsWithinObjects checks secrets inside printed objects, where quotes and line breaks are escaped.
func TestMasksSecretsWithinObjects(t *testing.T) {
	s := newSupervisor(t)
	for what, secret := range map[string]string{
		"lines":              "-----BEGIN-----\nzqabcdefzq\r\nzq/+ghijzq==\n-----END-----\n",
		"many lines":         strings.Repeat("zqabcdefzq\n", 20),
		"quotes":             `zq"a\b'zq`,
		"all quotes":         "zq'\"`a\\bzq",
		"control characters": "zq\x01\x7f\a'zq",
		"base64 of two ways": "zq?>~ÿ?>~zq",
	} {
		req := sandboxtest.Request(`exports.main = async () => {
			const { s } = process.env;
			console.log(s, { s }, [s], process.env);
			console.group(); console.log(s); console.dir({ a: { b: s } }); console.groupEnd();
			console.log(Buffer.from(s).toString('base64url'), new Error(s));
			return { s };
		}`)
		req.Variables, req.Secrets = map[string]string{"s": secret}, []string{"s"}
		log := s.must(t, req).Log
		if strings.Contains(log, "zq") || strings.Contains(log, "enE") || strings.Count(log, "******") < 9 {
			t.Errorf("%s: log %s", what, log)
		}
	}
}

// TestCutLogShowsNoPartOfSecret checks that no part of a secret is left if the log is truncated inside it.
func TestCutLogShowsNoPartOfSecret(t *testing.T) {
	s := newSupervisor(t)
	for what, print := range map[string]string{
		"one line":   `console.log(process.env.KEY.repeat(400))`,
		"many lines": `for (let i = 0; i < 400; i++) console.log(process.env.KEY)`,
	} {
		req := sandboxtest.Request(`exports.main = async () => { ` + print + `; console.log('more'); return null }`)
		req.Variables, req.Secrets = map[string]string{"KEY": strings.Repeat("zq", 2000)}, []string{"KEY"}
		log := s.must(t, req).Log
		if strings.Contains(log, "zq") || strings.Contains(log, "more\n") ||
			!strings.Contains(log, "WARN the log is cut here") {
			t.Errorf("%s: log %.3000q", what, log)
		}
	}
}

// TestMasksSecretsInErrors checks the message, class and stack of errors, which are returned and stored with the
// job.
func TestMasksSecretsInErrors(t *testing.T) {
	s := newSupervisor(t)
	secrets := map[string]string{
		"KEY":  `zq"a<ss>&'w+örd-zq`,
		"PEM":  "-----BEGIN-----\nzqabcdefzq\nzq/+ghijzq==\n-----END-----\n",
		"LONG": strings.Repeat("zq", 1500),
	}

	for _, body := range []string{
		`throw new Error(KEY)`,
		`throw new Error('with ' + PEM)`,
		`throw KEY`,
		`throw { KEY, inner: [PEM] }`,
		`throw { message: KEY, name: PEM }`,
		`throw new TypeError(JSON.stringify({ KEY, PEM }))`,
		`throw new Error(encodeURIComponent(KEY) + Buffer.from(KEY).toString('base64') + Buffer.from(PEM).toString('base64url'))`,
		`throw new Error(JSON.stringify({ body: JSON.stringify({ KEY, PEM }) }))`,
		`throw new Error('the path /' + encodeURIComponent(KEY).replace(/%2[6B]/g, decodeURIComponent).replace("'", '%27'))`,
		`throw new Error('outer', { cause: new Error(KEY, { cause: new Error(PEM) }) })`,
		`throw new Error('outer', { cause: new Error('x'.repeat(990) + LONG) })`,
		`throw new AggregateError([new Error(KEY)], PEM)`,
		`throw Object.assign(new Error('named'), { name: KEY })`,
		`throw Object.assign(new Error('named'), { name: 'x'.repeat(195) + LONG })`,
		`throw new (({ [KEY]: class extends Error {} })[KEY])('class')`,
		`const e = new Error('x'); e.stack = 'at ' + KEY + ' (f.js:1:1)'; throw e`,
		`throw new Error('x'.repeat(16000) + LONG)`,
		`throw new Error('é'.repeat(8000) + LONG)`,
		`throw new Error('outer', { cause: new Error('x'.repeat(15000) + LONG) })`,
		`throw new Error(LONG.repeat(8))`,
		`callback(KEY)`,
		`callback(new Error(PEM))`,
		`await Promise.any([Promise.reject(new Error(KEY))]).catch((e) => { throw e.errors[0] })`,
		`setTimeout(() => { throw new RangeError(KEY) }); await new Promise(() => {})`,
		`new Promise((_, no) => no(new Error(PEM))); await new Promise(() => {})`,
	} {
		req := sandboxtest.Request(`exports.main = async (event, callback) => { const { KEY, PEM, LONG } = process.env; ` + body + ` }`)
		req.Variables, req.Secrets = secrets, []string{"KEY", "PEM", "LONG"}
		r := s.must(t, req)
		if r.Outcome != sandbox.OutcomeExecutionFailed || r.Error == nil {
			t.Errorf("%s: %s %+v", body, r.Outcome, r.Error)
			continue
		}
		for what, text := range map[string]string{
			"message": r.Error.Message, "type": r.Error.Type, "stack": r.Error.Stack, "log": r.Log,
		} {
			if strings.Contains(text, "zq") || strings.Contains(text, "enF") || strings.Contains(text, "w%C3") {
				t.Errorf("%s: the %s has a secret: %.300q", body, what, text)
			}
		}
	}
}

// TestResultsAreNotMasked checks that a result may contain secrets: the function decides what it returns.
func TestResultsAreNotMasked(t *testing.T) {
	req := sandboxtest.Request(`exports.main = async () => ({ key: process.env.KEY, e: new Error(process.env.KEY).message })`)
	req.Variables, req.Secrets = map[string]string{"KEY": "zqzqzqzq"}, []string{"KEY"}
	if r := newSupervisor(t).must(t, req); string(r.Data) != `{"key":"zqzqzqzq","e":"zqzqzqzq"}` {
		t.Errorf("data %s", r.Data)
	}
}
