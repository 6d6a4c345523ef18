package api

import (
	"net/http"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// variableView is a variable of a function; the value of a secret is null (D46).
type variableView struct {
	Key    string  `json:"key"`
	Value  *string `json:"value"`
	Secret bool    `json:"secret"`
}

// listVariables lists the variables of a function by key.
func (g *Group) listVariables(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}

	all, err := g.Variables.List(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"))
	if err != nil {
		return err
	}

	from := min(req.Offset, len(all))
	to := min(from+req.Limit, len(all))
	got := page.Page[cloudfunction.Variable]{Objects: all[from:to], Total: len(all)}
	if to < len(all) {
		// At most 50 records: the offset is the place.
		got.Next = "more"
	}

	httpapi.WriteList(w, r, req, got, func(v cloudfunction.Variable) variableView { return variableView(v) })

	return nil
}

// readVariable shows one variable.
func (g *Group) readVariable(w http.ResponseWriter, r *http.Request) error {
	all, err := g.Variables.List(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"))
	if err != nil {
		return err
	}
	for _, v := range all {
		if v.Key == r.PathValue("key") {
			httpapi.Write(w, http.StatusOK, variableView(v))
			return nil
		}
	}
	return errs.NotFound("variable %q does not exist", r.PathValue("key"))
}

// putVariable sets a variable; its key is in the path, or in the body.
func (g *Group) putVariable(w http.ResponseWriter, r *http.Request) error {
	var body variableView
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if key := r.PathValue("key"); key != "" {
		body.Key = key
	}

	if err := g.Variables.Put(
		r.Context(), httpapi.ScopeOf(r), r.PathValue("name"), cloudfunction.Variable(body),
	); err != nil {
		return err
	}

	if body.Secret {
		body.Value = nil
	}

	httpapi.Write(w, http.StatusOK, body)
	return nil
}

// deleteVariable drops a variable.
func (g *Group) deleteVariable(w http.ResponseWriter, r *http.Request) error {
	if err := g.Variables.Delete(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"), r.PathValue("key")); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}
