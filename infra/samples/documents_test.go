// Package samples tests the JavaScript in the documents: TypeScript compiles every sample against the declarations
// that editors use, and the sandbox runs it. A sample begins with
//
//	```js name             a whole function
//	```js name fragment    a part of main, which returns a result or null
//	```js name elsewhere   not a function; the map elsewhere in this package names the test that runs it
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

// elsewhere maps the samples that are not functions to the tests that run them.
var elsewhere = map[string]string{"receiver": "shared/trigger/action/webhook/snippets_test.go"}

// sample is one sample of a document.
type sample struct {
	name, document string
	line           int // line of the document before the first line of the sample
	code           string
}

// wrapped turns a fragment into a function; it shifts the line numbers by one.
const wrapped = "/** @type {CloudFunctionMain} */ exports.main = async (event) => {\n%s\nreturn null; };\n"

// samples returns the samples of all documents by name.
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

// samplesOf returns the samples of one document. Every sample that it cannot classify is a problem, so that none is
// skipped silently.
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

// newSample parses the words of a fence; a sample that is tested elsewhere has no code.
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

// TestReportsIncompleteSamples parses fences with missing or wrong words.
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
