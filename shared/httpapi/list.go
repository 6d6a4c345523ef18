package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"minicloud/shared/httpapi/paging"
	"minicloud/shared/page"
)

// Envelope is the response of every list endpoint.
type Envelope[V any] struct {
	Meta    paging.Meta `json:"meta"`
	Objects []V         `json:"objects"`
}

// Explain sets the headers with the plan of a query and the number of records and index entries that it read. Responses
// to end users do not keep them (planHeaders).
func Explain(ctx context.Context, plan string, scanned int) {
	w, _ := Exchange(ctx)
	w.Header().Set("X-Service-Plan", plan)
	w.Header().Set("X-Service-Scanned", strconv.Itoa(scanned))
}

// ListOf returns the response of a list: the page in its envelope, each record converted by view. If large records made
// the page shorter (page.MaxBytes), its limit is their number, so that an offset for the next page is correct as well.
func ListOf[T, V any](ctx context.Context, req page.Request, got page.Page[T], view func(T) V) Envelope[V] {
	objects := make([]V, 0, len(got.Objects))
	for _, record := range got.Objects {
		objects = append(objects, view(record))
	}
	return Envelope[V]{Meta: NewMeta(stateIn(ctx).request, got.Shown(req), got.Next, got.Total), Objects: objects}
}

// NewMeta returns the paging part for a page requested with req, whose limit may be the actual number of records. The
// URLs have the limit of r and keep every other query parameter.
func NewMeta(r *http.Request, req page.Request, next page.Cursor, total int) paging.Meta {
	kept := r.URL.Query()
	if stateOf(r).bodyQuery { // the other parameters stay in the body
		kept = url.Values{}
	}
	return paging.NewMeta(requestPath(r), r.URL.Query(), kept, req, next, total)
}
