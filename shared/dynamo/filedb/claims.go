package filedb

import (
	"context"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/tenant"
)

const claimSK = "link"

func claimPK(scope tenant.Scope, cdnPath string) string { return scope.String() + "#link#" + cdnPath }

// claimItem is the stored form of a file.Claim.
type claimItem struct {
	By       int64           `dynamodbav:"by,omitempty"`
	File     file.ID         `dynamodbav:"file"`
	State    file.ClaimState `dynamodbav:"claim_state,omitempty"`
	Until    int64           `dynamodbav:"until"`
	Revision int64           `dynamodbav:"revision"`
	Expires  int64           `dynamodbav:"expires_at,omitempty"`
}

func errClaim(cdnPath string) error {
	return errs.Conflict("another request is using the link %q", cdnPath)
}

// claimPart returns the write that replaces a claim on the condition that it is unchanged.
func (s *Store) claimPart(scope tenant.Scope, cdnPath string, was, next file.Claim) dynamo.Part {
	pk := claimPK(scope, cdnPath)
	if next.Revision == 0 {
		return dynamo.Delete(s.Table, pk, claimSK, dynamo.IsRevision, dynamo.RevisionOf(was.Revision))
	}
	it := claimItem{By: next.By, File: next.File, State: next.State, Until: next.Until, Revision: next.Revision}
	if at := next.Expires(); !at.IsZero() {
		it.Expires = at.Unix()
	}
	return dynamo.PutRevision(s.Table, dynamo.Encode(pk, claimSK, it), was.Revision)
}

// Claim makes one read.
func (s *Store) Claim(ctx context.Context, scope tenant.Scope, cdnPath string) (file.Claim, error) {
	it, err := dynamo.Get[claimItem](ctx, s.Client, s.Table, claimPK(scope, cdnPath), claimSK, nil)
	return file.Claim{By: it.By, File: it.File, State: it.State, Until: it.Until, Revision: it.Revision}, err
}

// ReplaceClaim makes one transaction: a repeated single write would find its own effect and be refused.
func (s *Store) ReplaceClaim(ctx context.Context, scope tenant.Scope, cdnPath string, was, next file.Claim) error {
	return dynamo.DoTransact(ctx, s.Client, "replace claim", errClaim(cdnPath), s.claimPart(scope, cdnPath, was, next))
}
