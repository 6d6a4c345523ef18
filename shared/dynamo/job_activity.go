package dynamo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

func activeKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#" + fn.Key() }

// Announce is one PutItem.
func (s *Jobs) Announce(ctx context.Context, a job.Active) error {
	it := itemKey("active", activeKey(a.Scope, a.Function))
	it["until"] = number(a.Until.UnixMilli())
	_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: it})
	return wrap("announce", err)
}

// Active is one Query per MB, about ten thousand functions.
func (s *Jobs) Active(ctx context.Context) ([]job.Active, error) {
	var active []job.Active
	err := s.each(ctx, "read active functions", queryInput(s.Table, "active", "", "", false, 0), func(av item) error {
		scope, fn, _, err := parsePath(stringOf(av["sk"]))
		active = append(active, job.Active{Scope: scope, Function: fn, Until: fromMillis(intOf(av["until"]))})
		return err
	})
	return active, err
}

// Forget is one conditional DeleteItem.
func (s *Jobs) Forget(ctx context.Context, a job.Active) error {
	_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.Table, Key: itemKey("active", activeKey(a.Scope, a.Function)),
		ConditionExpression: aws.String("#until = :until"), ExpressionAttributeNames: map[string]string{"#until": "until"},
		ExpressionAttributeValues: item{":until": number(a.Until.UnixMilli())},
	})
	if conditionFailed(err) {
		return nil
	}
	return wrap("forget", err)
}

func dueKey(d job.Due) string {
	return fmt.Sprintf("%010d#%s#%s#%s", d.RunAt.Unix(), d.Scope, d.Function.Key(), d.Job.Key())
}

// Due is one Query.
func (s *Jobs) Due(ctx context.Context, t time.Time, limit int) ([]job.Due, error) {
	out, err := s.Client.Query(ctx, queryInput(s.Table, "due", "", fmt.Sprintf("%010d", t.Unix()), false, limit))
	if err != nil {
		return nil, wrap("read due jobs", err)
	}
	var due []job.Due
	for _, av := range out.Items {
		at, path, _ := strings.Cut(stringOf(av["sk"]), "#")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("due job %q: %w", stringOf(av["sk"]), err)
		}
		scope, fn, jobID, err := parsePath(path)
		if err != nil {
			return nil, err
		}
		due = append(due, job.Due{Scope: scope, Function: fn, Job: jobID, RunAt: time.Unix(seconds, 0).UTC()})
	}
	return due, nil
}

// Drop is one DeleteItem.
func (s *Jobs) Drop(ctx context.Context, d job.Due) error {
	_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.Table, Key: itemKey("due", dueKey(d))})
	return wrap("drop due job", err)
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
