package api

import (
	"context"
	"strconv"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/etag"
	"minicloud/shared/sandbox"
)

// ListedFunction is a cloud function in a list, which can leave the code out.
type ListedFunction struct {
	ID        httpapi.ID                `json:"id"`
	Name      cloudfunction.Name        `json:"name" schema:"FunctionName"`
	Code      *string                   `json:"function_code,omitempty" schema:"FunctionCode"` // The code. A list can leave it out with keys.
	Remark    string                    `json:"remark" schema:"Remark"`
	Audit     cloudfunction.AuditStatus `json:"audit_status" enum:"approved,rejected,waiting"` // The review status. Only approved functions run.
	Plan      sandbox.Plan              `json:"plan_circle" schema:"Plan"`
	Version   int                       `json:"version" minimum:"1"` // The version, which increases with each change.
	CreatedAt httpapi.Seconds           `json:"created_at"`
	CreatedBy string                    `json:"created_by"` // The nickname of the creator.
	UpdatedAt httpapi.Seconds           `json:"updated_at"`
	UpdatedBy string                    `json:"updated_by"`
}

// Function is a cloud function with its code.
type Function struct {
	ListedFunction `required:"function_code"`
}

func listed(f cloudfunction.Function) (ListedFunction, error) {
	view := ListedFunction{
		ID: httpapi.ID(f.ID), Name: f.Name, Remark: f.Remark, Audit: f.Audit, Plan: f.Plan, Version: f.Version,
		CreatedAt: httpapi.Seconds(f.CreatedAt.Unix()), CreatedBy: f.CreatedBy,
		UpdatedAt: httpapi.Seconds(f.UpdatedAt.Unix()), UpdatedBy: f.UpdatedBy,
	}
	if f.Code.Gzip == nil {
		return view, nil
	}
	source, err := f.Code.Source()
	view.Code = &source
	return view, err
}

// tagged returns a function and sets the ETag of the response to its version.
func tagged(ctx context.Context, f cloudfunction.Function, err error) (v Function, _ error) {
	if err != nil {
		return v, err
	}
	w, _ := httpapi.Exchange(ctx)
	etag.Set(w, tagOf(f))
	v.ListedFunction, err = listed(f)
	return v, err
}

// tagOf returns the ETag of a function. Every change by a caller makes a new version (D15).
func tagOf(f cloudfunction.Function) etag.Tag { return etag.Of(f.ID, f.Version) }

// named holds the path parameter of a function.
type named struct {
	Function string `path:"name" schema:"FunctionName"` // The name of the function.
}

// guarded is a write that If-Match can limit to one version of a function.
type guarded struct {
	named
	Match etag.Match
}

// guard returns an error unless f has the version that If-Match names.
func (g guarded) guard(f cloudfunction.Function) error {
	return g.Match.Allows("function "+strconv.Quote(string(f.Name)), tagOf(f))
}

// author returns the name stored as the author of a change.
func author(ctx context.Context) string {
	caller := httpapi.From(ctx)
	if caller.Administrator != nil {
		return caller.Administrator.Name
	}
	return caller.Application.Owner.Nickname
}

type newFunction struct {
	Name   string `json:"name" schema:"FunctionName" required:"true"`
	Code   string `json:"function_code" schema:"FunctionCode" required:"true"`
	Remark string `json:"remark" schema:"Remark"`
}

// create serves endpoint 5.
func (g *Group) create(ctx context.Context, in newFunction) (Function, error) {
	f, err := g.Functions.Create(ctx, httpapi.Scope(ctx), author(ctx), cloudfunction.New(in))
	return tagged(ctx, f, err)
}

// read serves endpoint 7.
func (g *Group) read(ctx context.Context, in named) (Function, error) {
	f, err := g.Functions.Read(ctx, httpapi.Scope(ctx), in.Function)
	return tagged(ctx, f, err)
}

type functionPatch struct {
	Name   *string `json:"name" schema:"FunctionName"`
	Code   *string `json:"function_code" schema:"FunctionCode"`
	Plan   *string `json:"plan_circle" schema:"Plan"`
	Remark *string `json:"remark" schema:"Remark"`
}

type modifyFunction struct {
	guarded
	functionPatch
}

// modify serves endpoint 8.
func (g *Group) modify(ctx context.Context, in modifyFunction) (Function, error) {
	patch := cloudfunction.Patch(in.functionPatch)
	f, err := g.Functions.Modify(ctx, httpapi.Scope(ctx), author(ctx), in.Function, patch, in.guard)
	return tagged(ctx, f, err)
}

// delete serves endpoint 9. It ignores the body, such as {} (D43).
func (g *Group) delete(ctx context.Context, in guarded) (none httpapi.None, err error) {
	return none, g.Functions.Delete(ctx, httpapi.Scope(ctx), in.Function, in.guard)
}

type checkCode struct {
	Code string `json:"function_code" schema:"FunctionCode" required:"true"`
}

type checked struct {
	Diagnostics []sandbox.Diagnostic `json:"diagnostics"`
}

// check compiles code and returns its diagnostics, an empty list if there are none. It stores nothing.
func (g *Group) check(ctx context.Context, in checkCode) (checked, error) {
	found, err := g.Functions.CheckOnly(ctx, httpapi.Scope(ctx), in.Code)
	if found == nil {
		found = []sandbox.Diagnostic{}
	}
	return checked{found}, err
}
