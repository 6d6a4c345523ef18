package prelude_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"minicloud/shared/runtime/engine"
)

// TestMembersMatchNode compares the output of every program in testdata/members with that of Node. differs.txt
// lists the intended differences and their reasons.
func TestMembersMatchNode(t *testing.T) {
	e, differs, ran := sandboxed(t), memberBlocks(t, "differs.txt"), 0
	files := memberFiles(t)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			ran++
			node := memberBlocks(t, file+".golden")
			got := runMembers(t, e, file)
			if len(got) != len(node) {
				t.Errorf("%d members, %d in the golden: run golden.mjs", len(got), len(node))
			}

			for _, m := range got {
				want := withoutSecrets(node[m.name])
				if changes, ok := differs[m.name]; ok {
					want = otherwise(t, m.name, want, changes)
					delete(differs, m.name)
				}
				if m.text != want {
					t.Errorf("as differs.txt would have it:\n> %s\n%s", m.name, changed(want, m.text))
				}
			}
		})
	}

	for name := range differs {
		if ran < len(files) {
			break // -run selected only some files
		}
		t.Errorf("differs.txt is about %q, which no program prints", name)
	}
}

// otherwise applies the changes of differs.txt to Node's output: "-3 text" is Node's third line, and the "+ text"
// that follows is the sandbox's line.
func otherwise(t *testing.T, name, node, changes string) string {
	t.Helper()
	lines := strings.Split(node, "\n")
	at := -1
	for line := range strings.SplitSeq(strings.TrimSuffix(changes, "\n"), "\n") {
		number, said, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "-"):
			n, err := strconv.Atoi(number[1:])
			if err != nil || n > len(lines) || lines[n-1] != said {
				t.Errorf("%s: Node does not print %q any more", name, line)
				return node
			}
			at = n - 1
		case strings.HasPrefix(line, "+") && at >= 0:
			lines[at], at = said, -1
		}
	}
	return strings.Join(lines, "\n")
}

// changed returns the lines that differ between two texts.
func changed(node, ours string) string {
	var out strings.Builder
	a, b := strings.Split(node, "\n"), strings.Split(ours, "\n")
	for i := range max(len(a), len(b)) {
		one, other := slices.Concat(a, make([]string, len(b)))[i], slices.Concat(b, make([]string, len(a)))[i]
		if one != other {
			fmt.Fprintf(&out, "-%d %s\n+ %s\n", i+1, one, other)
		}
	}
	return out.String()
}

// TestMembersAreCovered checks that every listed member has a program. golden.mjs refuses a program that does not call
// its member.
func TestMembersAreCovered(t *testing.T) {
	printed := map[string]string{}
	for _, file := range memberFiles(t) {
		maps.Copy(printed, memberBlocks(t, file+".golden"))
	}

	for line := range strings.SplitSeq(text(t, "testdata/members/members.txt"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, name := range expand(line) {
			if _, ok := printed[name]; !ok {
				t.Errorf("no program prints %q", name)
			}
		}
	}
}

// expand expands braces: "a {b,c} {d,e}" gives four names.
func expand(line string) []string {
	before, rest, found := strings.Cut(line, "{")
	if !found {
		return []string{line}
	}
	choices, after, _ := strings.Cut(rest, "}")

	var names []string
	for choice := range strings.SplitSeq(choices, ",") {
		names = append(names, expand(before+choice+after)...)
	}
	return names
}

// TestModulesHaveNamesOfNode checks that each export of Node's modules exists and has the same kind (F22), except
// for those in absent.txt.
func TestModulesHaveNamesOfNode(t *testing.T) {
	var node map[string]map[string]string
	if err := json.Unmarshal([]byte(text(t, "testdata/members/names.json")), &node); err != nil {
		t.Fatal(err)
	}
	code := `exports.main = async (event) => {
		const missing = [];
		for (const name in event.data) {
			const module = require(name);
			for (const key in event.data[name]) {
				const wanted = event.data[name][key], [kind, method] = key.split(".prototype.");
				const there = method === undefined ? module[kind] : module[kind]?.prototype;
				if (method === undefined ? typeof there !== wanted : typeof module[kind] === "function" && !(method in Object(there))) missing.push(name + "." + key);
			}
		}
		return missing;
	}`
	report := sandboxed(t).Run(job(code, node), silent{})
	var missing []string
	if err := json.Unmarshal(report.Data, &missing); err != nil {
		t.Fatal(err, report.Error)
	}

	var absent []*regexp.Regexp
	for line := range strings.SplitSeq(text(t, "testdata/members/absent.txt"), "\n") {
		if pattern, _, _ := strings.Cut(line, " "); pattern != "" && pattern != "#" {
			absent = append(absent, regexp.MustCompile("^("+pattern+")$"))
		}
	}

	for _, name := range missing {
		if !slices.ContainsFunc(absent, func(p *regexp.Regexp) bool { return p.MatchString(name) }) {
			t.Errorf("%s is not as in Node", name)
		}
	}
}

// ---- running the programs

// memberResult is the output of a member's program.
type memberResult struct{ name, text string }

func (m *memberResult) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&m.name, &m.text})
}

// runMembers runs a file of programs in the sandbox.
func runMembers(t *testing.T, e *engine.Engine, file string) []memberResult {
	t.Helper()
	runner := text(t, "testdata/members/run.js")
	var keys any
	if err := json.Unmarshal([]byte(text(t, "testdata/crypto/keys.json")), &keys); err != nil {
		t.Fatal(err)
	}
	code := `exports.main = ({ data }) => (` + strings.TrimSuffix(runner[strings.Index(runner, "(async"):], "\n") +
		`)(data.source, require, data.keys)`
	event := map[string]any{"source": text(t, "testdata/members/"+file+".js"), "keys": keys}

	report := e.Run(job(code, event), silent{})
	var run struct{ Results []memberResult }
	if report.Error != nil || json.Unmarshal(report.Data, &run) != nil {
		t.Fatalf("%s: %+v", file, report.Error)
	}
	return run.Results
}

func memberFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/members/*.golden")
	if err != nil || len(paths) < 15 {
		t.Fatal(len(paths), "goldens", err)
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ".golden")
	}
	return paths
}

var blockStart = regexp.MustCompile(`(?m)^> `)

// memberBlocks returns the blocks of a file by their names, which follow "> ".
func memberBlocks(t *testing.T, file string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, block := range blockStart.Split(text(t, "testdata/members/"+file), -1)[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		all[name] = rest
	}
	return all
}
