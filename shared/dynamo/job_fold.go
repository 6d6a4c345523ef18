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

func daysKey(scope tenant.Scope, fn id.ID) string    { return scope.String() + "#days#" + fn.Key() }
func hoursKey(scope tenant.Scope, fn id.ID) string   { return scope.String() + "#hours#" + fn.Key() }
func minutesKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#minutes#" + fn.Key() }

const summaryKey = "summary"

// summary is what is folded of a function: how many jobs of each kind ended that
// were created on a day, and their lanes.
type summary struct {
	// revision counts the folds, so whoever reads several items knows that they
	// belong together.
	revision int64
	days     map[string]map[kind][2]int // n, lanes
}

// fold adds the tallies of one hour.
func (s *summary) fold(day int64, kinds map[kind]share) {
	name := dayName(day)
	if s.days[name] == nil {
		s.days[name] = make(map[kind][2]int)
	}
	for k, part := range kinds {
		had := s.days[name][k]
		s.days[name][k] = [2]int{had[0] + part.n, had[1] | int(part.lanes)}
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
// one transaction for each hour: the summary, the hours of its day, its minutes,
// and the tallies that are removed.
func (s *Jobs) Fold(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) error {
	last := before.Add(-time.Second)
	found, err := s.tallies(ctx, scope, fn, oldest(last), last)
	if err != nil {
		return err
	}
	hours := make(map[int64][]item)
	for _, av := range found {
		hour, _, err := parseTally(av)
		if err != nil {
			return err
		}
		hours[hour] = append(hours[hour], av)
	}
	var failures []error
	for _, hour := range slices.Sorted(maps.Keys(hours)) {
		failures = append(failures, s.foldHour(ctx, scope, fn, hour, hours[hour]))
	}
	return errors.Join(failures...)
}

// foldHour moves the tallies of one hour into the summary, errs.Conflict when any
// of it changed meanwhile: then nothing happened.
func (s *Jobs) foldHour(ctx context.Context, scope tenant.Scope, fn id.ID, hour int64, tallies []item) error {
	day := hour / 24
	hours, minutes := itemKey(hoursKey(scope, fn), dayName(day)), itemKey(minutesKey(scope, fn), hourName(hour))
	had, err := batchGet(ctx, s.Client, s.Table, itemKey(daysKey(scope, fn), summaryKey), hours, minutes)
	if err != nil {
		return wrap("read summary", err)
	}
	whole, err := decodeSummary(had[summaryKey])
	if err != nil {
		return err
	}
	counted, all, removes, err := s.take(tallies)
	if err != nil {
		return err
	}
	whole.fold(day, all)
	put, err := s.putSummary(scope, fn, whole, day)
	if err != nil {
		return err
	}
	writes := []types.TransactWriteItem{
		put,
		s.addTo(hours, had[dayName(day)], day, shares{hour % 24: all}),
		s.addTo(minutes, had[hourName(hour)], day, counted),
	}
	err = s.write(ctx, append(writes, removes...))
	if conditionFailed(err) {
		return errs.Conflict("jobs of %s are being counted", hourName(hour))
	}
	return wrap("fold tallies", err)
}

// take returns what the tallies of an hour count, by minute of the hour and in all,
// and how to remove them as they were read.
func (s *Jobs) take(tallies []item) (minutes shares, all map[kind]share, removes []types.TransactWriteItem, err error) {
	minutes, all = make(shares), make(map[kind]share)
	for _, av := range tallies {
		_, lane, err := parseTally(av)
		if err != nil {
			return nil, nil, nil, err
		}
		minutes.addParts(av, 0, job.Filter{}, func(kind) uint16 { return bit(lane) })
		remove := s.remove(stringOf(av["pk"]), stringOf(av["sk"]))
		remove.Delete.ConditionExpression = aws.String("#all = :all")
		remove.Delete.ExpressionAttributeNames = map[string]string{"#all": "all"}
		remove.Delete.ExpressionAttributeValues = item{":all": number(intOf(av["all"]))}
		removes = append(removes, remove)
	}
	for _, kinds := range minutes {
		for k, part := range kinds {
			all[k] = all[k].plus(part)
		}
	}
	return minutes, all, removes, nil
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

// addTo adds to the hours of a day, or the minutes of an hour. Only folds write
// them, and those exclude one another by the summary's revision.
func (s *Jobs) addTo(key, had item, day int64, counted shares) types.TransactWriteItem {
	it := maps.Clone(key)
	maps.Copy(it, had)
	it["expires_at"] = instant(recordExpiry(dayStart(day)))
	for n, kinds := range counted {
		for k, part := range kinds {
			name := partName(int(n), k)
			it[name] = number(intOf(it[name]) + int64(part.n))
		}
	}
	return types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: it}}
}
