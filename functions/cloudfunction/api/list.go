package api

import (
	"net/http"
	"strings"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// list serves endpoint 6, name__contains chooses among the functions. Where the
// code on a page would be too much for one answer the page is shorter than asked
// for; keys=-function_code leaves the code out.
func (g *Group) list(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	f := cloudfunction.Filter{Name: r.URL.Query().Get("name__contains")}
	if f.NoCode, err = withoutCode(r); err != nil {
		return err
	}

	got, err := g.Functions.Find(r.Context(), httpapi.ScopeOf(r), f, req)
	if err != nil {
		return err
	}

	views := page.Page[functionView]{Total: got.Total, Next: got.Next}
	for _, each := range got.Objects {
		view, err := viewFunction(each)
		if err != nil {
			return err
		}
		views.Objects = append(views.Objects, view)
	}

	httpapi.WriteList(w, r, req, views, func(v functionView) functionView { return v })

	return nil
}

// withoutCode reads keys: all of a function's record is read anyway, only its code apart from it, so that alone can be
// left out.
func withoutCode(r *http.Request) (bool, error) {
	keys := strings.TrimSpace(r.URL.Query().Get("keys"))
	switch keys {
	case "":
		return false, nil
	case "-function_code":
		return true, nil
	}
	return false, errs.Invalid("keys=%s cannot be served: only -function_code can be left out of this list", page.Clip(keys, 42))
}
