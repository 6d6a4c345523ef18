package check

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// EndpointDocument is the page that lists every endpoint.
const EndpointDocument = "infra/docs/endpoints.md"

// MaxReadmeLines is how long the README may get. What is looked up rather than
// read belongs in infra/docs.
const MaxReadmeLines = 150

// documented is one endpoint of the page: a line of its tables may name several.
type documented struct {
	route Route
	cited []int // the contract's numbers; none beside the contract
	files []string
}

// EndpointDocs reports where EndpointDocument and the route lists differ: routes
// it does not name, endpoints nobody serves, wrong programs, files that are not
// there, and numbers that are not the contract's.
func EndpointDocs(t *Tree, list []endpoint) []string {
	text, err := t.read(EndpointDocument)
	if err != nil {
		return []string{err.Error()}
	}

	var problems []string
	served, listed := Routes(t), map[string]bool{}
	for _, d := range documentedIn(text) {
		key := d.route.Method + " " + shape(d.route.Path)
		listed[key] = true

		i := slices.IndexFunc(served, func(r Route) bool { return r.Method+" "+shape(r.Path) == key })
		switch {
		case i < 0:
			problems = append(problems, fmt.Sprintf("%s: nobody serves %s %s", EndpointDocument, d.route.Method, d.route.Path))
		case served[i].Program != d.route.Program:
			problems = append(problems, fmt.Sprintf("%s: %s %s is served by %s, not %s",
				EndpointDocument, d.route.Method, d.route.Path, served[i].Program, d.route.Program))
		}
		problems = append(problems, d.wrong(t, list)...)
	}

	for _, r := range served {
		if !listed[r.Method+" "+shape(r.Path)] {
			problems = append(problems, fmt.Sprintf("%s does not name %s %s/ of %s",
				EndpointDocument, r.Method, r.Path, r.Program))
		}
	}
	return problems
}

// wrong reports files that are not there and numbers of other endpoints.
func (d documented) wrong(t *Tree, list []endpoint) []string {
	var problems []string
	for _, file := range d.files {
		if name := path.Join("functions", d.route.Program, file); !slices.Contains(t.Files, name) {
			problems = append(problems, fmt.Sprintf("%s: there is no %s", EndpointDocument, name))
		}
	}

	for _, number := range d.cited {
		is := func(e endpoint) bool {
			return e.number == number && e.method == d.route.Method && shape(e.path) == shape(d.route.Path)
		}
		if !slices.ContainsFunc(list, is) {
			problems = append(problems, fmt.Sprintf("%s: %s %s is not endpoint %d",
				EndpointDocument, d.route.Method, d.route.Path, number))
		}
	}
	return problems
}

// coded is text between backticks; parameter a part of a path such as :name.
var (
	coded     = regexp.MustCompile("`([^`]+)`")
	parameter = regexp.MustCompile(`:\w+`)
)

// documentedIn reads the lines of tables whose last cells are an endpoint, its
// program and its files, with or without a number before them.
func documentedIn(text string) []documented {
	var out []documented
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) < 3 {
			continue
		}
		var d documented
		if len(cells) == 4 {
			for number := range strings.SplitSeq(cells[0], ",") {
				if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
					d.cited = append(d.cited, n)
				}
			}
			cells = cells[1:]
		}
		d.route.Program = strings.TrimSpace(cells[1])
		for _, file := range coded.FindAllStringSubmatch(cells[2], -1) {
			d.files = append(d.files, file[1])
		}

		endpoint := coded.FindStringSubmatch(cells[0])
		if endpoint == nil {
			continue
		}
		words := strings.Fields(endpoint[1])
		d.route.Path = parameter.ReplaceAllString(strings.TrimSuffix(words[len(words)-1], "/"), "{}")
		for _, method := range words[:len(words)-1] {
			d.route.Method = method
			out = append(out, d)
		}
	}
	return out
}

// link is a link of a document to something in the repository: [text](../file.md#place).
var link = regexp.MustCompile(`\]\(([^)\s#]*)(#[^)\s]*)?\)`)

// Links reports links of documents to files or headings that are not there.
func Links(t *Tree) []string {
	var problems []string
	for _, name := range t.Files {
		if path.Ext(name) != ".md" {
			continue
		}

		text, err := t.read(name)
		if err != nil {
			return []string{err.Error()}
		}

		for _, match := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(match[1], ":") { // another site
				continue
			}
			if problem := follow(t, name, match[1], strings.TrimPrefix(match[2], "#")); problem != "" {
				problems = append(problems, fmt.Sprintf("%s links to %s", name, problem))
			}
		}
	}

	return problems
}

// follow says what is not there of a link in the document from; "" is right.
func follow(t *Tree, from, file, heading string) string {
	target := from
	if file != "" {
		target = path.Join(path.Dir(from), file)
	}
	exists := func(name string) bool { return under(name, target) }
	if strings.HasPrefix(file, "/") || !slices.ContainsFunc(t.Files, exists) {
		return file + ", which is not there"
	}
	if heading == "" {
		return ""
	}

	text, err := t.read(target)
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

// slug is a heading as links spell it: "A Mac, and arm64" is a-mac-and-arm64.
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
func Readme(t *Tree) []string {
	text, err := t.read("README.md")
	if err != nil {
		return []string{err.Error()}
	}
	if lines := strings.Count(text, "\n"); lines > MaxReadmeLines {
		return []string{fmt.Sprintf("README.md: %d lines, at most %d; reference belongs in infra/docs",
			lines, MaxReadmeLines)}
	}
	return nil
}
