package process

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"minicloud/shared/sandbox"
)

// logOf runs a request whose log is long and returns that log.
func (s *Supervisor) logOf(t *testing.T, req sandbox.Request) string {
	t.Helper()
	r := s.must(t, req)
	z, err := gzip.NewReader(bytes.NewReader(r.LogGzip))
	if err != nil {
		t.Fatalf("%s %+v, log %q: %v", r.Outcome, r.Error, r.Log, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSecretsAreMasked in every form that a log shows them in as a whole.
func TestSecretsAreMasked(t *testing.T) {
	s := newSupervisor(t)
	const secret = `p"a<ss>&'wörd`
	req := request(`exports.main = async () => {
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
	for _, part := range []string{"ss", "wör", "w%C3", "cCJhPHN", "xp"} {
		if strings.Contains(log, part) {
			t.Errorf("the log has %q: %.2000q", part, log)
		}
	}
}

func TestShortSecretsLeaveTheLogReadable(t *testing.T) {
	req := request(`exports.main = async () => { console.log(1, 'true', 'true!'); return null; }`)
	req.Variables = map[string]string{"FLAG": "1", "NAME": "tru", "LONG": "true!"}
	req.Secrets = []string{"FLAG", "NAME", "LONG"}
	if r := newSupervisor(t).must(t, req); !strings.Contains(r.Log, "LOG 1 true ******\n") {
		t.Errorf("log %q", r.Log)
	}
}

// TestSecretsAreMaskedWithinObjects, where every quote and line has its own form.
func TestSecretsAreMaskedWithinObjects(t *testing.T) {
	s := newSupervisor(t)
	for what, secret := range map[string]string{
		"lines":              "-----BEGIN-----\nzqabcdefzq\r\nzq/+ghijzq==\n-----END-----\n",
		"many lines":         strings.Repeat("zqabcdefzq\n", 20),
		"quotes":             `zq"a\b'zq`,
		"all quotes":         "zq'\"`a\\bzq",
		"control characters": "zq\x01\x7f\a'zq",
		"base64 of two ways": "zq?>~ÿ?>~zq",
	} {
		req := request(`exports.main = async () => {
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

// TestALogThatIsCutShowsNoPartOfASecret: the child sends only so much, and what
// it sends may become short.
func TestALogThatIsCutShowsNoPartOfASecret(t *testing.T) {
	s := newSupervisor(t)
	for what, print := range map[string]string{
		"one line":   `console.log(process.env.KEY.repeat(400))`,
		"many lines": `for (let i = 0; i < 400; i++) console.log(process.env.KEY)`,
	} {
		req := request(`exports.main = async () => { ` + print + `; console.log('more'); return null }`)
		req.Variables, req.Secrets = map[string]string{"KEY": strings.Repeat("zq", 2000)}, []string{"KEY"}
		log := s.must(t, req).Log
		if strings.Contains(log, "zq") || strings.Contains(log, "more\n") || !strings.Contains(log, "WARN the log is cut here") {
			t.Errorf("%s: log %.3000q", what, log)
		}
	}
}
