package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Redrive gives the records in a bucket to their functions again.
type Redrive struct {
	Objects   *s3.Client
	Functions *lambda.Client
	Bucket    string
	Out       io.Writer
}

// kept is the form in which Lambda keeps a batch that it gave up.
type kept struct {
	Context struct {
		Function  string `json:"functionArn"`
		Condition string `json:"condition"`
	} `json:"requestContext"`
	Batch struct {
		Stream string `json:"streamArn"`
		Size   int    `json:"batchSize"`
	} `json:"DDBStreamBatchInfo"`
	Payload string `json:"payload"` // the event of the invocation, as JSON
}

// errLeft makes the command fail if a batch failed again.
var errLeft = errors.New("batches failed again and stay in the bucket; the log of their function says why")

// Run replays the batches in the order of their keys, which is that of time for each shard, and deletes those that
// succeed. A failed batch stays whole: its functions bear records that come again.
func (r *Redrive) Run(ctx context.Context) error {
	done, left := 0, 0
	pages := s3.NewListObjectsV2Paginator(r.Objects, &s3.ListObjectsV2Input{Bucket: &r.Bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list %s: %w", r.Bucket, err)
		}
		for _, object := range page.Contents {
			if err := r.replay(ctx, *object.Key); err != nil {
				left++
				fmt.Fprintf(r.Out, "%s: %v\n", *object.Key, err)
				continue
			}
			// Delete after the replay: a crash in between replays the batch once more, which has no effect.
			if _, err := r.Objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &r.Bucket, Key: object.Key}); err != nil {
				return fmt.Errorf("delete %s: %w", *object.Key, err)
			}
			done++
		}
	}
	fmt.Fprintf(r.Out, "%d batches were given to their functions again, %d are left\n", done, left)
	if left > 0 {
		return errLeft
	}
	return nil
}

// replay invokes the function of a batch with its event.
func (r *Redrive) replay(ctx context.Context, key string) error {
	object, err := r.Objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &r.Bucket, Key: &key})
	if err != nil {
		return err
	}
	defer object.Body.Close()
	text, err := io.ReadAll(object.Body)
	if err != nil {
		return err
	}
	var batch kept
	if err := json.Unmarshal(text, &batch); err != nil || batch.Payload == "" || batch.Context.Function == "" {
		return fmt.Errorf("it has no functionArn or no payload of a failed batch: %v", err)
	}

	out, err := r.Functions.Invoke(ctx, &lambda.InvokeInput{
		FunctionName: &batch.Context.Function, Payload: []byte(batch.Payload),
	})
	if err != nil {
		return err
	}
	var answer struct {
		Failures []struct {
			Record string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	switch err := json.Unmarshal(out.Payload, &answer); {
	case out.FunctionError != nil:
		return fmt.Errorf("%s failed: %s", batch.Context.Function, *out.FunctionError)
	case err != nil:
		return fmt.Errorf("the answer of %s is no JSON: %w", batch.Context.Function, err)
	case len(answer.Failures) > 0:
		return fmt.Errorf("%s failed from record %s on", batch.Context.Function, answer.Failures[0].Record)
	}
	fmt.Fprintf(r.Out, "%s: %d records of %s\n", key, batch.Batch.Size, batch.Batch.Stream)
	return nil
}
