package query

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"minicloud/shared/errs"
)

// Regex is the operand of $regex: an RE2 pattern and options, which are any of the letters i, m and s.
type Regex struct{ Pattern, Options string }

// Prefix returns the literal prefix of every match of a $regex, if the pattern is anchored and case-sensitive. An
// ordered index can then read a range. exact reports whether the prefix is the complete condition.
func (t *Term) Prefix() (prefix string, exact, ok bool) {
	pattern, isRegex := t.Operand.(Regex)
	if !isRegex {
		return "", false, false
	}

	tree, err := syntax.Parse(pattern.source(), syntax.Perl)
	if err != nil {
		return "", false, false
	}

	tree = tree.Simplify()
	// Without a leading ^, the pattern may match anywhere, so no range of an index contains the matches.
	if tree.Op != syntax.OpConcat || len(tree.Sub) < 2 || tree.Sub[0].Op != syntax.OpBeginText {
		return "", false, false
	}

	literal := tree.Sub[1]
	// An index is ordered by bytes, so a case-insensitive literal is not a single range.
	if literal.Op != syntax.OpLiteral || literal.Flags&syntax.FoldCase != 0 {
		return "", false, false
	}

	return string(literal.Rune), len(tree.Sub) == 2, true
}

// maxProgram is the maximum number of instructions of a compiled pattern: slightly more than MaxPattern bytes without
// repetition need. Matching takes up to that many steps per byte of text.
const maxProgram = 600

func (r Regex) source() string {
	if r.Options == "" {
		return r.Pattern
	}
	return "(?" + r.Options + ")" + r.Pattern
}

func (r Regex) compile(field string) (*regexp.Regexp, error) {
	if len(r.Pattern) > MaxPattern {
		return nil, errs.Invalid("$regex of field %q is longer than %d bytes", field, MaxPattern)
	}

	for i, option := range r.Options {
		if !strings.ContainsRune("ims", option) || strings.ContainsRune(r.Options[:i], option) {
			return nil, errs.Invalid("$options of field %q must be letters of i, m and s", field)
		}
	}

	// Parse the pattern without the options first, so that the options cannot complete an invalid pattern.
	tree, err := syntax.Parse(r.Pattern, syntax.Perl)
	if err != nil {
		return nil, errs.Invalid("$regex of field %q is not a valid RE2 pattern", field)
	}

	// Matching costs text length times program size, and repetitions such as a{1000} make the program huge.
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return nil, errs.Invalid("$regex of field %q repeats too much", field)
	}

	compiled, err := regexp.Compile(r.source())
	if err != nil {
		return nil, errs.Invalid("$regex of field %q is not a valid RE2 pattern", field)
	}

	return compiled, nil
}

func (g Grammar) regex(field string, pattern, options any) (*Term, error) {
	text, ok := pattern.(string)
	if !ok {
		return nil, errs.Invalid("$regex of field %q must be a string", field)
	}
	letters, ok := options.(string)
	if !ok && options != nil {
		return nil, errs.Invalid("$options of field %q must be letters of i, m and s", field)
	}
	return g.term(field, OpRegex, Regex{text, letters})
}
