package cloud_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"

	"minicloud/infra/local/ddb"
)

// TestObjectCreated: an object that a tool puts comes by the default bus into the queue of a rule. Its body may be larger
// than what other services take. A program without permission is refused in the words of S3.
func TestObjectCreated(t *testing.T) {
	c := start(t, t.TempDir())
	put := func(key, accessKey string) error {
		objects := s3.New(s3.Options{
			Region: ddb.Region, BaseEndpoint: &c.Services, Credentials: credentials.NewStaticCredentialsProvider(accessKey, "local", ""),
		})
		_, err := objects.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String("FilesBucket"), Key: &key, Body: bytes.NewReader(make([]byte, 9<<20)),
		})
		return err
	}
	if err := put("7/production/ä b.png", "tool"); err != nil {
		t.Fatal(err)
	}

	queues := sqs.New(sqs.Options{
		Region: ddb.Region, BaseEndpoint: &c.Services, Credentials: credentials.NewStaticCredentialsProvider("tool", "local", ""),
	})
	got, err := queues.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(c.Services + "/000000000000/FilesQueue"), WaitTimeSeconds: 20,
	})
	if err != nil || len(got.Messages) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	for _, part := range []string{
		`"detail-type":"Object Created"`, `"source":"aws.s3"`, `"resources":["arn:aws:s3:::FilesBucket"]`, `"key":"7/production/ä b.png"`,
		`"size":9437184`, `"reason":"PutObject"`,
	} {
		if body := *got.Messages[0].Body; !strings.Contains(body, part) {
			t.Errorf("%s is not in %s", part, body)
		}
	}

	refused, ok := errors.AsType[smithy.APIError](put("7/production/b.png", "ReaderFunction"))
	if !ok || refused.ErrorCode() != "AccessDenied" || !strings.Contains(refused.ErrorMessage(), "s3:PutObject") {
		t.Errorf("%v", refused)
	}
	if n := c.Stats().S3["PutObject"]; n != 2 {
		t.Errorf("%d writes are counted", n)
	}
}
