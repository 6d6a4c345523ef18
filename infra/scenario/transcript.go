// Package scenario describes end-to-end stories as transcripts and plays them against a running platform: the local
// cloud, or the one at BASE_URL.
//
// A story is a file of steps in the .http format of editors, each with its expected response:
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
// {{name}} is replaced by a value from an earlier step. In an expected body, "<kind>" matches any value of that kind
// (any, integer, float, number, string, hex20, hex40, url), also inside a longer text (integer, string, word, hex20,
// hex40). "<name:kind>" also stores the value as {{name}}. The member "...": "..." allows members that are not
// listed. "=> 200 eventually" repeats the request until the response matches. A body "~ pattern" is a regular
// expression for a text response. A step without a body on either side expects none. An expected error must include
// its message.
package scenario

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Step is one request and its expected response.
type Step struct {
	Title  string
	Line   int // its first line in the file, for error messages
	Method string
	Path   string
	Header [][2]string
	Body   string
	Status int
	Want   string // expected body, "" = empty

	Eventually bool // the request is repeated until the response matches
}

// Parse parses a transcript.
func Parse(text string) ([]Step, error) {
	var steps []Step
	parts := strings.Split("\n"+text, "\n### ")
	line := strings.Count(parts[0], "\n") + 1
	for _, part := range parts[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		step, err := parseStep(rest)
		if err != nil {
			return nil, fmt.Errorf("line %d (%s): %w", line, title, err)
		}
		step.Title, step.Line = title, line
		steps = append(steps, step)
		line += strings.Count(part, "\n") + 1
	}

	if len(steps) == 0 {
		return nil, fmt.Errorf("no step: a step begins with a line \"### title\"")
	}

	return steps, nil
}

func parseStep(text string) (step Step, err error) {
	request, answer, ok := strings.Cut("\n"+text, "\n=> ")
	if !ok {
		return step, fmt.Errorf("no line \"=> status\"")
	}
	head, body, _ := strings.Cut(request, "\n\n")
	if head = strings.Trim(head, "\n"); head == "" {
		return step, fmt.Errorf("no request line")
	}

	lines := strings.Split(head, "\n")
	step.Method, step.Path, ok = strings.Cut(lines[0], " ")
	if !ok {
		return step, fmt.Errorf("%q is not \"METHOD path\"", lines[0])
	}
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ": ")
		if !ok {
			return step, fmt.Errorf("%q is not a header", line)
		}
		step.Header = append(step.Header, [2]string{name, value})
	}

	status, want, _ := strings.Cut(answer, "\n")
	step.Body, step.Want = strings.TrimSpace(body), strings.TrimSpace(want)
	status, step.Eventually = strings.CutSuffix(status, " eventually")
	if step.Status, err = strconv.Atoi(status); err != nil {
		return step, fmt.Errorf("%q is not a status", status)
	}

	return step, sayWhy(step)
}

var (
	sentences = regexp.MustCompile(`"(?:error_msg|error_description|code": 40100002, "message)":\s*"((?:[^"\\]|\\.)*)"`)
	wildcards = regexp.MustCompile(`<[^>]*>|\{\{[^}]*\}\}`)
	word      = regexp.MustCompile(`\pL`)
)

// sayWhy returns an error if a step expects an error without its message: "<string>" would accept any message, even
// an unclear one.
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
