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

// cut splits lines at the first one with the prefix.
func cut(lines []string, prefix string) (before, after []string, found bool) {
	for i, line := range lines {
		if strings.HasPrefix(line, prefix) {
			return lines[:i], lines[i:], true
		}
	}
	return lines, nil, false
}
