package job

import "minicloud/shared/errs"

// checkData refuses data that is larger than most bytes, or nested deeper than a function could take it.
func checkData(data []byte, kind string, most int) error {
	if len(data) > most {
		return errs.Invalid("data%s must be at most %d bytes", kind, most)
	}
	if nesting(data) > MaxNesting {
		return errs.Invalid("data must not be nested deeper than %d", MaxNesting)
	}

	return nil
}

// nesting returns how many lists and objects of a JSON text are in one another at most.
func nesting(json []byte) (deepest int) {
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
