package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

func daysKey(scope tenant.Scope, fn id.ID) string  { return scope.String() + "#days#" + fn.Key() }
func hoursKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#hours#" + fn.Key() }

const summaryKey = "summary"

// summary is what is folded of a function: how many jobs of each kind ended that
// were created on a day, and their lanes.
type summary struct {
	// revision counts the folds, so whoever reads several items knows that they
	// belong together.
	revision int64
	days     map[string]map[kind][2]int // n, lanes
}

// fold adds the tallies of one day.
func (s *summary) fold(day int64, hours shares) {
	name := dayName(day)
	if s.days[name] == nil {
		s.days[name] = make(map[kind][2]int)
	}
	for _, kinds := range hours {
		for k, part := range kinds {
			had := s.days[name][k]
			s.days[name][k] = [2]int{had[0] + part.n, had[1] | int(part.lanes)}
		}
	}
	s.revision++
}

// on returns the shares of one day.
func (s *summary) on(day int64) map[kind]share {
	kinds := make(map[kind]share)
	for k, part := range s.days[dayName(day)] {
		kinds[k] = share{part[0], uint16(part[1])}
	}
	return kinds
}

func decodeSummary(av item) (summary, error) {
	s := summary{days: make(map[string]map[kind][2]int)}
	if av == nil {
		return s, nil
	}
	s.revision = intOf(av["revision"])
	if err := json.Unmarshal([]byte(stringOf(av["days"])), &s.days); err != nil {
		return s, fmt.Errorf("decode summary: %w", err)
	}
	return s, nil
}

// summary is one GetItem: 12 KB for half a year with four kinds of jobs.
func (s *Jobs) summary(ctx context.Context, scope tenant.Scope, fn id.ID) (summary, error) {
	av, err := s.get(ctx, daysKey(scope, fn), summaryKey)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return summary{}, err
	}
	return decodeSummary(av)
}

// folded returns the revision of a summary.
func (s *Jobs) folded(ctx context.Context, scope tenant.Scope, fn id.ID) (int64, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: itemKey(daysKey(scope, fn), summaryKey), ConsistentRead: aws.Bool(true),
		ProjectionExpression: aws.String("revision"),
	})
	if err != nil {
		return 0, wrap("read summary", err)
	}
	return intOf(out.Item["revision"]), nil
}

// Fold is one Query where there is nothing to fold; then one BatchGetItem and
// one transaction for each day: the summary, the hours of that day, and the
// tallies that are removed.
func (s *Jobs) Fold(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) error {
	last := before.Add(-time.Second)
	found, err := s.tallies(ctx, scope, fn, oldest(last), last)
	if err != nil {
		return err
	}
	days := make(map[int64][]item)
	for _, av := range found {
		day, _, err := parseTally(av)
		if err != nil {
			return err
		}
		days[day] = append(days[day], av)
	}
	var failures []error
	for _, day := range slices.Sorted(maps.Keys(days)) {
		failures = append(failures, s.foldDay(ctx, scope, fn, day, days[day]))
	}
	return errors.Join(failures...)
}

// foldDay moves the tallies of one day into the summary, errs.Conflict when any
// of it changed meanwhile: then nothing happened.
func (s *Jobs) foldDay(ctx context.Context, scope tenant.Scope, fn id.ID, day int64, tallies []item) error {
	had, err := batchGet(ctx, s.Client, s.Table, itemKey(daysKey(scope, fn), summaryKey), itemKey(hoursKey(scope, fn), dayName(day)))
	if err != nil {
		return wrap("read summary", err)
	}
	whole, err := decodeSummary(had[summaryKey])
	if err != nil {
		return err
	}
	hours := make(shares)
	var removes []types.TransactWriteItem
	for _, av := range tallies {
		_, lane, err := parseTally(av)
		if err != nil {
			return err
		}
		hours.addHours(av, day, job.Filter{}, func(kind) uint16 { return bit(lane) })
		remove := s.remove(stringOf(av["pk"]), stringOf(av["sk"]))
		remove.Delete.ConditionExpression = aws.String("#all = :all")
		remove.Delete.ExpressionAttributeNames = map[string]string{"#all": "all"}
		remove.Delete.ExpressionAttributeValues = item{":all": number(intOf(av["all"]))}
		removes = append(removes, remove)
	}
	whole.fold(day, hours)
	put, err := s.putSummary(scope, fn, whole, day)
	if err != nil {
		return err
	}
	err = s.write(ctx, append([]types.TransactWriteItem{put, s.putHours(scope, fn, day, had[dayName(day)], hours)}, removes...))
	if conditionFailed(err) {
		return errs.Conflict("jobs of %s are being counted", dayName(day))
	}
	return wrap("fold tallies", err)
}

// putSummary replaces the summary that was read, without the days nobody keeps.
func (s *Jobs) putSummary(scope tenant.Scope, fn id.ID, whole summary, day int64) (types.TransactWriteItem, error) {
	kept := oldest(dayStart(day)).Format(dayForm)
	maps.DeleteFunc(whole.days, func(name string, _ map[kind][2]int) bool { return name < kept })
	last := slices.Max(slices.Collect(maps.Keys(whole.days)))
	newest, err := time.Parse(dayForm, last)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("summary of %q: %w", last, err)
	}
	encoded, err := json.Marshal(whole.days)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("encode summary: %w", err)
	}
	it := itemKey(daysKey(scope, fn), summaryKey)
	it["revision"], it["days"], it["expires_at"] = number(whole.revision), text(string(encoded)), instant(recordExpiry(newest))
	put := &types.Put{TableName: &s.Table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)")}
	if whole.revision > 1 {
		put.ConditionExpression = aws.String("revision = :had")
		put.ExpressionAttributeValues = item{":had": number(whole.revision - 1)}
	}
	return types.TransactWriteItem{Put: put}, nil
}

// putHours adds to the hours of a day. Only folds write them, and those exclude
// one another by the summary's revision.
func (s *Jobs) putHours(scope tenant.Scope, fn id.ID, day int64, had item, hours shares) types.TransactWriteItem {
	it := itemKey(hoursKey(scope, fn), dayName(day))
	maps.Copy(it, had)
	it["expires_at"] = instant(recordExpiry(dayStart(day)))
	for hour, kinds := range hours {
		for k, part := range kinds {
			name := hourName(int(hour%24), k)
			it[name] = number(intOf(it[name]) + int64(part.n))
		}
	}
	return types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: it}}
}
