package strictjson

import (
	"net/url"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// Parameters returns the members of an object as query parameters, so that the same code checks both.
func Parameters(object map[string]any) (url.Values, error) {
	parameters := url.Values{}
	for name, v := range object {
		text, err := parameterText(name, v)
		if err != nil {
			return nil, err
		}
		parameters.Set(name, text)
	}
	return parameters, nil
}

// parameterText returns a value in its query string form: objects as JSON; names, and the items of a field__in,
// separated by commas.
func parameterText(name string, v any) (string, error) {
	byComma := name == "order_by" || name == "keys" || name == "expand" || strings.HasSuffix(name, "__in")
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		if name == "return_total_count" {
			return map[bool]string{true: "1", false: "0"}[v], nil
		}
	case []any:
		if !byComma {
			break
		}
		items := make([]string, len(v))
		for i, item := range v {
			text, err := parameterText("", item)
			if err != nil || strings.Contains(text, ",") {
				return "", errs.Invalid("%s must be an array of values without commas; where has no such limit", clip.Text(name, clip.Name))
			}
			items[i] = text
		}
		return strings.Join(items, ","), nil
	}

	text, err := value.Encode(v)
	if err != nil {
		return "", errs.Invalid("%s cannot be read", clip.Text(name, clip.Name))
	}
	return string(text), nil
}
