package userdb

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/bulk"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Groups implements user.GroupStore:
//
//	pk = <scope>#group   sk = 0              groups: their number
//	                     sk = <id>           group_name, parent, made_by, w0 … w7: write tokens
//	                     sk = <id>#<shard>   members: joined minus left, of this shard
//
// The transaction that changes a user's profile also adds 1 to or subtracts 1 from a random shard of each group, so the
// sum is exact and no shard is hot. The shards exist as long as the group, so no user can join a deleted group.
type Groups struct {
	Client *dynamo.Client
	Table  string
	Rows   *rowdb.Rows
}

// memberShards is the number of member counters per group.
const memberShards = 4

func groupPK(scope tenant.Scope) string { return scope.String() + "#group" }

func groupSK(g user.GroupID) string { return id.ID(g).Key() }

func shardSK(g user.GroupID, n int) string { return groupSK(g) + "#" + strconv.Itoa(n) }

// groupsSK is the sort key of the item with the number of groups; it sorts before every id.
const groupsSK = "0"

// attrParent is the attribute with the super group of a group.
const attrParent = "parent"

// InsertGroup runs one transaction of the group, its member counters and the number of groups.
func (s *Groups) InsertGroup(ctx context.Context, scope tenant.Scope, g user.Group, token string) error {
	it := dynamo.Key(groupPK(scope), groupSK(g.ID))
	it["group_name"], it["made_by"] = dynamo.Text(g.Name), dynamo.Text(token)
	if g.Parent != 0 {
		it[attrParent] = dynamo.Number(int64(g.Parent))
	}
	var counters []dynamo.Part
	for n := range memberShards {
		counter := dynamo.Key(groupPK(scope), shardSK(g.ID, n))
		counter["members"] = dynamo.Number(0)
		counters = append(counters, dynamo.Put(s.Table, counter, "", nil))
	}
	return s.insert(ctx, it, token, "user groups", user.MaxGroups, counters...)
}

// insert puts a group or super group and increments their number. It returns errs.Invalid if the number has reached
// most.
func (s *Groups) insert(
	ctx context.Context, it dynamo.Item, token, kind string, most int64, counters ...dynamo.Part,
) error {
	err := dynamo.Transact(ctx, s.Client, append([]dynamo.Part{
		dynamo.Update(s.Table, dynamo.TextOf(it["pk"]), groupsSK, "ADD groups :one", dynamo.NotExists+" OR groups < :max",
			dynamo.Item{":one": dynamo.Number(1), ":max": dynamo.Number(most)}),
		dynamo.Put(s.Table, it, dynamo.NotExists, nil),
	}, counters...)...)
	switch {
	case token != "" && dynamo.TextOf(dynamo.ItemAt(err, 1)["made_by"]) == token: // an earlier try inserted it
		return nil
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Invalid("there are at most %d %s", most, kind)
	case dynamo.ConditionFailed(err):
		return errs.Conflict("another request is doing the same, try again")
	}
	return dynamo.Wrap("insert into "+kind, err)
}

// remove deletes a group or super group and decrements their number.
func (s *Groups) remove(ctx context.Context, pk, sk string, missing error, others ...dynamo.Part) error {
	err := dynamo.Transact(ctx, s.Client, append([]dynamo.Part{
		dynamo.Delete(s.Table, pk, sk, dynamo.Exists, nil),
		dynamo.Update(s.Table, pk, groupsSK, "ADD groups :less", "", dynamo.Item{":less": dynamo.Number(-1)}),
	}, others...)...)
	if dynamo.ConditionFailedAt(err, 0) {
		return missing
	}
	return dynamo.Wrap("delete group", err)
}

// Group makes one Query for the group and its member counters.
func (s *Groups) Group(ctx context.Context, scope tenant.Scope, g user.GroupID) (user.Group, error) {
	groups, err := s.query(ctx, scope, groupSK(g), shardSK(g, memberShards))
	if err != nil {
		return user.Group{}, err
	}
	if len(groups) == 0 {
		return user.Group{}, user.NoGroup(g)
	}
	return groups[0], nil
}

// ListGroups makes one Query per MB.
func (s *Groups) ListGroups(ctx context.Context, scope tenant.Scope) ([]user.Group, error) {
	groups, err := s.query(ctx, scope, groupsSK+"0", "9")
	slices.Reverse(groups)
	return groups, err
}

// query returns the groups with sort keys from–to, oldest first.
func (s *Groups) query(ctx context.Context, scope tenant.Scope, from, to string) ([]user.Group, error) {
	var groups []user.Group
	for it, err := range dynamo.Items(ctx, s.Client, dynamo.Query(s.Table, groupPK(scope), from, to, false, 0)) {
		if err != nil {
			return nil, err
		}

		group, _, isShard := strings.Cut(dynamo.TextOf(it["sk"]), "#")
		n, err := strconv.ParseInt(group, 10, 64)
		switch {
		case err != nil:
		case isShard: // a group sorts immediately before its counters
			groups[len(groups)-1].Members += int(dynamo.IntegerOf(it["members"]))
		default:
			groups = append(groups, user.Group{
				ID: user.GroupID(n), Name: dynamo.TextOf(it["group_name"]),
				Parent: user.SuperGroupID(dynamo.IntegerOf(it[attrParent])),
			})
		}
	}
	return groups, nil
}

// ChangeGroup makes one conditional write.
func (s *Groups) ChangeGroup(
	ctx context.Context, scope tenant.Scope, g user.GroupID, c user.GroupChange, token string,
) error {
	writer := dynamo.NewWriteID()
	if token != "" {
		writer = dynamo.WriteID(token)
	}
	it, changed := dynamo.Item{}, []string(nil)
	if c.Name != nil {
		it["group_name"], changed = dynamo.Text(*c.Name), append(changed, "group_name")
	}
	if c.Parent != nil {
		changed = append(changed, attrParent)
		if *c.Parent != 0 {
			it[attrParent] = dynamo.Number(int64(*c.Parent))
		}
	}
	overwrite, values := dynamo.Overwrite(it, changed...)
	part := dynamo.Update(s.Table, groupPK(scope), groupSK(g), overwrite, dynamo.Exists, values)
	writer.Add(part.Update)
	err := dynamo.Write(ctx, s.Client, part)
	switch {
	case writer.In(dynamo.ItemAt(err, 0)): // done by an earlier attempt, or by an earlier try of the request
		return nil
	case dynamo.ConditionFailed(err):
		return user.NoGroup(g)
	}
	return dynamo.Wrap("change group", err)
}

// DeleteGroup runs one transaction of the group, its member counters and the cleanup operation.
func (s *Groups) DeleteGroup(ctx context.Context, scope tenant.Scope, g user.GroupID, cleanup bulk.Operation) error {
	parts := []dynamo.Part{bulkdb.Insert(s.Rows.Indexes, scope, cleanup)}
	for n := range memberShards {
		parts = append(parts, dynamo.Delete(s.Table, groupPK(scope), shardSK(g, n), "", nil))
	}
	return s.remove(ctx, groupPK(scope), groupSK(g), user.NoGroup(g), parts...)
}

// Move runs one transaction of the profiles and one member counter per group.
func (s *Groups) Move(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, members map[user.GroupID]int,
) error {
	var parts []dynamo.Part
	planned, failed := s.Rows.Plan(ctx, scope, t, changes)
	for i, some := range planned {
		if failed[i] != nil {
			return failed[i]
		}
		parts = append(parts, some...)
	}

	first := len(parts) // index of the first counter part
	groups := slices.Sorted(maps.Keys(members))
	for _, g := range groups {
		parts = append(parts, s.count(scope, g, members[g]))
	}

	err := dynamo.Transact(ctx, s.Client, parts...)
	for i := range first {
		if dynamo.ConditionFailedAt(err, i) {
			return errs.Conflict("another request is changing the same user, try again")
		}
	}
	for i, g := range groups {
		if dynamo.ConditionFailedAt(err, first+i) {
			return user.NoGroup(g)
		}
	}
	return dynamo.Wrap("change membership", err)
}

func (s *Groups) count(scope tenant.Scope, g user.GroupID, by int) dynamo.Part {
	return dynamo.Update(s.Table, groupPK(scope), shardSK(g, int(retry.Jitter(memberShards))),
		"ADD members :by", dynamo.Exists, dynamo.Item{":by": dynamo.Number(int64(by))})
}
