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

// add adds what was counted of some days.
func (s *summary) add(days shares) {
	for day, kinds := range days {
		name := dayName(day)
		if s.days[name] == nil {
			s.days[name] = make(map[kind][2]int)
		}
		for k, part := range kinds {
			had := s.days[name][k]
			s.days[name][k] = [2]int{had[0] + part.n, had[1] | int(part.lanes)}
		}
	}
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

// foldAtOnce is how many tallies one transaction folds, those of an hour of a busy
// function and a few late ones. With what takes them in, each of another hour and
// day at most, these are 61 items, and less than 4 MB whatever they count.
const foldAtOnce = 20

// Fold is one Query where there is nothing to fold; then one BatchGetItem and
// one transaction for each 20 tallies: the summary, the hours of their days, the
// minutes of their hours, and the tallies that are removed.
func (s *Jobs) Fold(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) error {
	last := before.Add(-time.Second)
	found, err := s.tallies(ctx, scope, fn, oldest(last), last)
	if err != nil {
		return err
	}
	var failures []error
	for some := range slices.Chunk(found, foldAtOnce) {
		failures = append(failures, s.foldTallies(ctx, scope, fn, some))
	}
	return errors.Join(failures...)
}

// foldTallies moves tallies into the summary, errs.Conflict when any of it changed
// meanwhile: then nothing happened.
func (s *Jobs) foldTallies(ctx context.Context, scope tenant.Scope, fn id.ID, tallies []tally) error {
	minutes, writes := s.take(tallies)
	hours := minutes.rollUp(60)
	days := hours.rollUp(24)
	keys := []item{itemKey(daysKey(scope, fn), summaryKey)}
	for d := range days {
		keys = append(keys, itemKey(hoursKey(scope, fn), dayName(d)))
	}
	for h := range hours {
		keys = append(keys, itemKey(minutesKey(scope, fn), hourName(h)))
	}
	had, err := batchGet(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return wrap("read summary", err)
	}
	put, err := s.putSummary(keys[0], had[summaryKey], days)
	if err != nil {
		return err
	}
	writes = append(writes, put)
	for d := range days {
		it := addParts(itemKey(hoursKey(scope, fn), dayName(d)), had[dayName(d)], d, hours, d*24, 24)
		writes = append(writes, s.replace(it, had[dayName(d)]))
	}
	for h := range hours {
		it := addParts(itemKey(minutesKey(scope, fn), hourName(h)), had[hourName(h)], h/24, minutes, h*60, 60)
		writes = append(writes, s.replace(it, had[hourName(h)]))
	}
	err = s.write(ctx, writes)
	if conditionFailed(err) {
		return errs.Conflict("jobs of function %d are being counted", fn)
	}
	return wrap("fold tallies", err)
}

// take returns what tallies count, by minute, and how to remove them as they were
// read.
func (s *Jobs) take(tallies []tally) (minutes shares, removes []types.TransactWriteItem) {
	minutes = make(shares)
	for _, t := range tallies {
		minutes.addParts(t.counts, t.hour*60, job.Filter{}, func(kind) uint16 { return bit(t.lane) })
		remove := s.remove(stringOf(t.counts["pk"]), stringOf(t.counts["sk"]))
		remove.Delete.ConditionExpression = aws.String("#all = :all")
		remove.Delete.ExpressionAttributeNames = map[string]string{"#all": "all"}
		remove.Delete.ExpressionAttributeValues = item{":all": number(intOf(t.counts["all"]))}
		removes = append(removes, remove)
	}
	return minutes, removes
}

// putSummary adds days to the summary that was read, and drops those nobody keeps.
func (s *Jobs) putSummary(key, had item, days shares) (types.TransactWriteItem, error) {
	whole, err := decodeSummary(had)
	if err != nil {
		return types.TransactWriteItem{}, err
	}
	whole.add(days)
	last := slices.Max(slices.Collect(maps.Keys(whole.days)))
	newest, err := time.Parse(dayForm, last)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("summary of %q: %w", last, err)
	}
	kept := oldest(newest).Format(dayForm)
	maps.DeleteFunc(whole.days, func(name string, _ map[kind][2]int) bool { return name < kept })
	encoded, err := json.Marshal(whole.days)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("encode summary: %w", err)
	}
	it := maps.Clone(key)
	it["days"], it["expires_at"] = text(string(encoded)), instant(recordExpiry(newest))
	return s.replace(it, had), nil
}

// addParts returns the item of a day's hours, or an hour's minutes, that was read,
// and what is to be added: of the parts those from first on, so many.
func addParts(key, had item, day int64, parts shares, first, n int64) item {
	it := maps.Clone(key)
	maps.Copy(it, had)
	it["expires_at"] = instant(recordExpiry(dayStart(day)))
	for i := range n {
		for k, part := range parts[first+i] {
			name := partName(int(i), k)
			it[name] = number(intOf(it[name]) + int64(part.n))
		}
	}
	return it
}

// replace puts an item in the place of the one that was read, unless that was
// replaced meanwhile. Items that are read together need not be of one moment, so
// each has a revision of its own.
func (s *Jobs) replace(it, had item) types.TransactWriteItem {
	revision := intOf(had["revision"])
	it["revision"] = number(revision + 1)
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &s.Table, Item: it,
		ConditionExpression:       aws.String("attribute_not_exists(revision) OR revision = :had"),
		ExpressionAttributeValues: item{":had": number(revision)},
	}}
}
