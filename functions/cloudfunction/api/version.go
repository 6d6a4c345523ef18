package api

import (
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
)

// FunctionVersion is one version of a function.
type FunctionVersion struct {
	Version   int                `json:"version" minimum:"1"`
	Name      cloudfunction.Name `json:"name" schema:"FunctionName"`
	Code      *string            `json:"function_code,omitempty"` // The code. Absent in a list.
	CodeBytes int                `json:"code_bytes" minimum:"1"`
	Remark    string             `json:"remark" schema:"Remark"`
	Plan      sandbox.Plan       `json:"plan_circle" schema:"Plan"`
	CreatedAt httpapi.Seconds    `json:"created_at"`
	CreatedBy string             `json:"created_by"`
	Current   bool               `json:"current"`
}

func viewVersion(v cloudfunction.Version) FunctionVersion {
	return FunctionVersion{
		Version: v.Number, Name: v.Name, CodeBytes: v.Code.Bytes, Remark: v.Remark, Plan: v.Plan,
		CreatedAt: httpapi.Seconds(v.CreatedAt.Unix()), CreatedBy: v.CreatedBy, Current: v.Current,
	}
}

type listVersions struct {
	named
	Page page.Request
}

// listVersions lists the versions of a function, the current one first (D15).
func (g *Group) listVersions(ctx context.Context, in listVersions) (answer httpapi.Envelope[FunctionVersion], err error) {
	got, err := g.Functions.Versions(ctx, httpapi.Scope(ctx), in.Function, in.Page)
	return httpapi.ListOf(ctx, in.Page, got, viewVersion), err
}

type ofVersion struct {
	Version int `path:"version" minimum:"1"`
}

type readVersion struct {
	named
	ofVersion
}

// readVersion serves one version with its code.
func (g *Group) readVersion(ctx context.Context, in readVersion) (view FunctionVersion, err error) {
	v, err := g.Functions.Version(ctx, httpapi.Scope(ctx), in.Function, in.Version)
	if err != nil {
		return view, err
	}
	source, err := v.Code.Source()
	view = viewVersion(v)
	view.Code = &source
	return view, err
}

type restoreVersion struct {
	guarded
	ofVersion
}

// restoreVersion makes a new version from an earlier one; it takes no body.
func (g *Group) restoreVersion(ctx context.Context, in restoreVersion) (Function, error) {
	f, err := g.Functions.Restore(ctx, httpapi.Scope(ctx), author(ctx), in.Function, in.Version, in.guard)
	return tagged(ctx, f, err)
}
