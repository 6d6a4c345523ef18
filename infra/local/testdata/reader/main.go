// Command reader responds with an item of its table: the smallest request that uses the whole local cloud.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/program"
	"minicloud/shared/program/backend"
)

func main() {
	p := program.New()
	table, client := p.String("ITEMS_TABLE"), backend.Open(p).DynamoDB
	p.Ready()
	lambda.Start(func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		key := map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: e.PathParameters["key"]}, "sk": &types.AttributeValueMemberS{Value: "x"},
		}
		if e.RequestContext.HTTP.Method == "PUT" {
			key["body"] = &types.AttributeValueMemberS{Value: e.Body}
			_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: key})
			return events.APIGatewayV2HTTPResponse{StatusCode: 204}, err
		}
		if e.RequestContext.HTTP.Method == "DELETE" { // no policy allows it
			_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: key})
			return events.APIGatewayV2HTTPResponse{StatusCode: 204}, err
		}
		out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), Key: key})
		if err != nil || out.Item == nil {
			return events.APIGatewayV2HTTPResponse{StatusCode: 404}, err
		}
		return events.APIGatewayV2HTTPResponse{StatusCode: 200, Body: out.Item["body"].(*types.AttributeValueMemberS).Value}, nil
	})
}
