package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	for name, c := range map[string]struct {
		in, want string
		passed   bool
	}{
		"passed": {`{"Action":"output","Package":"a","Test":"TestX","Output":"=== RUN TestX\n"}
{"Action":"pass","Package":"a","Test":"TestX","Elapsed":0.1}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t1.5s\n"}
{"Action":"pass","Package":"a","Elapsed":1.5}
{"Action":"output","Package":"b","Output":"ok  \tb\t2.5s\n"}
{"Action":"pass","Package":"b","Elapsed":2.5}
`, "ok  \ta\t1.5s\nok  \tb\t2.5s\nlongest:    2.5 s b\nlongest:    1.5 s a\n", true},
		"failed": {`{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:3: wrong\n"}
{"Action":"fail","Package":"a","Test":"TestX","Elapsed":0.1}
{"Action":"output","Package":"a","Output":"FAIL\ta\t1.0s\n"}
{"Action":"fail","Package":"a","Elapsed":1}
`, "    x_test.go:3: wrong\nFAIL\ta\t1.0s\nlongest:    1.0 s a\n", false},
		"skipped": {`{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:3: no seccomp here\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"--- SKIP: TestX (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Output":"LEFT OUT: the browser: Chromium is not installed\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t1.0s\n"}
{"Action":"pass","Package":"a","Elapsed":1}
{"Action":"output","Package":"none","Output":"?   \tnone\t[no test files]\n"}
{"Action":"skip","Package":"none"}
`, "LEFT OUT: the browser: Chromium is not installed\nok  \ta\t1.0s\n" +
			"left out: a TestX: no seccomp here\nleft out: the browser: Chromium is not installed\nlongest:    1.0 s a\n", true},
		"not built": {`{"ImportPath":"a","Action":"build-output","Output":"a.go:1:1: undefined: x\n"}
{"ImportPath":"a","Action":"build-fail"}
{"Action":"output","Package":"a","Output":"FAIL\ta [build failed]\n"}
{"Action":"fail","Package":"a","Elapsed":0,"FailedBuild":"a"}
`, "a.go:1:1: undefined: x\nFAIL\ta [build failed]\nlongest:    0.0 s a\n", false},
		"died": {`{"Action":"output","Package":"a","Test":"TestX","Output":"panic: no\n"}
`, "no test was run\nunfinished: a TestX\npanic: no\n", false},
		"nothing": {"go: no module\n", "go: no module\nno test was run\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if passed := report(strings.NewReader(c.in), &out); passed != c.passed || out.String() != c.want {
				t.Errorf("%v\n%s\nwant %v\n%s", passed, out.String(), c.passed, c.want)
			}
		})
	}
}
