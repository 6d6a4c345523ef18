package dynamo

import (
	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Record is a record of a stream.
type Record = events.DynamoDBEventRecord

// Image converts the item image of a stream record into the client's attribute types.
func Image(image map[string]events.DynamoDBAttributeValue) Item {
	it := make(Item, len(image))
	for name, v := range image {
		it[name] = ofEvent(v)
	}
	return it
}

func ofEvent(v events.DynamoDBAttributeValue) types.AttributeValue {
	switch v.DataType() {
	case events.DataTypeString:
		return Text(v.String())
	case events.DataTypeNumber:
		return &types.AttributeValueMemberN{Value: v.Number()}
	case events.DataTypeBinary:
		return Binary(v.Binary())
	case events.DataTypeBoolean:
		return &types.AttributeValueMemberBOOL{Value: v.Boolean()}
	case events.DataTypeStringSet:
		return &types.AttributeValueMemberSS{Value: v.StringSet()}
	case events.DataTypeList:
		list := make([]types.AttributeValue, len(v.List()))
		for i, entry := range v.List() {
			list[i] = ofEvent(entry)
		}
		return &types.AttributeValueMemberL{Value: list}
	case events.DataTypeMap:
		return &types.AttributeValueMemberM{Value: Image(v.Map())}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}
