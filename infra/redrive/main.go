// Command redrive gives records of streams to their programs again, after Lambda has given them up:
//
//	make redrive     for the running local cloud
//
// Lambda keeps such records in a bucket, each batch as one object with the event of its invocation. For a deployed
// stack, LOST_RECORDS_BUCKET names the bucket (the output LostRecordsBucketName), and the AWS_* environment the account.
// Records that were worked on before have no second effect.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/shared/program/env"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := open(ctx)
	if err == nil {
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

// open connects to the account whose bucket the environment names, otherwise to the local cloud.
func open(ctx context.Context) (*Redrive, error) {
	var r env.Reader
	if bucket := r.Default("LOST_RECORDS_BUCKET", ""); bucket != "" {
		cfg, err := config.LoadDefaultConfig(ctx)
		return over(cfg, bucket), err
	}
	_, address, err := cloud.Running(r.Default("DATA_DIR", ".local"), r.Default("AWS_BIND", "127.0.0.1"))
	if err != nil {
		return nil, fmt.Errorf("LOST_RECORDS_BUCKET is not set: %w", err)
	}
	return local(address), nil
}

// local connects to the services of a local cloud.
func local(address string) *Redrive {
	return over(aws.Config{
		Region: ddb.Region, BaseEndpoint: &address,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}, localBucket)
}

func over(cfg aws.Config, bucket string) *Redrive {
	return &Redrive{
		Objects: s3.NewFromConfig(cfg), Functions: lambda.NewFromConfig(cfg), Bucket: bucket,
	}
}
