package placeholder

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"minicloud/shared/language/value"
)

// Text returns the text of a value in a template: strings unchanged, numbers without exponent where possible (see
// number), objects and arrays as JSON, and "" for nil.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return number(v)
	case json.Number:
		return decimal(v)
	}
	return encode(v)
}

// decimal formats a JSON number. It keeps all digits of an integer, which may be more than a float64 holds.
func decimal(n json.Number) string {
	f, err := n.Float64()
	if err != nil || !strings.ContainsAny(string(n), ".eE") {
		return string(n)
	}
	return number(f)
}

// number formats a float like JavaScript: without exponent from 1e-6 to 1e21.
func number(f float64) string {
	if f == 0 {
		return "0" // also for -0
	}
	return encode(f)
}

func encode(v any) string {
	text, err := value.Encode(v) // the caller escapes (RenderEscaped)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
