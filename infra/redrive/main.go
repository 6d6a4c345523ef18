// Command redrive gives records of streams to their programs again, after Lambda has given them up:
//
//	make redrive     for the running local cloud
//
// Lambda keeps such records in a bucket, each batch as one object with the event of its invocation. For a deployed
// stack, LOST_RECORDS_BUCKET names the bucket (the output LostRecordsBucketName), and the AWS_* environment the account.
// Records that were worked on before have no second effect.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"

	"minicloud/infra/local/account"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cfg, names, err := account.Open(ctx, "LOST_RECORDS_BUCKET")
	if err == nil {
		r := over(cfg, cmp.Or(names["LOST_RECORDS_BUCKET"], localBucket))
		r.Out = os.Stdout
		err = r.Run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// localBucket is the bucket of the local cloud, where resources are named by their logical ids.
const localBucket = "LostRecordsBucket"

func over(cfg aws.Config, bucket string) *Redrive {
	return &Redrive{
		Objects: s3.NewFromConfig(cfg), Functions: lambda.NewFromConfig(cfg), Bucket: bucket,
	}
}
