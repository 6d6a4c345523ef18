// Package samples tests what the documents show: every piece of JavaScript in them is compiled by TypeScript against
// the declarations that editors get, and runs in the sandbox. A piece begins with
//
//	```js name             a whole function
//	```js name fragment    what stands within main, and gives a result or null
//	```js name elsewhere   no function; elsewhere, in this package, names the test that runs it
package samples

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// elsewhere are the pieces of JavaScript that are no functions, and what runs them.
var elsewhere = map[string]string{"receiver": "shared/trigger/action/webhook/snippets_test.go"}

// sample is one function of a document.
type sample struct {
	name, document string
	line           int // of the document, before its first
	code           string
}

// wrapped is a fragment as the function it belongs to; lines keep their number but for one.
const wrapped = "/** @type {CloudFunctionMain} */ exports.main = async (event) => {\n%s\nreturn null; };\n"

// samples are those of all documents, by name.
func samples(t *testing.T) map[string]sample {
	t.Helper()
	all := map[string]sample{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && path != root
		if entry.IsDir() && (entry.Name() == "node_modules" || hidden) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		found, problems := samplesOf(strings.TrimPrefix(path, root+"/"), string(text))
		for _, problem := range problems {
			t.Error(problem)
		}
		for _, s := range found {
			if before, taken := all[s.name]; taken {
				t.Errorf("%s:%d: %s has a sample %s, too", s.document, s.line, before.document, s.name)
			}
			all[s.name] = s
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// samplesOf reads one document. What it cannot place is a problem: nothing is left out silently.
func samplesOf(document, text string) (found []sample, problems []string) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(lines[i]), "```")
		if !isFence {
			continue
		}
		from := i + 1
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
		}

		words := strings.Fields(fence)
		if len(words) == 0 || !isScript(words[0]) {
			continue
		}
		s, err := newSample(words, strings.Join(lines[from:i], "\n")+"\n")
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s:%d: %v", document, from, err))
			continue
		}
		if s.code != "" {
			s.document, s.line = document, from
			found = append(found, s)
		}
	}
	return found, problems
}

func isScript(language string) bool {
	switch language {
	case "js", "javascript", "mjs", "cjs", "jsx", "ts", "typescript":
		return true
	}
	return false
}

// newSample reads the words of a fence; a piece that is tested elsewhere has no code.
func newSample(words []string, code string) (sample, error) {
	if words[0] != "js" || len(words) < 2 || len(words) > 3 {
		return sample{}, fmt.Errorf("%q: JavaScript is marked js, a name and perhaps fragment or elsewhere", words)
	}
	s := sample{name: words[1], code: code}
	if len(words) == 2 {
		return s, nil
	}
	switch words[2] {
	case "fragment":
		s.code = fmt.Sprintf(wrapped, strings.TrimSuffix(code, "\n"))
		return s, nil
	case "elsewhere":
		if elsewhere[s.name] == "" {
			return sample{}, fmt.Errorf("no test is known that runs %s", s.name)
		}
		return sample{}, nil
	}
	return sample{}, fmt.Errorf("%q: a piece is whole, a fragment or tested elsewhere", words[2])
}

// TestReportsIncompleteSamples reads documents that say too little of their JavaScript.
func TestReportsIncompleteSamples(t *testing.T) {
	for _, c := range []struct {
		fence string
		found int
		bad   bool
	}{
		{"js", 0, true}, {"javascript name", 0, true}, {"ts name", 0, true}, {"js name piece", 0, true},
		{"js name elsewhere", 0, true}, {"js receiver elsewhere", 0, false}, {"js name", 1, false},
		{"js name fragment", 1, false}, {"json", 0, false}, {"sh", 0, false}, {"", 0, false},
	} {
		found, problems := samplesOf("x.md", "text\n```"+c.fence+"\nreturn 1;\n```\nmore\n")
		if len(found) != c.found || (len(problems) > 0) != c.bad {
			t.Errorf("%q: %d samples, problems %v", c.fence, len(found), problems)
		}
	}
}
