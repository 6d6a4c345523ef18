package query

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"minicloud/shared/errs"
)

// Regex is the operand of $regex: an RE2 pattern and any of the letters ims.
type Regex struct{ Pattern, Options string }

// Prefix returns the text every match of a $regex starts with, when the
// pattern is anchored and case-sensitive: the range an ordered index can read.
// exact tells that the prefix is the whole condition.
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
	// Without ^ at its front the pattern may match anywhere, so no range of an index holds the matches.
	if tree.Op != syntax.OpConcat || len(tree.Sub) < 2 || tree.Sub[0].Op != syntax.OpBeginText {
		return "", false, false
	}

	literal := tree.Sub[1]
	// An index is ordered by bytes, so a case-insensitive literal has no single range.
	if literal.Op != syntax.OpLiteral || literal.Flags&syntax.FoldCase != 0 {
		return "", false, false
	}

	return string(literal.Rune), len(tree.Sub) == 2, true
}

// maxProgram is how many instructions a compiled pattern may have: what
// MaxPattern bytes without repetition need, and some more. Matching takes up to
// that many steps per byte of text.
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

	// Parsed without the options first, so that they cannot complete it.
	tree, err := syntax.Parse(r.Pattern, syntax.Perl)
	if err != nil {
		return nil, errs.Invalid("$regex of field %q is not a valid RE2 pattern", field)
	}

	// Matching costs text times program; a{1000} repeated makes a huge one.
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
