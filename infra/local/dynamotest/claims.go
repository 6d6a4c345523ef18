package dynamotest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ForgetAnswers removes the stored responses from all idempotency keys in a table, as if the program had crashed
// before it responded.
func ForgetAnswers(t testing.TB, client *dynamodb.Client, table string) {
	t.Helper()
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
		TableName: &table, FilterExpression: aws.String("attribute_exists(answered)"),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range page.Items {
			_, err := client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
				TableName: &table, Key: map[string]types.AttributeValue{"pk": claim["pk"], "sk": claim["sk"]},
				UpdateExpression: aws.String("REMOVE answered, answer_status, answer_header, answer_body, answer_chunks"),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
