// Package migration brings stored items to the form of this release, while the platform runs.
//
//	scan of a table, page by page ──► Step: keeps, migrates or refuses an item ──► progress, stored after each page
//
// A step changes an item by a conditional write, so it can meet requests, another run of itself and its own repetition.
// The old form stays readable until a release after the one whose migration has ended everywhere.
package migration

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
)

// Outcome is what a step did to an item.
type Outcome int

// The outcomes of a step. Migrated of a dry run means that the item would be changed.
const (
	Current  Outcome = iota // the item has the form of this release, or is none of the migration
	Migrated                // the item was changed
	Refused                 // the item cannot be changed; the step's error says why
)

// Step looks at one item and, if write is set, changes it. With Refused, the error is the reason; any other error ends
// the run.
type Step func(ctx context.Context, it dynamo.Item, write bool) (Outcome, error)

// Run is one run of a migration over a table.
type Run struct {
	Client *dynamodb.Client
	Table  string
	Name   string // the key of the progress
	Step   Step

	Write bool                                             // false is a dry run, which stores nothing
	Rate  int                                              // items per second that are read at most
	Sleep func(ctx context.Context, d time.Duration) error // waits between pages
	Out   io.Writer                                        // a line after each page, and one for each refused item
}

// Progress is how far a migration has come: the items up to the key Cursor are done. It is an item of the table.
type Progress struct {
	CursorPK string `dynamodbav:"cursor_pk,omitempty"`
	CursorSK string `dynamodbav:"cursor_sk,omitempty"`
	Seen     int    `dynamodbav:"seen"`
	Migrated int    `dynamodbav:"migrated"`
	Refused  int    `dynamodbav:"refused"`
	Ended    bool   `dynamodbav:"ended"` // the next run begins at the start: a rollback may have written the old form again
}

// progressPK is the partition key of progress; the sort key is the migration's name.
const progressPK = "!migration"

// pageSize is the maximum number of items that one call reads.
const pageSize = 100

// Do walks the table from where an interrupted run stopped, and returns what it found.
func (r *Run) Do(ctx context.Context) (Progress, error) {
	p, err := r.begin(ctx)
	if err != nil {
		return p, err
	}
	for !p.Ended {
		if p, err = r.page(ctx, p); err != nil {
			return p, err
		}
		fmt.Fprintf(r.Out, "%s: %d items, %d migrated, %d refused\n", r.Name, p.Seen, p.Migrated, p.Refused)
	}
	return p, nil
}

// begin returns the progress of an interrupted run, or none.
func (r *Run) begin(ctx context.Context) (Progress, error) {
	if !r.Write {
		return Progress{}, nil
	}
	p, err := dynamo.Get[Progress](ctx, r.Client, r.Table, progressPK, r.Name, nil)
	if err != nil || p.Ended {
		return Progress{}, err
	}
	return p, nil
}

// page works on one page of items, stores the progress and waits so that the rate is kept.
func (r *Run) page(ctx context.Context, p Progress) (Progress, error) {
	in := &dynamodb.ScanInput{
		TableName: &r.Table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(min(pageSize, r.Rate))),
	}
	if p.CursorPK != "" {
		in.ExclusiveStartKey = dynamo.Key(p.CursorPK, p.CursorSK)
	}
	out, err := r.Client.Scan(ctx, in)
	if err != nil {
		return p, dynamo.Wrap("scan "+r.Table, err)
	}

	next := p
	for _, it := range out.Items {
		outcome, err := r.Step(ctx, it, r.Write)
		switch {
		case outcome == Refused:
			next.Refused++
			fmt.Fprintf(r.Out, "%s: %s %s: %s\n", r.Name, dynamo.TextOf(it["pk"]), dynamo.TextOf(it["sk"]), errs.Message(err))
		case err != nil:
			return p, fmt.Errorf("%s: %s %s: %w", r.Name, dynamo.TextOf(it["pk"]), dynamo.TextOf(it["sk"]), err)
		case outcome == Migrated:
			next.Migrated++
		}
		next.Seen++
	}

	next.CursorPK, next.CursorSK = dynamo.TextOf(out.LastEvaluatedKey["pk"]), dynamo.TextOf(out.LastEvaluatedKey["sk"])
	next.Ended = len(out.LastEvaluatedKey) == 0
	if r.Write {
		part := dynamo.Put(r.Table, dynamo.Encode(progressPK, r.Name, next), "", nil)
		if err := dynamo.Write(ctx, r.Client, part); err != nil {
			return p, dynamo.Wrap("store the progress", err)
		}
	}
	return next, r.Sleep(ctx, time.Duration(len(out.Items))*time.Second/time.Duration(r.Rate))
}
