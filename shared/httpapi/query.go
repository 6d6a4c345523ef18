package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi/strictjson"
)

// Query serves the list of an Endpoint as POST <list path>query/: the members of the body replace the query parameters
// of the list, because a URL can have about 9 KB and a where 16 KB (D26). The query string may contain limit, offset
// and cursor, which override those of the body, so that a client sends the same body to the URL in meta.next.
//
// A query changes nothing and its response is not stored, so its Route sets Reads and Fresh; Keys and
// Expand are as in the Route of the list.
func Query(list Endpoint) Endpoint { return query{list} }

type query struct{ Endpoint }

// PostsQuery marks an Endpoint with its query parameters in the body, for the OpenAPI document.
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
	if err := checkShown(parameters, stateOf(r).shown); err != nil {
		return err
	}

	asked := r.WithContext(r.Context())
	target := *r.URL
	target.RawQuery = parameters.Encode()
	asked.URL = &target
	stateOf(r).bodyQuery = true // links contain only the position of the page: the other parameters stay in the body
	return q.Endpoint.serve(status, w, asked)
}

// placing are the parameters that select a page of a list.
var placing = []string{"limit", "offset", "cursor"}

// bodyParameters returns the members of the body as query parameters.
func bodyParameters(r *http.Request) (url.Values, error) {
	var object Object
	if err := Decode(r, &object); err != nil {
		return nil, err
	}
	return strictjson.Parameters(object)
}
