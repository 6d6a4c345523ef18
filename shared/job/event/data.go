package event

import "minicloud/shared/errs"

// MaxNesting is the maximum number of levels of lists and objects in data; the engine's stack holds 3,900.
const MaxNesting = 1000

// Check returns errs.Invalid for data of more than most bytes or nested too deep. kind follows "data" in the message.
func (in Input) Check(kind string, most int) error {
	if len(in.Data) > most {
		return errs.Invalid("data%s must be at most %d bytes", kind, most)
	}
	if nesting(in.Data) > MaxNesting {
		return errs.Invalid("data must not be nested deeper than %d", MaxNesting)
	}

	return nil
}

// nesting returns the depth of nested lists and objects in a JSON text.
func nesting(json []byte) (deepest int) {
	// Skip brackets inside strings; a backslash escapes the quote that follows it.
	depth, inString := 0, false
	for i := 0; i < len(json); i++ {
		switch c := json[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}

	return deepest
}
