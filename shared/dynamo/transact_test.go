package dynamo_test

import (
	"testing"

	"minicloud/shared/dynamo"
)

// TestUpdateThatOnlyRemovesHasNoValues: DynamoDB refuses an update with an empty map of values, which an update that only removes attributes would have.
func TestUpdateThatOnlyRemovesHasNoValues(t *testing.T) {
	expression, values := dynamo.Overwrite(dynamo.Item{}, "removed", "gone")
	update := dynamo.Update("table", "pk", "sk", expression, dynamo.Exists, values).Update

	if got, want := *update.UpdateExpression, "REMOVE #removed, #gone"; got != want {
		t.Errorf("got the expression %q, want %q", got, want)
	}
	if update.ExpressionAttributeValues != nil {
		t.Errorf("got the values %v, want nil", update.ExpressionAttributeValues)
	}
}

// TestWriteIDIsAddedToAnUpdateWithoutValues: also an update that only removes attributes stores its WriteID.
func TestWriteIDIsAddedToAnUpdateWithoutValues(t *testing.T) {
	update := dynamo.Update("table", "pk", "sk", "REMOVE gone", dynamo.Exists, nil).Update
	dynamo.WriteID("mine").Add(update)

	if got := dynamo.TextOf(update.ExpressionAttributeValues[":write"]); got != "mine" {
		t.Errorf("the WriteID is %q", got)
	}
}
