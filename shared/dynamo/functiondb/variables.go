package functiondb

import (
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Functions also implements cloudfunction.VariableStore:
//
//	pk = <scope>#variables   sk = <id>   all variables of a function; at most 50 × 4 KB, so they fit one item

// variablesItem is the stored form of a cloudfunction.VariableSet.
type variablesItem struct {
	Version int64             `dynamodbav:"version"`
	DataKey []byte            `dynamodbav:"data_key,omitempty"`
	Plain   map[string]string `dynamodbav:"plain,omitempty"`
	Secret  map[string][]byte `dynamodbav:"secret,omitempty"`
}

func variablesKey(scope tenant.Scope, fn id.ID) (pk, sk string) {
	return scope.String() + "#variables", fn.Key()
}

// Variables makes one GetItem.
func (s *Functions) Variables(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.VariableSet, error) {
	pk, sk := variablesKey(scope, fn)
	it, err := dynamo.Get[variablesItem](ctx, s.Client, s.Table, pk, sk, errs.NotFound("function %d has no variables", fn))
	return cloudfunction.VariableSet(it), err
}

// UpdateVariables runs one transaction of both records of the function and its variables.
func (s *Functions) UpdateVariables(
	ctx context.Context, scope tenant.Scope, old, next cloudfunction.Function, set cloudfunction.VariableSet,
) error {
	pk, sk := variablesKey(scope, old.ID)
	part := s.remove(pk, sk)
	if next.VariablesVersion > 0 {
		part = dynamo.Put(s.Table, dynamo.Encode(pk, sk, variablesItem(set)), "", nil)
	}

	return dynamo.Do(ctx, s.Client, "update variables",
		errs.Conflict("function %q is being changed by another request", old.Name),
		append(s.updates(scope, old, next), part)...)
}
