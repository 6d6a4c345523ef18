// Package scenario tells end-to-end stories as transcripts and plays them
// against a running platform: the local cloud, or the one BASE_URL names.
//
// A story is a file of steps, in the form editors know as .http files, each
// with the answer it expects:
//
//	### create the function
//	POST /oserve/v1.3/cloud-function/
//	Authorization: Bearer {{token}}
//
//	{"name": "hello", "function_code": "exports.main = …"}
//
//	=> 201
//	{"id": "<id:integer>", "name": "hello", "...": "..."}
//
// {{name}} stands for a value known by then. In an expected body "<kind>"
// matches any value of that kind (any, integer, float, number, string, hex20, hex40,
// url), also inside a longer text (integer, string, hex20, hex40), "<name:kind>"
// also remembers it as {{name}}, and the member
// "...": "..." allows members that are not listed. "=> 200 eventually" asks
// again until the answer fits. A body "~ pattern" is a
// regular expression for an answer that is text. A step without a body on
// either side expects none. An error must be expected with its sentence.
package scenario

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Step is one request and the answer it expects.
type Step struct {
	Title  string
	Line   int // where it begins, for messages
	Method string
	Path   string
	Header [][2]string
	Body   string
	Status int
	Want   string // expected body, "" = empty

	Eventually bool // the request is repeated until its answer fits
}

// Parse reads a transcript.
func Parse(text string) ([]Step, error) {
	var steps []Step
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		title, isStep := strings.CutPrefix(lines[i], "### ")
		if !isStep {
			i++
			continue
		}

		end := i + 1
		for end < len(lines) && !strings.HasPrefix(lines[end], "### ") {
			end++
		}

		step, err := parseStep(lines[i+1 : end])
		if err != nil {
			return nil, fmt.Errorf("line %d (%s): %w", i+1, title, err)
		}

		step.Title, step.Line = title, i+1
		steps = append(steps, step)
		i = end
	}

	if len(steps) == 0 {
		return nil, fmt.Errorf("no step: a step begins with a line \"### title\"")
	}

	return steps, nil
}

func parseStep(lines []string) (Step, error) {
	var step Step
	request, answer, ok := cut(lines, "=> ")
	if !ok {
		return step, fmt.Errorf("no line \"=> status\"")
	}
	if len(request) == 0 {
		return step, fmt.Errorf("no request line")
	}

	step.Method, step.Path, ok = strings.Cut(request[0], " ")
	if !ok {
		return step, fmt.Errorf("%q is not \"METHOD path\"", request[0])
	}

	head := 1
	for ; head < len(request) && request[head] != ""; head++ {
		name, value, ok := strings.Cut(request[head], ": ")
		if !ok {
			return step, fmt.Errorf("%q is not a header", request[head])
		}
		step.Header = append(step.Header, [2]string{name, value})
	}

	step.Body = strings.TrimSpace(strings.Join(request[head:], "\n"))
	step.Want = strings.TrimSpace(strings.Join(answer[1:], "\n"))
	status, eventually := strings.CutSuffix(strings.TrimPrefix(answer[0], "=> "), " eventually")
	step.Eventually = eventually
	var err error
	if step.Status, err = strconv.Atoi(status); err != nil {
		return step, fmt.Errorf("%q is not a status", status)
	}

	return step, sayWhy(step)
}

var (
	sentences = regexp.MustCompile(`"(?:error_msg|error_description)":\s*"((?:[^"\\]|\\.)*)"`)
	wildcards = regexp.MustCompile(`<[^>]*>|\{\{[^}]*\}\}`)
	word      = regexp.MustCompile(`\pL`)
)

// sayWhy refuses an expected error without the sentence that its reader gets:
// "<string>" would also let through one that nobody understands.
func sayWhy(step Step) error {
	found := sentences.FindAllStringSubmatch(step.Want, -1)
	if len(found) == 0 && step.Status >= http.StatusBadRequest && strings.HasPrefix(step.Want, "{") {
		return fmt.Errorf("the error has no error_msg")
	}
	for _, m := range found {
		if !word.MatchString(wildcards.ReplaceAllString(m[1], "")) {
			return fmt.Errorf("%s does not say which error: write its sentence, with <kind> inside for what varies", m[0])
		}
	}
	return nil
}

// cut splits lines before the first one with the prefix.
func cut(lines []string, prefix string) (before, after []string, found bool) {
	for i, line := range lines {
		if strings.HasPrefix(line, prefix) {
			return lines[:i], lines[i:], true
		}
	}
	return lines, nil, false
}
