package api

import (
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
)

// runV1 serves endpoint 1, the older form that names the function in the body.
func (g *Group) runV1(w http.ResponseWriter, r *http.Request) error {
	return g.runNamed(w, r, job.SourceOpenAPI)
}

// runSDK serves the mini programs' twin of endpoint 1 (D22).
func (g *Group) runSDK(w http.ResponseWriter, r *http.Request) error {
	return g.runNamed(w, r, job.SourceSDK)
}

func (g *Group) runNamed(w http.ResponseWriter, r *http.Request, source job.Source) error {
	var body runBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if body.Name == "" {
		return errs.Invalid("function_name is required")
	}
	return g.runOne(w, r, body, source)
}
