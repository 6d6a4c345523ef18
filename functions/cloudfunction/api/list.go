package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// list serves endpoint 6. Where the code on a page would be too much for one
// answer the page is shorter than asked for.
func (g *Group) list(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}

	got, err := g.Functions.List(r.Context(), httpapi.ScopeOf(r), req)
	if err != nil {
		return err
	}

	views := page.Page[functionView]{Total: got.Total, Next: got.Next}
	for _, f := range got.Objects {
		view, err := viewFunction(f)
		if err != nil {
			return err
		}
		views.Objects = append(views.Objects, view)
	}

	httpapi.WriteList(w, r, req, views, func(v functionView) functionView { return v })

	return nil
}
