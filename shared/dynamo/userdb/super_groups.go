package userdb

import (
	"context"
	"slices"
	"strconv"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Super groups are stored beside the groups:
//
//	pk = <scope>#supergroup   sk = 0      groups: number of super groups
//	                          sk = <id>   group_name, made_by and tokens: write tokens
func superGroupPK(scope tenant.Scope) string { return scope.String() + "#supergroup" }

func superGroupSK(g user.SuperGroupID) string { return id.ID(g).Key() }

// InsertSuperGroup runs one transaction of the super group and the number of super groups.
func (s *Groups) InsertSuperGroup(ctx context.Context, scope tenant.Scope, g user.SuperGroup, token string) error {
	it := dynamo.Key(superGroupPK(scope), superGroupSK(g.ID))
	it["group_name"], it["made_by"] = dynamo.Text(g.Name), dynamo.Text(token)
	return s.insert(ctx, it, token, "user super groups", user.MaxSuperGroups)
}

// SuperGroup makes one read.
func (s *Groups) SuperGroup(ctx context.Context, scope tenant.Scope, g user.SuperGroupID) (user.SuperGroup, error) {
	it, err := dynamo.Find(ctx, s.Client, s.Table, superGroupPK(scope), superGroupSK(g), user.NoSuperGroup(g))
	if err != nil {
		return user.SuperGroup{}, err
	}
	return user.SuperGroup{
		ID: g, Name: dynamo.TextOf(it["group_name"]), Tokens: writetoken.List(dynamo.TextOf(it["tokens"])),
	}, nil
}

// ListSuperGroups makes one Query.
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

// ChangeSuperGroup makes one conditional write.
func (s *Groups) ChangeSuperGroup(ctx context.Context, scope tenant.Scope, old, next user.SuperGroup) error {
	values := dynamo.Item{
		":name": dynamo.Text(next.Name), ":tokens": dynamo.Text(string(next.Tokens)),
		":was": dynamo.Text(old.Name), ":old": dynamo.Text(string(old.Tokens)),
	}
	condition := "group_name = :was AND (attribute_not_exists(tokens) OR tokens = :old)"
	err := dynamo.Write(ctx, s.Client, dynamo.Update(s.Table, superGroupPK(scope), superGroupSK(old.ID),
		"SET group_name = :name, tokens = :tokens", condition, values))
	switch {
	case dynamo.ItemAt(err, 0)["group_name"] != nil: // it exists, with another name or other tokens
		return errs.Conflict("another request is changing the same super group, try again")
	case dynamo.ConditionFailed(err):
		return user.NoSuperGroup(old.ID)
	}
	return dynamo.Wrap("change super group", err)
}

// DeleteSuperGroup runs one transaction of the super group and the number of super groups.
func (s *Groups) DeleteSuperGroup(ctx context.Context, scope tenant.Scope, g user.SuperGroupID) error {
	return s.remove(ctx, superGroupPK(scope), superGroupSK(g), user.NoSuperGroup(g))
}

// LeaveParent makes one conditional write. It does not change a group that has another parent or is deleted.
func (s *Groups) LeaveParent(ctx context.Context, scope tenant.Scope, g user.GroupID, parent user.SuperGroupID) error {
	return dynamo.Do(ctx, s.Client, "take parent from group", nil, dynamo.Update(
		s.Table, groupPK(scope), groupSK(g), "REMOVE "+attrParent, attrParent+" = :parent",
		dynamo.Item{":parent": dynamo.Number(int64(parent))}))
}
