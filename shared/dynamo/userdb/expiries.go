package userdb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
)

// The due list of temporary users has only keys:
//
//	pk = expiry#<shard>   sk = <Unix seconds>#<scope>#<user id>
func expirySK(e login.Expiry) string {
	return fmt.Sprintf("%s#%s#%d", dynamo.DueSeconds(e.At), e.Scope, e.User)
}

func (s *Sessions) expiries() dynamo.DueList {
	return dynamo.DueList{Client: s.Client, Table: s.Table, Name: "expiry", Numbers: 1, Shards: &s.shards}
}

// putExpiry returns the write of an entry, whose shard it chooses.
func (s *Sessions) putExpiry(ctx context.Context, e login.Expiry) (part dynamo.Part, err error) {
	key, err := s.expiries().Key(ctx, expirySK(e))
	return dynamo.Put(s.Table, key, "", nil), err
}

// takeExpiry returns the deletion of an entry, which fails if another tick has deleted it.
func (s *Sessions) takeExpiry(e login.Expiry) dynamo.Part {
	return dynamo.Delete(s.Table, s.expiries().Partition(e.Shard), expirySK(e), dynamo.Exists, nil)
}

// Expires reports whether an entry exists, in one read.
func (s *Sessions) Expires(ctx context.Context, e login.Expiry) (bool, error) {
	shard, err := s.expiries().Shard(ctx, expirySK(e))
	if err != nil {
		return false, err
	}
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, s.expiries().Partition(shard), expirySK(e))
	return len(it) > 0, err
}

// AddExpiry makes one write. Adding an entry again has no effect.
func (s *Sessions) AddExpiry(ctx context.Context, e login.Expiry) error {
	part, err := s.putExpiry(ctx, e)
	if err != nil {
		return err
	}
	return dynamo.Wrap("add expiry", dynamo.Write(ctx, s.Client, part))
}

// Expired makes one Query per shard.
func (s *Sessions) Expired(ctx context.Context, now time.Time, limit int) ([]login.Expiry, error) {
	return dynamo.ReadDue(ctx, s.expiries(), dynamo.DueSeconds(now.Add(time.Second)), limit,
		func(key dynamo.DueKey, _ dynamo.Item) (login.Expiry, error) {
			return login.Expiry{Scope: key.Scope, User: user.ID(key.Numbers[0]), At: key.At, Shard: key.Shard}, nil
		})
}

// MoveExpiry runs one transaction, or makes one write to remove the entry.
func (s *Sessions) MoveExpiry(ctx context.Context, e login.Expiry, to time.Time) error {
	parts := []dynamo.Part{s.takeExpiry(e)}
	if !to.IsZero() {
		part, err := s.putExpiry(ctx, login.Expiry{Scope: e.Scope, User: e.User, At: to})
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	return dynamo.DoTransact(ctx, s.Client, "move expiry", errs.Conflict("the expiry of user %d was taken", e.User), parts...)
}

// DeleteUser runs one transaction.
func (s *Sessions) DeleteUser(ctx context.Context, e login.Expiry, t table.Table, a user.Account, row table.Row) error {
	parts := []dynamo.Part{
		s.takeExpiry(e),
		dynamo.Delete(s.Table, userPK(e.Scope, e.User), accountSK, dynamo.IsRevision, dynamo.RevisionOf(a.Revision)),
	}
	refused, err := s.Rows.WriteWith(ctx, e.Scope, t, parts, []table.Change{{Old: &row}})
	if refused[0] != nil {
		return refused[0]
	}
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("user %d has changed", e.User)
	}
	return dynamo.Wrap("delete user", err)
}
