package check

import (
	"regexp"
	"strings"
)

// ReferenceIndex is the document that explains the numbers cited in comments.
const ReferenceIndex = "infra/decisions/references.md"

// citation matches a number in a comment: D37, G12. A number after a percent sign or a letter is a format verb or a
// name.
var citation = regexp.MustCompile(`(?:^|[^%\w.-])([CDFG][1-9][0-9]?)\b`)

// References reports numbers that comments of Go files cite and ReferenceIndex does not list.
func References(t *Tree) (problems findings) {
	index, err := t.Text(ReferenceIndex)
	if err != nil {
		return []string{err.Error()}
	}

	reported := map[string]bool{}
	for _, file := range t.Go {
		for _, group := range file.Syntax.Comments {
			for _, match := range citation.FindAllStringSubmatch(group.Text(), -1) {
				number := match[1]
				// Report each number once, however many comments cite it.
				if reported[number] || strings.Contains(index, "\n| "+number+" |") {
					continue
				}
				reported[number] = true
				problems.add("%s cites %s, which %s does not list", file.Path, number, ReferenceIndex)
			}
		}
	}
	return problems
}
