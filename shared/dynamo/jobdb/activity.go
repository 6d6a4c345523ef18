package jobdb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

func activeKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#" + fn.Key() }

// Announce is one PutItem.
func (s *Store) Announce(ctx context.Context, a job.Active) error {
	it := dynamo.Key("active", activeKey(a.Scope, a.Function))
	it["until"] = dynamo.Number(a.Until.UnixMilli())
	_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: it})
	return dynamo.Wrap("announce", err)
}

// Active is one Query per MB, about ten thousand functions.
func (s *Store) Active(ctx context.Context) ([]job.Active, error) {
	var active []job.Active
	err := dynamo.EachItem(ctx, s.Client, dynamo.Query(s.Table, "active", "", "", false, 0), func(av dynamo.Item) error {
		scope, fn, _, err := parsePath(dynamo.TextOf(av["sk"]))
		active = append(
			active, job.Active{Scope: scope, Function: fn, Until: dynamo.FromMillis(dynamo.IntegerOf(av["until"]))},
		)
		return err
	})
	return active, err
}

// Forget is one conditional DeleteItem.
func (s *Store) Forget(ctx context.Context, a job.Active) error {
	_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.Table, Key: dynamo.Key("active", activeKey(a.Scope, a.Function)),
		ConditionExpression: aws.String("#until = :until"), ExpressionAttributeNames: map[string]string{"#until": "until"},
		ExpressionAttributeValues: dynamo.Item{":until": dynamo.Number(a.Until.UnixMilli())},
	})
	if dynamo.ConditionFailed(err) {
		return nil
	}
	return dynamo.Wrap("forget", err)
}

func dueKey(d job.Due) string {
	key := fmt.Sprintf("%010d#%s#%s#%s", d.RunAt.Unix(), d.Scope, d.Function.Key(), d.Job.Key())
	if d.Callback {
		key += dueCallback
	}
	return key
}

// dueCallback ends the key of a callback that is due.
const dueCallback = "#callback"

// Due is one Query.
func (s *Store) Due(ctx context.Context, t time.Time, limit int) ([]job.Due, error) {
	out, err := s.Client.Query(ctx, dynamo.Query(s.Table, "due", "", fmt.Sprintf("%010d", t.Unix()), false, limit))
	if err != nil {
		return nil, dynamo.Wrap("read due jobs", err)
	}

	var due []job.Due
	for _, av := range out.Items {
		at, path, _ := strings.Cut(dynamo.TextOf(av["sk"]), "#")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("due job %q: %w", dynamo.TextOf(av["sk"]), err)
		}

		path, callback := strings.CutSuffix(path, dueCallback)
		scope, fn, jobID, err := parsePath(path)
		if err != nil {
			return nil, err
		}

		due = append(due, job.Due{
			Scope: scope, Function: fn, Job: jobID, RunAt: time.Unix(seconds, 0).UTC(), Callback: callback,
		})
	}

	return due, nil
}

// Drop is one DeleteItem.
func (s *Store) Drop(ctx context.Context, d job.Due) error {
	_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.Table, Key: dynamo.Key("due", dueKey(d))})
	return dynamo.Wrap("drop due job", err)
}

// parsePath reads "<scope>#<function>[#<job>]".
func parsePath(path string) (scope tenant.Scope, fn, jobID id.ID, err error) {
	parts := strings.Split(path, "#")
	if scope, err = tenant.Parse(parts[0]); err != nil {
		return scope, 0, 0, err
	}
	var ids [2]int64
	for i, part := range parts[1:min(len(parts), 3)] {
		if ids[i], err = strconv.ParseInt(part, 10, 64); err != nil {
			return scope, 0, 0, fmt.Errorf("path %q: %w", path, err)
		}
	}
	return scope, id.ID(ids[0]), id.ID(ids[1]), nil
}
