package triggerdb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// wakesKey is one partition of the log's table, in the order of time. It takes about 1,000 writes a second; only runs
// that wait longer than a queue can hold them back come here.
//
//	pk = wake    sk = <time>#<scope>#<trigger>#<time of the run>#<run>
const wakesKey = "wake"

var _ trigger.Wakes = (*Runs)(nil)

func wakeSK(w trigger.Wake) string {
	m := w.Message
	return fmt.Sprintf("%013d#%s#%d#%d#%s", w.At.UnixMilli(), m.Scope, m.Trigger, m.At, m.Run)
}

// Plan is one PutItem.
func (s *Runs) Plan(ctx context.Context, w trigger.Wake) error {
	_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: dynamo.Key(wakesKey, wakeSK(w))})
	return dynamo.Wrap("plan a wake", err)
}

// Planned is one Query.
func (s *Runs) Planned(ctx context.Context, until time.Time, limit int) ([]trigger.Wake, error) {
	query := dynamo.Query(s.Table, wakesKey, "", fmt.Sprintf("%013d", until.UnixMilli()+1), false, limit)
	out, err := s.Client.Query(ctx, query)
	if err != nil {
		return nil, dynamo.Wrap("read wakes", err)
	}

	all := make([]trigger.Wake, 0, len(out.Items))
	for _, it := range out.Items {
		w, err := decodeWake(dynamo.TextOf(it["sk"]))
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

func decodeWake(sk string) (w trigger.Wake, err error) {
	parts := strings.Split(sk, "#")
	if len(parts) != 5 {
		return w, fmt.Errorf("wake %q: its key has another form", sk)
	}
	var numbers [3]int64
	for i, text := range []string{parts[0], parts[2], parts[3]} {
		if numbers[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return w, fmt.Errorf("wake %q: %w", sk, err)
		}
	}
	if _, err := tenant.Parse(parts[1]); err != nil {
		return w, fmt.Errorf("wake %q: %w", sk, err)
	}

	w.At = time.UnixMilli(numbers[0]).UTC()
	w.Message = trigger.Message{Scope: parts[1], Trigger: trigger.ID(numbers[1]), At: numbers[2], Run: parts[4]}
	return w, nil
}

// Drop is a BatchWriteItem for each 25 of them.
func (s *Runs) Drop(ctx context.Context, all []trigger.Wake) error {
	keys := make([]string, len(all))
	for i, w := range all {
		keys[i] = wakeSK(w)
	}
	return dynamo.Wrap("drop wakes", dynamo.BatchDelete(ctx, s.Client, s.Table, wakesKey, keys))
}
