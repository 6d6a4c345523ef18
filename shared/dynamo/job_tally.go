package dynamo

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
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
// in whole days, and what counts them with them.
func recordExpiry(created time.Time) time.Time {
	return created.Truncate(day).Add(job.KeepRecord + day)
}

// oldest is the first moment of which records are kept.
func oldest(now time.Time) time.Time { return now.Add(-job.KeepRecord).Truncate(day) }

// Days, hours and minutes are counted since 1970; these are their names in keys.
const (
	dayForm  = "20060102"
	hourForm = "2006010215"
)

func dayOf(t time.Time) int64       { return t.Unix() / (24 * 3600) }
func dayStart(d int64) time.Time    { return time.Unix(d*24*3600, 0).UTC() }
func dayName(d int64) string        { return dayStart(d).Format(dayForm) }
func hourOf(t time.Time) int64      { return t.Unix() / 3600 }
func hourStart(h int64) time.Time   { return time.Unix(h*3600, 0).UTC() }
func hourName(h int64) string       { return hourStart(h).Format(hourForm) }
func minuteOf(t time.Time) int64    { return t.Unix() / 60 }
func minuteStart(m int64) time.Time { return time.Unix(m*60, 0).UTC() }

// tally counts one ended job by kind and minute of creation. What counts all of
// the item tells Fold whether it has changed.
func (s *Jobs) tally(scope tenant.Scope, r job.Record, lane int) types.TransactWriteItem {
	created := r.CreatedAt()
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.Table, Key: itemKey(tallyKey(scope, r.Function), tallyName(lane, created)),
		UpdateExpression:         aws.String("SET expires_at = :expires ADD #n :one, #all :one"),
		ExpressionAttributeNames: map[string]string{"#n": partName(created.Minute(), kindOf(r)), "#all": "all"},
		ExpressionAttributeValues: item{
			":expires": instant(recordExpiry(created)), ":one": number(1),
		},
	}}
}

// tallyName is the sort key of a tally. The lane is first: what a busy function
// writes is then spread over all of the keys, where DynamoDB can split them.
func tallyName(lane int, t time.Time) string { return fmt.Sprintf("%02d#%s", lane, t.Format(hourForm)) }

// partName is the attribute that counts a kind in an hour of a day, or in a minute
// of an hour.
func partName(n int, k kind) string { return fmt.Sprintf("%02d%s", n, k) }

// parsePart reads an attribute's name, false when it is another one.
func parsePart(name string) (n int, k kind, ok bool) {
	n, err := strconv.Atoi(name[:min(len(name), 2)])
	return n, kind(name[min(len(name), 2):]), err == nil && len(name) == 5
}

// share is how many ended jobs of one kind were created in some time, and in
// which lanes of the history they are, one bit each.
type share struct {
	n     int
	lanes uint16
}

func (s share) plus(more share) share { return share{s.n + more.n, s.lanes | more.lanes} }

// width returns in how many lanes they are.
func (s share) width() int { return bits.OnesCount16(s.lanes) }

// shares are those of some days, hours or minutes.
type shares map[int64]map[kind]share

func (s shares) add(at int64, k kind, more share) {
	if s[at] == nil {
		s[at] = make(map[kind]share)
	}
	s[at][k] = s[at][k].plus(more)
}

// rollUp makes hours of minutes, or days of hours, each of so many.
func (s shares) rollUp(each int64) shares {
	whole := make(shares)
	for n, kinds := range s {
		for k, part := range kinds {
			whole.add(n/each, k, part)
		}
	}
	return whole
}

func (s shares) sum(at int64) int {
	n := 0
	for _, part := range s[at] {
		n += part.n
	}
	return n
}

// tallies reads what Ends counted for the hours from … to and no Fold has taken
// yet, by hour: this hour and the one before, as a rule. It costs one Query per MB
// of what is not folded; one hour of a busy function is 2 KB per lane.
func (s *Jobs) tallies(ctx context.Context, scope tenant.Scope, fn id.ID, from, to time.Time) ([]tally, error) {
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item{":pk": text(tallyKey(scope, fn))},
	}
	var found []tally
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return nil, wrap("read tallies", err)
		}
		for _, av := range out.Items {
			t, err := parseTally(av)
			if err != nil {
				return nil, err
			}
			if t.hour >= hourOf(from) && t.hour <= hourOf(to) {
				found = append(found, t)
			}
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			slices.SortStableFunc(found, func(a, b tally) int { return cmp.Compare(a.hour, b.hour) })
			return found, nil
		}
	}
}

// tally is what one lane counted of the jobs made in an hour.
type tally struct {
	hour   int64
	lane   int
	counts item
}

func parseTally(av item) (tally, error) {
	sk := stringOf(av["sk"])
	lane, hour, _ := strings.Cut(sk, "#")
	n, err := strconv.Atoi(lane)
	if err != nil {
		return tally{}, fmt.Errorf("tally %q: %w", sk, err)
	}
	start, err := time.Parse(hourForm, hour)
	if err != nil {
		return tally{}, fmt.Errorf("tally %q: %w", sk, err)
	}
	return tally{hourOf(start), n, av}, nil
}

// addParts adds what an item counts by hour or minute, of the kinds that pass the
// filter. first is the hour, or minute, that the item begins with.
func (s shares) addParts(av item, first int64, f job.Filter, lanes func(kind) uint16) {
	for name, value := range av {
		if n, k, ok := parsePart(name); ok && k.selects(f) {
			s.add(first+int64(n), k, share{int(intOf(value)), lanes(k)})
		}
	}
}
