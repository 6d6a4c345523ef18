package placeholder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Text spells a value as templates do: strings as they are, numbers without
// exponent where people would write none, objects and arrays as JSON, nothing for
// nil.
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

// decimal keeps all digits of an integer; they may be more than a float holds.
func decimal(n json.Number) string {
	f, err := n.Float64()
	if err != nil || !strings.ContainsAny(string(n), ".eE") {
		return string(n)
	}
	return number(f)
}

// number writes a float as JavaScript does: without exponent from 1e-6 to 1e21.
func number(f float64) string {
	if f == 0 {
		return "0" // also for -0
	}
	return encode(f)
}

func encode(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // escaping is the caller's (RenderEscaped)
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
