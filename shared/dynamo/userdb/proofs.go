package userdb

import (
	"minicloud/shared/dynamo"
	"minicloud/shared/tenant"
	"minicloud/shared/user/login"
)

// Secrets that prove something about a user lie beside the users; package proofdb stores them:
//
//	pk = <scope>#<key of the proof>   sk = proof   secret_id: see login.Proof, spent_by: the request that spent it

// ProofSK is the sort key of a secret.
const ProofSK = "proof"

// ProofPK returns the partition key of a secret.
func ProofPK(scope tenant.Scope, key string) string { return scope.String() + "#" + key }

// SpendProof returns the write that spends a secret. Its condition fails if the secret is spent or replaced. A repeated
// request under the same name does not fail.
func SpendProof(table string, scope tenant.Scope, p login.Proof) dynamo.Part {
	return dynamo.Update(table, ProofPK(scope, p.Key), ProofSK, "SET spent_by = :name",
		"secret_id = :id AND (attribute_not_exists(spent_by) OR spent_by = :name)",
		dynamo.Item{":id": dynamo.Text(p.ID), ":name": dynamo.Text(p.By)})
}
