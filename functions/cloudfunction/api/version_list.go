package api

import (
	"net/http"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/httpapi"
	"minicloud/shared/sandbox"
)

// versionView is one version of a function. A list does not show the code.
type versionView struct {
	Version   int                `json:"version"`
	Name      cloudfunction.Name `json:"name"`
	Code      *string            `json:"function_code,omitempty"`
	CodeBytes int                `json:"code_bytes"`
	Remark    string             `json:"remark"`
	Plan      sandbox.Plan       `json:"plan_circle"`
	CreatedAt int64              `json:"created_at"`
	CreatedBy string             `json:"created_by"`
	Current   bool               `json:"current"`
}

func viewVersion(v cloudfunction.Version) versionView {
	return versionView{
		Version: v.Number, Name: v.Name, CodeBytes: v.Code.Bytes, Remark: v.Remark, Plan: v.Plan,
		CreatedAt: v.CreatedAt.Unix(), CreatedBy: v.CreatedBy, Current: v.Current,
	}
}

// listVersions lists the versions of a function, the current one first (D15).
func (g *Group) listVersions(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	got, err := g.Functions.Versions(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"), req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, got, viewVersion)
	return nil
}

// readVersion shows one version with its code.
func (g *Group) readVersion(w http.ResponseWriter, r *http.Request) error {
	n, err := number(r, "version")
	if err != nil {
		return err
	}

	v, err := g.Functions.Version(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"), int(n))
	if err != nil {
		return err
	}

	source, err := v.Code.Source()
	if err != nil {
		return err
	}

	view := viewVersion(v)
	view.Code = &source
	httpapi.Write(w, http.StatusOK, view)

	return nil
}
