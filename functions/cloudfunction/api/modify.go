package api

import (
	"net/http"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/httpapi"
)

// modify serves endpoint 8.
func (g *Group) modify(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name   *string `json:"name"`
		Code   *string `json:"function_code"`
		Plan   *string `json:"plan_circle"`
		Remark *string `json:"remark"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	guard, err := unchanged(r)
	if err != nil {
		return err
	}
	f, err := g.Functions.ModifyIf(
		r.Context(), httpapi.ScopeOf(r), author(r), r.PathValue("name"), cloudfunction.Patch(body), guard,
	)
	if err != nil {
		return err
	}

	return writeFunction(w, http.StatusAccepted, f)
}
