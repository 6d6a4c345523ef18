package prelude

import (
	"regexp"
	"strings"
	"testing"
)

// TestDeclarationsNameEveryGlobal compares main.js, the methods of BaaS and the
// modules of require with baas.d.ts.
func TestDeclarationsNameEveryGlobal(t *testing.T) {
	declared := Declarations()
	for _, m := range regexp.MustCompile(`get (\w+)\(\)`).FindAllStringSubmatch(Main(), -1) {
		if !regexp.MustCompile(`declare (const|function|class|namespace) ` + m[1] + `\b`).MatchString(declared) {
			t.Errorf("baas.d.ts does not declare %s", m[1])
		}
	}
	out := newRealm(t, nil).eval(`for (const key of Object.keys(BaaS)) console.log(key)`)
	for key := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(out, "LOG ", "")), "\n") {
		if !regexp.MustCompile(`  (function|class|const) ` + key + `\b`).MatchString(declared) {
			t.Errorf("baas.d.ts does not declare BaaS.%s", key)
		}
	}
	src, _ := Module("require")
	list, _, _ := strings.Cut(src[strings.Index(src, "const modules"):], "};")
	for _, m := range regexp.MustCompile(`(?m)^    "?([a-z][\w/]*)"?: `).FindAllStringSubmatch(list, -1) {
		if !regexp.MustCompile(`[ ,]` + regexp.QuoteMeta(m[1]) + `[,.;\s]`).MatchString(declared) {
			t.Errorf("baas.d.ts does not name the module %s", m[1])
		}
	}
}
