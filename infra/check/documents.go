package check

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// MaxReadmeLines limits the README. Reference material belongs in infra/docs.
const MaxReadmeLines = 150

// link matches a link in a document to a file of the repository: [text](../file.md#place).
var link = regexp.MustCompile(`\]\(([^)\s#]*)(#[^)\s]*)?\)`)

// Links reports links in documents to missing files or headings.
func Links(t *Tree) (problems findings) {
	for _, name := range t.Files {
		if path.Ext(name) != ".md" {
			continue
		}

		text, err := t.Text(name)
		if err != nil {
			return []string{err.Error()}
		}

		for _, match := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(match[1], ":") { // an external link
				continue
			}
			if problem := follow(t, name, match[1], strings.TrimPrefix(match[2], "#")); problem != "" {
				problems.add("%s links to %s", name, problem)
			}
		}
	}

	return problems
}

// follow returns the error of a link in the document from, or "" if its target exists.
func follow(t *Tree, from, file, heading string) string {
	target := from
	if file != "" {
		target = path.Join(path.Dir(from), file)
	}
	// The tree lists only files; a link to a folder is valid if a file is below it.
	exists := func(name string) bool { return under(name, target) }
	if strings.HasPrefix(file, "/") || !slices.ContainsFunc(t.Files, exists) {
		return file + ", which is not there"
	}
	if heading == "" {
		return ""
	}

	text, err := t.Text(target)
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(text) {
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if ok && line[0] == '#' && slug(title) == heading {
			return ""
		}
	}
	return fmt.Sprintf("%s, which has no heading #%s", target, heading)
}

// slug returns a heading in the form that links use: "A Mac, and arm64" becomes a-mac-and-arm64.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Readme reports a README that is longer than MaxReadmeLines.
func Readme(t *Tree) findings {
	text, err := t.Text("README.md")
	if err != nil {
		return []string{err.Error()}
	}
	if lines := strings.Count(text, "\n"); lines > MaxReadmeLines {
		return []string{fmt.Sprintf("README.md: %d lines, at most %d; reference belongs in infra/docs",
			lines, MaxReadmeLines)}
	}
	return nil
}

// The shell functions of operations.md, its lists of tables, and ARNs whose service is a wildcard.
var (
	commandName = regexp.MustCompile(`\b(output|resource) ([A-Z]\w*)`)
	commandList = regexp.MustCompile(`TABLES="([\w ]+)"`)
	anyService  = regexp.MustCompile(`\barn:[\w-]+:\*:[^"]*`)
)

// Commands reports outputs and resources that commands in the documents name and the template lacks, and ARNs of
// policies that IAM refuses ("Resource vendor must be fully qualified").
func Commands(t *Tree, source string) (problems findings) {
	above, below, _ := strings.Cut(source, "\nOutputs:\n")
	sections := map[string]string{"output": "\n" + below, "resource": above}
	for _, name := range t.Files {
		if path.Dir(name) != "infra/docs" || path.Ext(name) != ".md" {
			continue
		}
		text, err := t.Text(name)
		if err != nil {
			return []string{err.Error()}
		}
		named := commandName.FindAllStringSubmatch(text, -1)
		for _, list := range commandList.FindAllStringSubmatch(text, -1) {
			for _, table := range strings.Fields(list[1]) {
				named = append(named, []string{"", "resource", strings.TrimSuffix(table, "Table") + "Table"})
			}
		}
		for _, n := range named {
			if !strings.Contains(sections[n[1]], "\n  "+n[2]+":\n") {
				problems.add("%s: template.yaml has no %s %s", name, n[1], n[2])
			}
		}
		for _, arn := range anyService.FindAllString(text, -1) {
			problems.add("%s: %s names no service", name, arn)
		}
	}
	return problems
}
