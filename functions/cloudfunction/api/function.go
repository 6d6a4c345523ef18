package api

import (
	"net/http"
	"strconv"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/sandbox"
)

// functionView is a cloud function as the contract shows it, and its version. Only a list may leave the code out.
type functionView struct {
	ID        int64                     `json:"id"`
	Name      cloudfunction.Name        `json:"name"`
	Code      *string                   `json:"function_code,omitempty"`
	Remark    string                    `json:"remark"`
	Audit     cloudfunction.AuditStatus `json:"audit_status"`
	Plan      sandbox.Plan              `json:"plan_circle"`
	Version   int                       `json:"version"`
	CreatedAt int64                     `json:"created_at"`
	CreatedBy string                    `json:"created_by"`
	UpdatedAt int64                     `json:"updated_at"`
	UpdatedBy string                    `json:"updated_by"`
}

func viewFunction(f cloudfunction.Function) (functionView, error) {
	view := functionView{
		ID: int64(f.ID), Name: f.Name, Remark: f.Remark, Audit: f.Audit, Plan: f.Plan, Version: f.Version,
		CreatedAt: f.CreatedAt.Unix(), CreatedBy: f.CreatedBy, UpdatedAt: f.UpdatedAt.Unix(), UpdatedBy: f.UpdatedBy,
	}
	if f.Code.Gzip == nil {
		return view, nil
	}
	source, err := f.Code.Source()
	view.Code = &source
	return view, err
}

// writeFunction answers with a function record.
func writeFunction(w http.ResponseWriter, status int, f cloudfunction.Function) error {
	view, err := viewFunction(f)
	if err != nil {
		return err
	}
	httpapi.SetTag(w, tagOf(f))
	httpapi.Write(w, status, view)
	return nil
}

// tagOf is the version of a function: every change that callers make is a new one (D15).
func tagOf(f cloudfunction.Function) httpapi.Tag { return httpapi.TagOf(f.ID, f.Version) }

// unchanged lets a write change a function of the version that its If-Match names.
func unchanged(r *http.Request) (cloudfunction.Guard, error) {
	match, err := httpapi.IfMatch(r)
	return func(f cloudfunction.Function) error {
		return match.Allows("function "+strconv.Quote(string(f.Name)), tagOf(f))
	}, err
}

// author is who a change is recorded as made by.
func author(r *http.Request) string {
	caller := httpapi.CallerOf(r)
	if caller.Administrator != nil {
		return caller.Administrator.Name
	}
	return caller.Application.Owner.Nickname
}

// number reads a positive integer of the path; what is none names nothing.
func number(r *http.Request, name string) (int64, error) {
	n, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil || n <= 0 {
		return 0, errs.NotFound("%s %q does not exist", name, r.PathValue(name))
	}
	return n, nil
}
