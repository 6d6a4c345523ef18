package trigger

import (
	"strings"

	"minicloud/shared/errs"
)

// Problem is an error or a warning about a field of a trigger.
type Problem struct {
	Path    string `json:"path"` // The path of the field, such as condition.rules[2].operator.
	Message string `json:"message"`
}

// String returns the problem as one sentence.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Problems are all errors or warnings about a trigger.
type Problems []Problem

// Err returns the problems as one errs.Invalid, nil if there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return errs.Invalid("%s", strings.Join(lines, "; "))
}
