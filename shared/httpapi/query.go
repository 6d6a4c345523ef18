package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
)

// Query serves a list, an Endpoint, as POST <list path>query/: the fields of the body stand for
// the query parameters of the list, because a URL carries about 9 KB and a where
// may have 16 (D26). The query string may have limit, offset and cursor, which go
// before those of the body: so meta.next is a URL to which the same body is sent.
//
// A query changes nothing: its Route says so by Reads, and says by Fresh that no answer is remembered.
func Query(list Endpoint) Endpoint { return query{list} }

type query struct{ Endpoint }

// PostsQuery marks an Endpoint whose query parameters are members of the body, for its description.
func (query) PostsQuery() {}

func (q query) serve(status int, w http.ResponseWriter, r *http.Request) error {
	parameters, err := bodyParameters(r)
	if err != nil {
		return err
	}
	for name, values := range r.URL.Query() {
		if slices.Contains(placing, name) {
			parameters[name] = values
		} else if strings.Join(values, "") != "" {
			return errs.Invalid("%s of a query goes into the body, not into the query string", clip.Text(name, clip.Name))
		}
	}
	if err := checkShown(parameters, Route{Keys: true}); err != nil {
		return err
	}

	asked := r.WithContext(r.Context())
	target := *r.URL
	target.RawQuery = parameters.Encode()
	asked.URL = &target
	stateOf(r).bodyQuery = true // links of the page carry its place only: the other parameters stay in the body
	return q.Endpoint.serve(status, w, asked)
}

// placing are the parameters that say which page of a list is meant.
var placing = []string{"limit", "offset", "cursor"}

// bodyParameters reads the fields of the body as query parameters.
func bodyParameters(r *http.Request) (url.Values, error) {
	var object Object
	if err := Decode(r, &object); err != nil {
		return nil, err
	}

	parameters := url.Values{}
	for name, v := range object {
		text, err := parameterText(name, v)
		if err != nil {
			return nil, err
		}
		// Encoded as a query string, the body is checked by the same code as the URL.
		parameters.Set(name, text)
	}
	return parameters, nil
}

// parameterText writes a value as a query string would have it: objects as JSON,
// names and the items of a field__in by comma.
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

	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // it would make a where longer than it is
	if err := encoder.Encode(v); err != nil {
		return "", errs.Invalid("%s cannot be read", clip.Text(name, clip.Name))
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}
