package check

import (
	"errors"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// MaxLines limits the lines of a Go file; nine in ten have fewer than 300.
const MaxLines = 700

// PackageComments reports packages without a package comment.
func PackageComments(t *Tree) (problems findings) {
	has := map[string]bool{}
	dirs := map[string]bool{}
	for _, source := range t.Go {
		// An external test package shares the folder of another package and needs no comment of its own.
		if strings.HasSuffix(source.Syntax.Name.Name, "_test") {
			continue
		}
		dirs[source.Dir] = true
		if source.Syntax.Doc != nil && len(strings.TrimSpace(source.Syntax.Doc.Text())) > 0 {
			has[source.Dir] = true
		}
	}

	for dir := range dirs {
		if !has[dir] {
			problems = append(problems, dir+": the package has no comment")
		}
	}
	slices.Sort(problems)
	return problems
}

// FileLengths reports Go files over MaxLines.
func FileLengths(t *Tree) (problems findings) {
	for _, source := range t.Go {
		text, err := t.Text(source.Path)
		if err != nil {
			return []string{err.Error()}
		}
		if lines := strings.Count(text, "\n"); lines > MaxLines && !ast.IsGenerated(source.Syntax) {
			problems.add("%s: %d lines, at most %d", source.Path, lines, MaxLines)
		}
	}
	return problems
}

// forbiddenNames are package names without a meaning.
var forbiddenNames = []string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc"}

// PackageNames reports packages with a forbidden name.
func PackageNames(t *Tree) (problems findings) {
	for _, source := range t.Go {
		if name := source.Syntax.Name.Name; slices.Contains(forbiddenNames, name) {
			problems.add("%s: package %s", source.Path, name)
		}
	}
	return problems
}

// addresses matches hosts of package registries. A file that names one works on one network only. The patterns are
// split so that this file does not match.
var addresses = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`registry\.` + `(npmjs|yarnpkg)\.\w+`,
	`(files\.|test\.)?` + `py` + `pi\.(org|python\.org)`,
	`files\.` + `pythonhosted\.org`,
	`(proxy|sum)\.` + `golang\.org`,
	`(static\.)?` + `crates\.` + `io`,
	`goproxy\.` + `(io|cn)`,
	`(ghcr|quay|docker)\.` + `io`,
	`public\.` + `ecr\.aws`,
	`\w+\.pkg\.` + `github\.com`,
}, "|") + `)\b`)

// stems are parts of registry addresses and settings: a text without a stem cannot match. Searching for the stems
// takes a hundredth of the time of the patterns.
var stems = []string{
	"registry", "index-url", "py" + "pi.", "pythonhosted", "golang" + ".org", "crates.", "goproxy.", "ghcr.", "quay.",
	"docker.", "ecr.aws", ".pkg.",
}

// registrySetting matches a setting that chooses any registry: in .npmrc, pip's requirements or options, or an input
// of a CI step.
var registrySetting = regexp.MustCompile(
	`(?mi)^\s*(@[\w-]+:)?registry\s*=|--(extra-)?index-url\b|^\s*registry-url\s*:`,
)

// Addresses reports files that name the host of a package registry or choose a registry, and lock files with
// download addresses.
func Addresses(t *Tree) (problems findings) {
	for _, name := range t.Files {
		if largeFiles[name] != "" { // generated; the patterns would need seconds
			continue
		}
		text, err := t.Text(name)
		if err != nil {
			return []string{err.Error()}
		}
		if path.Base(name) == "package-lock.json" && strings.Contains(text, `"resolved"`) {
			problems = append(
				problems, name+": holds download addresses (npm's omit-lockfile-registry-resolved leaves them out)",
			)
		}

		lower := strings.ToLower(text)
		if !slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(lower, stem) }) {
			continue
		}

		if found := addresses.FindString(text); found != "" {
			problems.add("%s: names the registry host %s", name, found)
		}
		// Go files are skipped: this package contains the patterns.
		if found := registrySetting.FindString(text); found != "" && path.Ext(name) != ".go" {
			problems.add("%s: chooses a registry with %q", name, strings.TrimSpace(found))
		}
	}

	return problems
}

// requirement matches a line of go.mod that requires a version.
var requirement = regexp.MustCompile(`(?m)^(?:require )?\t?(\S+\.\S+/\S+) (v\S+)`)

// Modules reports requirements of infra/lab with other versions than the product's. Commands that work on both
// modules use the newer version of each, and would test the product with packages that are not deployed.
func Modules(t *Tree) (problems findings) {
	product, err := t.Text("go.mod")
	lab, labErr := t.Text("infra/lab/go.mod")
	if err := errors.Join(err, labErr); err != nil {
		return []string{err.Error()}
	}

	versions := map[string]string{}
	for _, match := range requirement.FindAllStringSubmatch(product, -1) {
		versions[match[1]] = match[2]
	}

	for _, match := range requirement.FindAllStringSubmatch(lab, -1) {
		// A requirement that only the lab has cannot change a version of the product.
		if want, shared := versions[match[1]]; shared && want != match[2] {
			problems.add("infra/lab/go.mod: %s %s, but go.mod has %s", match[1], match[2], want)
		}
	}
	return problems
}

// superseded matches a decision that another one replaced: one line that links to its successor.
var superseded = regexp.MustCompile(`^# .+\n\nSuperseded by \[[0-9]+\]\([0-9a-z-]+\.md\)\.\n$`)

// decisionName matches a file name such as "0001-one-code-path.md".
var decisionName = regexp.MustCompile(`^(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md$`)

// Decisions reports decision records with a wrong name, a number that is taken, or one of the three parts missing. A
// superseded decision is only a link.
func Decisions(t *Tree) (problems findings) {
	last := -1
	names := slices.Clone(t.Files)
	slices.Sort(names)
	for _, name := range names {
		if path.Dir(name) != "infra/decisions" || name == ReferenceIndex {
			continue
		}

		match := decisionName.FindStringSubmatch(path.Base(name))
		if match == nil {
			problems = append(problems, name+": the name must be NNNN-title.md")
			continue
		}

		number, _ := strconv.Atoi(match[1])
		// Gaps are allowed: parallel work reserves numbers.
		if number == last {
			problems.add("%s: the number %04d is taken", name, number)
		}

		last = number

		text, err := t.Text(name)
		if err != nil {
			return []string{err.Error()}
		}

		if superseded.MatchString(text) {
			continue
		}

		for _, part := range []string{"# ", "## Context", "## Choice", "## Consequence"} {
			if !strings.Contains("\n"+text, "\n"+part) {
				problems.add("%s: has no %q", name, part)
			}
		}
	}

	if last <= 0 {
		problems = append(problems, "infra/decisions is empty")
	}

	return problems
}
