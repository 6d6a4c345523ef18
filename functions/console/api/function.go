package api

import (
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

type audit struct {
	ofEnvironment
	Name   string                    `path:"name"`
	Status cloudfunction.AuditStatus `json:"audit_status" required:"true" enum:"approved,rejected,waiting"` // Only approved functions run.
}

// AuditedFunction is a function and whether it may run.
type AuditedFunction struct {
	Name   string                    `json:"name"`
	Status cloudfunction.AuditStatus `json:"audit_status" enum:"approved,rejected,waiting"`
}

// putAudit serves PUT /console/api/application/:application/environment/:env/function/:name/audit/. It is for the operators
// of the platform: an application that could set its own status would need no audit.
func (g *Group) putAudit(ctx context.Context, in audit) (v AuditedFunction, err error) {
	if err := administrator(ctx).Everywhere(); err != nil {
		return v, err
	}
	a, err := g.Applications.Get(ctx, in.Application)
	if err != nil {
		return v, err
	}
	if _, known := a.Environment(in.Env); !known {
		return v, errs.NotFound("environment not found")
	}
	f, err := g.Functions.SetAudit(ctx, tenant.Scope{App: a.ID, Env: in.Env}, in.Name, in.Status)
	return AuditedFunction{string(f.Name), f.Audit}, err
}
