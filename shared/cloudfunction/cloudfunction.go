// Package cloudfunction manages the functions that developers upload: names, code, plans and versions (endpoints
// 5–9; D15 sets the limits).
//
// The id of a function never changes; its name, which callers use, may. Every change of name, code, plan or remark
// makes a new version:
//
//	version  1 ──► 2 ──► 3 ──► … the current one
//	         stored: the last 20 before it, which can be listed and restored
//
// The audit status says whether the function may run:
//
//	approved ◄──► waiting ◄──► rejected      only approved functions run;
//	                                         only the administration calls SetAudit
package cloudfunction

import (
	"time"

	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
)

// AuditStatus says whether a function may run.
type AuditStatus string

// The audit statuses of the API contract. New functions are approved (D15).
const (
	AuditApproved AuditStatus = "approved"
	AuditRejected AuditStatus = "rejected"
	AuditWaiting  AuditStatus = "waiting"
)

// Valid reports whether s is one of the audit statuses.
func (s AuditStatus) Valid() bool {
	return s == AuditApproved || s == AuditRejected || s == AuditWaiting
}

// Bundle is the command that bundles a function and its packages into one file. BundleBrowser has the flags that
// select the browser builds of packages, which are often smaller.
const (
	Bundle = "npx esbuild main.js --bundle --format=cjs --platform=node --target=es2022 --minify --keep-names " +
		"--outfile=function.js"
	BundleBrowser = "--main-fields=browser,module,main --conditions=browser"
)

// Limits of a function (D15).
const (
	MaxName     = 64      // characters
	MaxCode     = 1 << 20 // bytes of UTF-8 source
	MaxRemark   = 1000    // characters
	MaxVersions = 20      // stored before the current one
)

// Function is the current state of a cloud function.
type Function struct {
	ID     id.ID
	Name   Name
	Code   Code
	Remark string
	Audit  AuditStatus
	Plan   sandbox.Plan
	// Version starts at 1 and grows by one with every change of name, code, plan or remark.
	Version int
	// Revision grows with every write of the record; updates are conditional on it.
	Revision int64
	// VariablesVersion changes with every write of the function's variables; 0 = it has no variables.
	VariablesVersion int64
	CreatedAt        time.Time // whole seconds
	CreatedBy        string    // nickname of the creator
	UpdatedAt        time.Time // whole seconds
	UpdatedBy        string    // nickname of the last updater
	// Tokens are the write tokens of changes with an Idempotency-Key: each such change happens once (D8).
	Tokens writetoken.List
}

// Wire returns an upper bound of the JSON size of f in a list, without its code, in bytes.
func (f Function) Wire() int {
	return page.Wire(f.Remark) + page.Wire(f.CreatedBy) + page.Wire(f.UpdatedBy) + 1<<10
}

// Version is one version of a function.
type Version struct {
	Number    int
	Name      Name
	Code      Code
	Remark    string
	Plan      sandbox.Plan
	CreatedAt time.Time // when this version was made, whole seconds
	CreatedBy string    // nickname of the version's author
	Current   bool
}

// Snapshot returns the current version of f.
func (f Function) Snapshot() Version {
	return Version{
		Number: f.Version, Name: f.Name, Code: f.Code, Remark: f.Remark,
		Plan: f.Plan, CreatedAt: f.UpdatedAt, CreatedBy: f.UpdatedBy, Current: true,
	}
}
