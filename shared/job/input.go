package job

import "minicloud/shared/errs"

// checkData refuses data that has more than most bytes, or more levels than the engine's stack holds.
func checkData(data []byte, kind string, most int) error {
	if len(data) > most {
		return errs.Invalid("data%s must be at most %d bytes", kind, most)
	}
	if nesting(data) > MaxNesting {
		return errs.Invalid("data must not be nested deeper than %d", MaxNesting)
	}

	return nil
}

// nesting returns the number of levels of lists and objects in a JSON text.
func nesting(json []byte) (deepest int) {
	// Brackets inside strings do not count, and a backslash hides the quote after it.
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
