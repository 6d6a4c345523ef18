package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// kind is status, source and service type of an ended job, one letter each.
type kind string

func kindOf(r job.Record) kind {
	return kind([]byte{letter(job.Statuses, r.Status), letter(job.Sources, r.Source), letter(job.ServiceTypes, r.Service)})
}

func letter[T comparable](words []T, word T) byte { return 'a' + byte(slices.Index(words, word)) }

// selects reports whether jobs of this kind pass the filter.
func (k kind) selects(f job.Filter) bool {
	return (f.Status == "" || k[0] == letter(job.Statuses, f.Status)) &&
		(f.Source == "" || k[1] == letter(job.Sources, f.Source)) &&
		(f.Service == "" || k[2] == letter(job.ServiceTypes, f.Service))
}

func historyKey(scope tenant.Scope, fn id.ID, k kind, lane int) string {
	return fmt.Sprintf("%s#job#%s#%s%02d", scope, fn.Key(), k, lane)
}

// recordExpiry is the end of the 180th day after the job was made: records go
// in whole days, and their tallies with them.
func recordExpiry(created time.Time) time.Time {
	return created.Truncate(day).Add(job.KeepRecord + day)
}

// oldest is the first moment of which records are kept.
func oldest(now time.Time) time.Time { return now.Add(-job.KeepRecord).Truncate(day) }

const dayForm = "20060102"

// tally counts one ended job by kind and hour of creation.
func (s *Jobs) tally(scope tenant.Scope, r job.Record, lane int) types.TransactWriteItem {
	created := r.CreatedAt()
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.Table, Key: itemKey(tallyKey(scope, r.Function), fmt.Sprintf("%s#%02d", created.Format(dayForm), lane)),
		UpdateExpression:         aws.String("SET expires_at = :expires ADD #n :one"),
		ExpressionAttributeNames: map[string]string{"#n": fmt.Sprintf("%02d%s", created.Hour(), kindOf(r))},
		ExpressionAttributeValues: item{
			":expires": instant(recordExpiry(created)), ":one": number(1),
		},
	}}
}

// partition is where ended jobs of one kind and lane lie, with how many were
// created in which hour since 1970.
type partition struct {
	pk    string
	hours map[int64]int
}

func hourOf(t time.Time) int64    { return t.Unix() / 3600 }
func hourStart(h int64) time.Time { return time.Unix(h*3600, 0).UTC() }

// holds reports whether jobs of the hours first … last are there.
func (p partition) holds(first, last int64) bool {
	for h, n := range p.hours {
		if n > 0 && h >= first && h <= last {
			return true
		}
	}
	return false
}

// partitions reads the tallies of the days from … to and returns where jobs are
// that pass the filter. It costs one Query per MB: one day of a busy
// function is about 2 KB per lane.
func (s *Jobs) partitions(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, from, to time.Time) ([]partition, error) {
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: item{
			":pk": text(tallyKey(scope, fn)), ":from": text(from.Format(dayForm)), ":to": text(to.Format(dayForm) + "#~"),
		},
	}
	found := make(map[string]partition)
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return nil, wrap("read tallies", err)
		}
		for _, av := range out.Items {
			if err := addTally(found, scope, fn, f, av); err != nil {
				return nil, err
			}
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return slices.Collect(maps.Values(found)), nil
		}
	}
}

func addTally(found map[string]partition, scope tenant.Scope, fn id.ID, f job.Filter, av item) error {
	sk := stringOf(av["sk"])
	var lane int
	start, err := time.Parse(dayForm, sk[:min(len(sk), len(dayForm))])
	if err == nil {
		lane, err = strconv.Atoi(sk[len(dayForm)+1:])
	}
	if err != nil {
		return fmt.Errorf("tally %q: %w", sk, err)
	}
	for name, value := range av {
		hour, err := strconv.Atoi(name[:min(len(name), 2)])
		if err != nil || len(name) != 5 || !kind(name[2:]).selects(f) {
			continue
		}
		pk := historyKey(scope, fn, kind(name[2:]), lane)
		if found[pk].hours == nil {
			found[pk] = partition{pk: pk, hours: make(map[int64]int)}
		}
		found[pk].hours[hourOf(start)+int64(hour)] += int(intOf(value))
	}
	return nil
}
