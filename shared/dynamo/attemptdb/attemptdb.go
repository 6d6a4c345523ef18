// Package attemptdb counts attempts that are limited per period, such as wrong passwords.
package attemptdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
)

// Store counts attempts in a table of the program:
//
//	pk = <key>   sk = attempts   attempts: their number, expires_at: the end of the period, w0: the write of the
//	                             first one, p<digest of a part>: the number of the part's attempts, if it has any
//
// A key may have parts with a limit of their own, such as a name the addresses from which it is tried: one write counts
// both, or none.
type Store struct {
	Client *dynamo.Client
	Table  string
}

const attemptsSK = "attempts"

// Attempt counts an attempt under a key and returns 0. If the key already has most attempts, it returns the time to
// wait. The first attempt starts a period, after which the count is reset. It makes one conditional write, or two for
// the first attempt of a period.
func (s *Store) Attempt(
	ctx context.Context, key string, most int, period time.Duration, now time.Time,
) (time.Duration, error) {
	return s.count(ctx, key, "", "expires_at > :now AND attempts < :most", dynamo.Item{":most": dynamo.Number(int64(most))}, period, now)
}

// AttemptOf is Attempt for a part of the key, which also waits if the part already has mostOfPart attempts.
func (s *Store) AttemptOf(
	ctx context.Context, key string, most int, part string, mostOfPart int, period time.Duration, now time.Time,
) (time.Duration, error) {
	name := partName(part)
	return s.count(ctx, key, name,
		"expires_at > :now AND attempts < :most AND (attribute_not_exists("+name+") OR "+name+" < :part)",
		dynamo.Item{":most": dynamo.Number(int64(most)), ":part": dynamo.Number(int64(mostOfPart))}, period, now)
}

// partName returns the attribute of a part: expressions take it as it is.
func partName(part string) string {
	sum := sha256.Sum256([]byte(part))
	return "p" + hex.EncodeToString(sum[:8])
}

// count counts an attempt under a key and a part, "" = none, on the condition that none of their limits is reached.
func (s *Store) count(
	ctx context.Context, key, part, condition string, values dynamo.Item, period time.Duration, now time.Time,
) (wait time.Duration, err error) {
	add := "ADD attempts :one"
	first := dynamo.Item{
		"pk": dynamo.Text(key), "sk": dynamo.Text(attemptsSK), "attempts": dynamo.Number(1),
		"expires_at": dynamo.Instant(now.Add(period)),
	}
	if part != "" {
		add += ", " + part + " :one"
		first[part] = dynamo.Number(1)
	}
	values[":one"], values[":now"] = dynamo.Number(1), dynamo.Instant(now)
	writer := dynamo.NewWriteID()
	writer.Put(first)

	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		wait = 0
		err := dynamo.Write(ctx, s.Client, dynamo.Update(s.Table, key, attemptsSK, add, condition, values))
		if !dynamo.ConditionFailed(err) {
			return dynamo.Wrap("count attempt", err)
		}
		until := time.Unix(dynamo.IntegerOf(dynamo.ItemAt(err, 0)["expires_at"]), 0)
		if until.Unix() > now.Unix() {
			wait = until.Sub(now)
			return nil
		}

		// The period is over. One of the concurrent attempts starts a new period, without the parts of the last one; the
		// others retry and count in it.
		err = dynamo.Write(ctx, s.Client, dynamo.Put(
			s.Table, first, dynamo.NotExists+" OR expires_at <= :now", dynamo.Item{":now": dynamo.Instant(now)}))
		switch {
		case writer.In(dynamo.ItemAt(err, 0)): // this attempt, whose first answer was lost
			return nil
		case dynamo.ConditionFailed(err):
			return errs.Conflict("another attempt came in between")
		}
		return dynamo.Wrap("count attempt", err)
	})
	return wait, err
}

// Forget resets the count of a key. It makes one write.
func (s *Store) Forget(ctx context.Context, key string) error {
	return dynamo.Do(ctx, s.Client, "forget attempts", nil, dynamo.Delete(s.Table, key, attemptsSK, "", nil))
}

// TakeBack decrements the count of a key. It makes one conditional write.
func (s *Store) TakeBack(ctx context.Context, key string) error {
	return dynamo.Do(ctx, s.Client, "take back attempt", nil, dynamo.Update(s.Table, key, attemptsSK, "ADD attempts :less",
		"attempts > :none", dynamo.Item{":less": dynamo.Number(-1), ":none": dynamo.Number(0)}))
}

// TakeBackOf is TakeBack for a part of the key. It makes one conditional write, or two if the part has other attempts: a
// part without attempts is removed, so that an item does not grow with each address from which a name is used.
func (s *Store) TakeBackOf(ctx context.Context, key, part string) error {
	name := partName(part)
	err := dynamo.Write(ctx, s.Client, dynamo.Update(s.Table, key, attemptsSK, "REMOVE "+name+" ADD attempts :less",
		"attempts > :none AND "+name+" = :one",
		dynamo.Item{":less": dynamo.Number(-1), ":none": dynamo.Number(0), ":one": dynamo.Number(1)}))
	if !dynamo.ConditionFailed(err) {
		return dynamo.Wrap("take back attempt", err)
	}
	return dynamo.Do(ctx, s.Client, "take back attempt", nil, dynamo.Update(s.Table, key, attemptsSK,
		"ADD attempts :less, "+name+" :less", "attempts > :none AND "+name+" > :none",
		dynamo.Item{":less": dynamo.Number(-1), ":none": dynamo.Number(0)}))
}
