package userdb

import (
	"context"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Super groups lie beside the groups:
//
//	pk = <scope>#supergroup   sk = 0      groups: how many super groups there are
//	                          sk = <id>   group_name, made_by and tokens: write tokens
func superGroupPK(scope tenant.Scope) string { return scope.String() + "#supergroup" }

func superGroupSK(g user.SuperGroupID) string { return id.ID(g).Key() }

// InsertSuperGroup is one transaction of the super group and their number.
func (s *Groups) InsertSuperGroup(ctx context.Context, scope tenant.Scope, g user.SuperGroup, token string) error {
	pk := superGroupPK(scope)
	it := dynamo.Key(pk, superGroupSK(g.ID))
	it["group_name"], it["made_by"] = dynamo.Text(g.Name), dynamo.Text(token)
	insert := dynamo.Put(s.Table, it, dynamo.NotExists, nil)
	insert.Put.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld

	err := dynamo.Transact(ctx, s.Client,
		dynamo.Update(s.Table, pk, groupsSK, "ADD groups :one", dynamo.NotExists+" OR groups < :max",
			dynamo.Item{":one": dynamo.Number(1), ":max": dynamo.Number(user.MaxSuperGroups)}),
		insert,
	)
	switch {
	case token != "" && dynamo.TextOf(dynamo.ItemAt(err, 1)["made_by"]) == token: // an earlier try of the request
		return nil
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Invalid("there are at most %d user super groups", user.MaxSuperGroups)
	case dynamo.ConditionFailed(err):
		return errs.Conflict("another request is doing the same, try again")
	}
	return dynamo.Wrap("insert super group", err)
}

// SuperGroup is one read.
func (s *Groups) SuperGroup(ctx context.Context, scope tenant.Scope, g user.SuperGroupID) (user.SuperGroup, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, superGroupPK(scope), superGroupSK(g))
	if err != nil {
		return user.SuperGroup{}, err
	}
	if len(it) == 0 {
		return user.SuperGroup{}, user.NoSuperGroup(g)
	}
	return user.SuperGroup{
		ID: g, Name: dynamo.TextOf(it["group_name"]), Tokens: writetoken.List(dynamo.TextOf(it["tokens"])),
	}, nil
}

// ListSuperGroups is one query.
func (s *Groups) ListSuperGroups(ctx context.Context, scope tenant.Scope) (all []user.SuperGroup, err error) {
	in := dynamo.Query(s.Table, superGroupPK(scope), groupsSK+"0", "9", false, 0)
	for it, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseInt(dynamo.TextOf(it["sk"]), 10, 64)
		if err == nil {
			all = append(all, user.SuperGroup{ID: user.SuperGroupID(n), Name: dynamo.TextOf(it["group_name"])})
		}
	}
	slices.Reverse(all)
	return all, nil
}

// ChangeSuperGroup is one conditional write.
func (s *Groups) ChangeSuperGroup(ctx context.Context, scope tenant.Scope, old, next user.SuperGroup) error {
	values := dynamo.Item{
		":name": dynamo.Text(next.Name), ":tokens": dynamo.Text(string(next.Tokens)),
		":old": dynamo.Text(string(old.Tokens)),
	}
	condition := "attribute_exists(group_name) AND (attribute_not_exists(tokens) OR tokens = :old)"
	_, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, superGroupPK(scope), superGroupSK(old.ID),
		"SET group_name = :name, tokens = :tokens", condition, values))
	if !dynamo.ConditionFailed(err) {
		return dynamo.Wrap("change super group", err)
	}
	if _, err := s.SuperGroup(ctx, scope, old.ID); err != nil {
		return err
	}
	return errs.Conflict("another request is changing the same super group, try again")
}

// DeleteSuperGroup is one transaction of the super group and their number.
func (s *Groups) DeleteSuperGroup(ctx context.Context, scope tenant.Scope, g user.SuperGroupID) error {
	pk := superGroupPK(scope)
	err := dynamo.Transact(ctx, s.Client,
		dynamo.Delete(s.Table, pk, superGroupSK(g), dynamo.Exists, nil),
		dynamo.Update(s.Table, pk, groupsSK, "ADD groups :less", "", dynamo.Item{":less": dynamo.Number(-1)}),
	)
	if dynamo.ConditionFailedAt(err, 0) {
		return user.NoSuperGroup(g)
	}
	return dynamo.Wrap("delete super group", err)
}

// SetParent is one conditional write.
func (s *Groups) SetParent(
	ctx context.Context, scope tenant.Scope, g user.GroupID, parent user.SuperGroupID,
) error {
	_, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, groupPK(scope), groupSK(g),
		"SET "+attrParent+" = :parent", dynamo.Exists, dynamo.Item{":parent": dynamo.Number(int64(parent))}))
	if dynamo.ConditionFailed(err) {
		return user.NoGroup(g)
	}
	return dynamo.Wrap("set parent of group", err)
}

// LeaveParent is one conditional write.
func (s *Groups) LeaveParent(
	ctx context.Context, scope tenant.Scope, g user.GroupID, parent user.SuperGroupID,
) error {
	_, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, groupPK(scope), groupSK(g),
		"REMOVE "+attrParent, attrParent+" = :parent", dynamo.Item{":parent": dynamo.Number(int64(parent))}))
	if dynamo.ConditionFailed(err) { // it has another one, or is gone
		return nil
	}
	return dynamo.Wrap("take parent from group", err)
}
