package cloud_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
)

// TestDrainWaitsForConsequences: after Drain, all work caused by a write and a message is done and counted, request
// units too.
func TestDrainWaitsForConsequences(t *testing.T) {
	cfg := config(t, t.TempDir())
	cfg.StoppedClock, cfg.CountUnits = true, true
	c, err := cloud.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	database := ddb.NewClient(c.Database)
	queues := sqs.New(sqs.Options{
		Region: ddb.Region, BaseEndpoint: aws.String(c.Services),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})

	for n := int64(1); n <= 5; n++ {
		item := map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "a"}, "n": &types.AttributeValueMemberN{Value: string(rune('0' + n))},
		}
		in := &dynamodb.PutItemInput{TableName: aws.String("RowsTable"), Item: item}
		if _, err := database.PutItem(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		message := &sqs.SendMessageInput{QueueUrl: aws.String(c.Services + "/0/WorkQueue"), MessageBody: aws.String("x")}
		if _, err := queues.SendMessage(t.Context(), message); err != nil {
			t.Fatal(err)
		}
		if err := c.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := c.Stats()
		if s.Invoke["EverythingFunction"] != n || s.Invoke["WorkerFunction"] != n || s.Billed["WorkerFunction"] < n ||
			s.SQS["SendMessage"] != n {
			t.Fatalf("after %d: invoked %v, billed %v, sent %v", n, s.Invoke, s.Billed, s.SQS)
		}
		if s.WriteUnits["local RowsTable PutItem"] != float64(n) {
			t.Fatalf("after %d: write units %v", n, s.WriteUnits)
		}
	}
}
