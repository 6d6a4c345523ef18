package sandbox_test

import (
	"regexp"
	"strings"
	"testing"

	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// stamp matches the beginning of every log line (D23).
var stamp = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z `)

// duration matches the limit of a run, or the time that it continued after its result.
var duration = regexp.MustCompile(`\d+ ms`)

// testLogs checks decision D23.
func testLogs(t *testing.T, runner sandbox.Runner) {
	cases := []struct{ name, code, log string }{
		{"levels", `console.log('a', 1, { b: [2] }); console.info('i'); console.warn('w'); console.error('e'); exports.main = async () => ({ ok: true })`,
			"LOG event.data: {\"n\":20}\nLOG a 1 { b: [ 2 ] }\nINFO i\nWARN w\nERROR e\nLOG return: {\"ok\":true}\n"},
		{"failure", "exports.main = function main() {\n  throw new TypeError('bad')\n}",
			"LOG event.data: {\"n\":20}\nERROR TypeError: bad\n    at main (hello.js:2:9)\n"},
		{"time-out", `console.log('before'); exports.main = () => { for (;;); }`,
			"LOG event.data: {\"n\":20}\nLOG before\nERROR TimeoutError: function timed out after N ms\n"},
		{"kill", `exports.main = () => { console.log('before'); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) }`,
			"LOG event.data: {\"n\":20}\nLOG before\nERROR TimeoutError: function timed out after N ms\n"},
		{"an interval after the result", `exports.main = (event, callback) => { setInterval(() => {}, 10); BaaS.invoke('x', {}, true).catch(() => {}); callback(null, 1) }`,
			"LOG event.data: {\"n\":20}\nWARN the run went on for N ms after its result, until its time was up; left: 1 timer or interval\nLOG return: 1\n"},
		{"code after the result", `exports.main = (event, callback) => { callback(null, 1); for (;;); }`,
			"LOG event.data: {\"n\":20}\nWARN the run went on for N ms after its result, until its time was up; left: code that was still running\nLOG return: 1\n"},
		{"result null", `exports.main = async () => null`, "LOG event.data: {\"n\":20}\nLOG return: null\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			req := sandboxtest.Request(c.code)
			if strings.Contains(c.log, "TimeoutError") || strings.Contains(c.log, "time was up") {
				req.TimeoutMS = 100
			}

			// On a busy machine a run may time out before its code logs anything; it then gets a longer limit.
			for {
				log := logOf(t, run(t, runner, req))
				got := duration.ReplaceAllString(stamp.ReplaceAllString(log, ""), "N ms")
				if got == c.log {
					return
				}
				if req.TimeoutMS *= 3; req.TimeoutMS > mostTime {
					t.Errorf("log\n%swant\n%s", got, c.log)
					return
				}
			}
		})
	}

	t.Run("cut", func(t *testing.T) {
		req := sandboxtest.Request(
			`exports.main = async () => { for (let i = 0; i < 20000; i++) console.log('x'.repeat(100)); return 'end' }`,
		)
		log := logOf(t, run(t, runner, req))
		if len(log) > 1<<20 || !strings.Contains(log, "WARN the log is cut here") ||
			!strings.HasSuffix(log, `LOG return: "end"`+"\n") {
			t.Errorf("%d bytes, ends %q", len(log), log[max(0, len(log)-300):])
		}
	})
	t.Run("secrets", func(t *testing.T) {
		req := sandboxtest.Request(
			`exports.main = async (event) => { console.log(process.env.TOKEN, process.env.OPEN); throw new Error('with ' + process.env.TOKEN) }`,
		)
		req.Variables = map[string]string{"TOKEN": "hunter2", "OPEN": "shown"}
		req.Secrets = []string{"TOKEN"}
		log := logOf(t, run(t, runner, req))
		if strings.Contains(log, "hunter2") || !strings.Contains(log, "****** shown") {
			t.Errorf("log %s", log)
		}
	})
}
