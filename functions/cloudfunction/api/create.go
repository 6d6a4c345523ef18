package api

import (
	"net/http"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/httpapi"
)

// create serves endpoint 5.
func (g *Group) create(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name   string `json:"name"`
		Code   string `json:"function_code"`
		Remark string `json:"remark"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	f, err := g.Functions.Create(r.Context(), httpapi.ScopeOf(r), author(r), cloudfunction.New(body))
	if err != nil {
		return err
	}
	return writeFunction(w, http.StatusCreated, f)
}
