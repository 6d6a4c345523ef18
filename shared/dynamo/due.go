package dynamo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/tenant"
)

// DueKey is a parsed sort key of a due list: a single partition, sorted by time and read from the start.
//
//	<time>#<scope>#<number>#<number> … #<text>    time: Unix seconds in 10 digits, or milliseconds in 13
type DueKey struct {
	At      time.Time
	Scope   tenant.Scope
	Numbers []int64
	Text    string // the rest after the numbers, "" if there is none
}

// millisDigits is the number of digits of a time in milliseconds; times in seconds have 10.
const millisDigits = 13

// DueSeconds formats the time of a due list in seconds. As the end of a range it excludes that second.
func DueSeconds(t time.Time) string { return fmt.Sprintf("%010d", t.Unix()) }

// DueMillis formats the time of a due list in milliseconds. As the end of a range it excludes that millisecond.
func DueMillis(t time.Time) string { return fmt.Sprintf("%013d", t.UnixMilli()) }

// ReadDue reads up to limit items of a due list whose time is before end, earliest first. numbers is the number of
// numbers in each key.
func ReadDue[T any](
	ctx context.Context, client *dynamodb.Client, table, pk, end string, limit, numbers int,
	read func(DueKey, Item) (T, error),
) ([]T, error) {
	out, err := client.Query(ctx, Query(table, pk, "", end, false, limit))
	if err != nil {
		return nil, Wrap("read what is due", err)
	}

	all := make([]T, len(out.Items))
	for i, it := range out.Items {
		key, err := ParseDue(TextOf(it["sk"]), numbers)
		if err != nil {
			return nil, err
		}
		if all[i], err = read(key, it); err != nil {
			return nil, fmt.Errorf("due item %q: %w", TextOf(it["sk"]), err)
		}
	}
	return all, nil
}

// ParseDue parses a sort key with the given number of numbers after its scope.
func ParseDue(sk string, numbers int) (key DueKey, err error) {
	wrong := fmt.Errorf("%q is no key of a due list", sk)
	// The text at the end may contain "#", so it is not split.
	parts := strings.SplitN(sk, "#", numbers+3)
	if len(parts) < numbers+2 {
		return key, wrong
	}

	at, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return key, wrong
	}
	// Some lists use seconds and some milliseconds: the number of digits tells which.
	if key.At = time.Unix(at, 0).UTC(); len(parts[0]) == millisDigits {
		key.At = time.UnixMilli(at).UTC()
	}
	if key.Scope, err = tenant.Parse(parts[1]); err != nil {
		return key, wrong
	}
	for _, text := range parts[2 : numbers+2] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return key, wrong
		}
		key.Numbers = append(key.Numbers, n)
	}
	key.Text = strings.Join(parts[numbers+2:], "#")
	return key, nil
}

// TimeKey returns a sort key that sorts by time in milliseconds, then by id.
func TimeKey(at time.Time, id string) string { return DueMillis(at) + "#" + id }

// ParseTimeKey parses a key that TimeKey returned.
func ParseTimeKey(sk string) (at time.Time, id string, err error) {
	ms, id, ok := strings.Cut(sk, "#")
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil || !ok {
		return at, "", fmt.Errorf("%q is no key with a time", sk)
	}
	return FromMillis(n), id, nil
}

// ScopeOf parses the scope at the start of a partition key.
func ScopeOf(pk string) (tenant.Scope, error) {
	scope, _, _ := strings.Cut(pk, "#")
	return tenant.Parse(scope)
}
