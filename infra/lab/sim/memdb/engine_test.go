package memdb_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
)

var (
	operations = flag.Int("operations", 3000, "how many random operations the two databases are compared by")
	seed       = flag.Uint64("seed", 1, "of the random operations")
)

const tableName = "RowsTable"

type item = map[string]types.AttributeValue

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
func n(i int) types.AttributeValue       { return &types.AttributeValueMemberN{Value: fmt.Sprint(i)} }
func l(of ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: of}
}
func m(of item) types.AttributeValue          { return &types.AttributeValueMemberM{Value: of} }
func ss(texts ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: texts} }

func newClient(db *memdb.DB) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		HTTPClient: db, Region: "us-east-1", BaseEndpoint: aws.String("http://memory"),
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""), Retryer: aws.NopRetryer{},
	})
}

// TestAgainstTheEngine makes random operations on both databases. Each must answer the same, leave the same items, and
// tell the stream the same.
func TestAgainstTheEngine(t *testing.T) {
	engine := dynamotest.Start(t, tableName)
	stream := dynamotest.OpenStream(t, engine, tableName)
	plain := dynamodb.New(engine.Options(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	db := memdb.New(clock.System, tableName+"*")
	memory := newClient(db)

	g := &generator{rand.New(rand.NewPCG(*seed, 7))}
	for i := range *operations {
		what, call := g.operation()
		want, wantErr := call(t, plain)
		got, gotErr := call(t, memory)
		if diff := cmp.Diff(outcome(want, wantErr), outcome(got, gotErr)); diff != "" {
			t.Fatalf("operation %d, %s (engine -, memory +):\n%s", i, what, diff)
		}
	}

	if diff := cmp.Diff(everything(t, plain), everything(t, memory)); diff != "" {
		t.Errorf("items (engine -, memory +):\n%s", diff)
	}
	var records []events.DynamoDBEventRecord
	for some := stream.Take(); len(some) > 0; some = stream.Take() {
		records = append(records, some...)
	}
	if diff := cmp.Diff(ofEngine(records), ofMemory(t, db.Stream(tableName, 0))); diff != "" {
		t.Errorf("stream (engine -, memory +):\n%.3000s", diff)
	}
	t.Logf("%d operations, %d stream records", *operations, len(db.Stream(tableName, 0)))
}

// outcome is an answer or the kind of an error, as text that can be compared.
func outcome(answer any, err error) string {
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		var codes []string
		for _, r := range cancelled.CancellationReasons {
			codes = append(codes, aws.ToString(r.Code)+" "+text(r.Item))
		}
		return "cancelled " + strings.Join(codes, ", ")
	}
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return "condition failed " + text(failed.Item)
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return text(answer)
}

// text writes attribute values with sorted members and sets.
func text(v any) string {
	switch v := v.(type) {
	case item:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		var b strings.Builder
		for _, name := range names {
			fmt.Fprintf(&b, "%s=%s;", name, text(v[name]))
		}
		return "{" + b.String() + "}"
	case *types.AttributeValueMemberM:
		return text(v.Value)
	case *types.AttributeValueMemberSS:
		sorted := slices.Clone(v.Value)
		slices.Sort(sorted)
		return fmt.Sprintf("%q", sorted)
	case *types.AttributeValueMemberL:
		var parts []string
		for _, element := range v.Value {
			parts = append(parts, text(element))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case []item:
		var parts []string
		for _, it := range v {
			parts = append(parts, text(it))
		}
		return strings.Join(parts, "\n")
	case string:
		return v
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func everything(t *testing.T, client *dynamodb.Client) []string {
	var all []string
	in := &dynamodb.ScanInput{TableName: aws.String(tableName), ConsistentRead: aws.Bool(true)}
	for {
		out, err := client.Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range out.Items {
			all = append(all, text(it))
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			slices.Sort(all) // a scan has no order
			return all
		}
	}
}

// call makes one operation on one of the databases.
type call func(t *testing.T, client *dynamodb.Client) (any, error)

// generator makes random operations on few keys, so that they meet.
type generator struct{ *rand.Rand }

func (g *generator) operation() (string, call) {
	switch g.IntN(12) {
	case 0, 1:
		return g.put()
	case 2, 3, 4:
		return g.update()
	case 5:
		return g.remove()
	case 6:
		return g.get()
	case 7, 8:
		return g.query()
	case 9:
		return g.transaction()
	case 10:
		return g.batchWrite()
	}
	return g.batchGet()
}

func (g *generator) key() item {
	return item{"pk": s(string(rune('a' + g.IntN(3)))), "sk": s(fmt.Sprintf("k%d", g.IntN(6)))}
}

func (g *generator) value() types.AttributeValue {
	switch g.IntN(7) {
	case 0, 1:
		return n(g.IntN(5))
	case 2:
		return s([]string{"x", "xy", "z"}[g.IntN(3)])
	case 3:
		return ss([]string{"p", "q", "r"}[:1+g.IntN(3)]...)
	case 4:
		return l(n(g.IntN(3)), s("x"))
	case 5:
		return &types.AttributeValueMemberBOOL{Value: g.IntN(2) == 0}
	}
	return m(item{"x": n(g.IntN(3)), "y": s("z")})
}

var attributes = []string{"a", "b", "c", "d"}

func (g *generator) item() item {
	it := g.key()
	for _, name := range attributes {
		if g.IntN(2) == 0 {
			it[name] = g.value()
		}
	}
	return it
}

// expression is a condition with its parameters.
type expression struct {
	text   string
	names  map[string]string
	values item
}

func (e *expression) optional() *string {
	if e.text == "" {
		return nil
	}
	return &e.text
}

func (e *expression) value(v types.AttributeValue) string {
	name := fmt.Sprintf(":v%d", len(e.values))
	if e.values == nil {
		e.values = item{}
	}
	e.values[name] = v
	return name
}

func (e *expression) path(name string) string {
	if e.names == nil {
		e.names = map[string]string{}
	}
	e.names["#"+name] = name
	return "#" + name
}

// condition adds a random condition.
func (g *generator) condition(e *expression, depth int) string {
	if depth > 0 && g.IntN(3) == 0 {
		sign := []string{" AND ", " OR "}[g.IntN(2)]
		return "(" + g.condition(e, depth-1) + sign + g.condition(e, depth-1) + ")"
	}
	if depth > 0 && g.IntN(6) == 0 {
		return "NOT " + g.condition(e, 0)
	}

	p := e.path(attributes[g.IntN(4)])
	if g.IntN(4) == 0 {
		p += ".x"
	}
	switch g.IntN(8) {
	case 0:
		return "attribute_exists(" + p + ")"
	case 1:
		return "attribute_not_exists(" + p + ")"
	case 2:
		return p + " " + []string{"=", "<>", "<", "<=", ">", ">="}[g.IntN(6)] + " " + e.value(n(g.IntN(4)))
	case 3:
		return p + " BETWEEN " + e.value(n(g.IntN(2))) + " AND " + e.value(n(2+g.IntN(2)))
	case 4:
		return p + " IN (" + e.value(n(g.IntN(3))) + ", " + e.value(s("x")) + ")"
	case 5:
		return "contains(" + p + ", " + e.value(s([]string{"x", "p"}[g.IntN(2)])) + ")"
	case 6:
		return "begins_with(" + p + ", " + e.value(s("x")) + ")"
	}
	return "size(" + p + ") < " + e.value(n(g.IntN(4)))
}

func (g *generator) maybeCondition() *expression {
	e := &expression{}
	if g.IntN(2) == 0 {
		e.text = g.condition(e, 2)
	}
	return e
}

func (g *generator) onFailure() types.ReturnValuesOnConditionCheckFailure {
	if g.IntN(2) == 0 {
		return types.ReturnValuesOnConditionCheckFailureAllOld
	}
	return types.ReturnValuesOnConditionCheckFailureNone
}

func (g *generator) put() (string, call) {
	e := g.maybeCondition()
	in := &dynamodb.PutItemInput{
		TableName: aws.String(tableName), Item: g.item(), ConditionExpression: e.optional(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values, ReturnValuesOnConditionCheckFailure: g.onFailure(),
	}
	return "put " + text(in.Item) + " if " + e.text, func(t *testing.T, c *dynamodb.Client) (any, error) {
		_, err := c.PutItem(t.Context(), in)
		return "", err
	}
}

// changes is a random update expression. Its paths do not overlap.
func (g *generator) changes(e *expression) string {
	names := slices.Clone(attributes)
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var sets, removes, adds, deletes []string
	for _, name := range names[:1+g.IntN(3)] {
		p := e.path(name)
		switch g.IntN(8) {
		case 0:
			sets = append(sets, p+" = "+e.value(g.value()))
		case 1:
			sets = append(sets, fmt.Sprintf("%s = if_not_exists(%s, %s) + %s", p, p, e.value(n(0)), e.value(n(g.IntN(3)))))
		case 2:
			empty := e.value(l())
			sets = append(sets, fmt.Sprintf("%s = list_append(if_not_exists(%s, %s), %s)", p, p, empty, e.value(l(n(1)))))
		case 3:
			sets = append(sets, p+".x = "+e.value(n(g.IntN(3))))
		case 4:
			removes = append(removes, p)
		case 5:
			adds = append(adds, p+" "+e.value(n(1)))
		case 6:
			adds = append(adds, p+" "+e.value(ss("p", "s")))
		case 7:
			deletes = append(deletes, p+" "+e.value(ss("p")))
		}
	}

	var out []string
	for _, clause := range []struct {
		word string
		of   []string
	}{{"SET", sets}, {"REMOVE", removes}, {"ADD", adds}, {"DELETE", deletes}} {
		if len(clause.of) > 0 {
			out = append(out, clause.word+" "+strings.Join(clause.of, ", "))
		}
	}
	return strings.Join(out, " ")
}

func (g *generator) update() (string, call) {
	e := g.maybeCondition()
	in := &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: g.key(), UpdateExpression: aws.String(g.changes(e)),
		ConditionExpression: e.optional(), ReturnValues: types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: g.onFailure(),
	}
	in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.names, e.values
	what := fmt.Sprintf("update %s %s if %s %s", text(in.Key), *in.UpdateExpression, e.text, text(e.values))
	return what, func(t *testing.T, c *dynamodb.Client) (any, error) {
		out, err := c.UpdateItem(t.Context(), in)
		if err != nil {
			return nil, err
		}
		return out.Attributes, nil
	}
}

func (g *generator) remove() (string, call) {
	e := g.maybeCondition()
	in := &dynamodb.DeleteItemInput{
		TableName: aws.String(tableName), Key: g.key(), ConditionExpression: e.optional(),
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		ReturnValues: types.ReturnValueAllOld, ReturnValuesOnConditionCheckFailure: g.onFailure(),
	}
	return "delete " + text(in.Key) + " if " + e.text, func(t *testing.T, c *dynamodb.Client) (any, error) {
		out, err := c.DeleteItem(t.Context(), in)
		if err != nil {
			return nil, err
		}
		return out.Attributes, nil
	}
}

func (g *generator) projection() (*string, map[string]string) {
	if g.IntN(2) == 0 {
		return nil, nil
	}
	return aws.String("sk, #a, #c.x"), map[string]string{"#a": "a", "#c": "c"}
}

func (g *generator) get() (string, call) {
	projection, names := g.projection()
	in := &dynamodb.GetItemInput{
		TableName: aws.String(tableName), Key: g.key(), ConsistentRead: aws.Bool(true),
		ProjectionExpression: projection, ExpressionAttributeNames: names,
	}
	return "get " + text(in.Key), func(t *testing.T, c *dynamodb.Client) (any, error) {
		out, err := c.GetItem(t.Context(), in)
		if err != nil {
			return nil, err
		}
		return out.Item, nil
	}
}

func (g *generator) query() (string, call) {
	e := &expression{}
	condition := "pk = " + e.value(s(string(rune('a'+g.IntN(3)))))
	low, high := g.IntN(6), g.IntN(6)
	bound := func(i int) string { return e.value(s(fmt.Sprintf("k%d", i))) }
	switch g.IntN(5) {
	case 0:
		condition += " AND sk BETWEEN " + bound(min(low, high)) + " AND " + bound(max(low, high))
	case 1:
		condition += " AND sk >= " + bound(low)
	case 2:
		condition += " AND sk < " + bound(low)
	case 3:
		condition += " AND begins_with(sk, " + e.value(s("k")) + ")"
	}
	if g.IntN(2) == 0 {
		e.text = g.condition(e, 1)
	}

	in := &dynamodb.QueryInput{
		TableName: aws.String(tableName), ConsistentRead: aws.Bool(true), KeyConditionExpression: &condition,
		FilterExpression: e.optional(), ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		ScanIndexForward: aws.Bool(g.IntN(2) == 0),
	}
	if g.IntN(2) == 0 {
		in.Limit = aws.Int32(int32(1 + g.IntN(4)))
	}
	if g.IntN(4) == 0 {
		in.Select = types.SelectCount
	}
	what := "query " + condition + " filter " + e.text + " " + text(e.values)
	return what, func(t *testing.T, c *dynamodb.Client) (any, error) { return walk(t, c, *in) }
}

// walk reads all pages of a query.
func walk(t *testing.T, c *dynamodb.Client, in dynamodb.QueryInput) (any, error) {
	var all []string
	for {
		out, err := c.Query(t.Context(), &in)
		if err != nil {
			return nil, err
		}
		all = append(all, fmt.Sprintf("%d of %d: %s", out.Count, out.ScannedCount, text(out.Items)))
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			// Whether a page that ends with the last item has another behind it, which is empty, is left open.
			if len(all) > 1 && out.ScannedCount == 0 {
				all = all[:len(all)-1]
			}
			return strings.Join(all, "\n"), nil
		}
	}
}

func (g *generator) transaction() (string, call) {
	in := &dynamodb.TransactWriteItemsInput{}
	used := map[string]bool{}
	var what []string
	for range 1 + g.IntN(4) {
		key := g.key()
		if used[text(key)] {
			continue
		}
		used[text(key)] = true
		part, name := g.part(key)
		in.TransactItems, what = append(in.TransactItems, part), append(what, name)
	}
	return strings.Join(what, "; "), func(t *testing.T, c *dynamodb.Client) (any, error) {
		_, err := c.TransactWriteItems(t.Context(), in)
		return "", err
	}
}

func (g *generator) part(key item) (types.TransactWriteItem, string) {
	e := g.maybeCondition()
	table := aws.String(tableName)
	switch g.IntN(4) {
	case 0:
		it := g.item()
		it["pk"], it["sk"] = key["pk"], key["sk"]
		return types.TransactWriteItem{Put: &types.Put{
			TableName: table, Item: it, ConditionExpression: e.optional(), ExpressionAttributeNames: e.names,
			ExpressionAttributeValues: e.values, ReturnValuesOnConditionCheckFailure: g.onFailure(),
		}}, "put " + text(it) + " if " + e.text
	case 1:
		change := g.changes(e)
		return types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: key, UpdateExpression: &change, ConditionExpression: e.optional(),
			ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
			ReturnValuesOnConditionCheckFailure: g.onFailure(),
		}}, "update " + text(key) + change + " if " + e.text
	case 2:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: table, Key: key, ConditionExpression: e.optional(), ExpressionAttributeNames: e.names,
			ExpressionAttributeValues: e.values, ReturnValuesOnConditionCheckFailure: g.onFailure(),
		}}, "delete " + text(key) + " if " + e.text
	}
	if e.text == "" {
		e.text = g.condition(e, 1)
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: table, Key: key, ConditionExpression: e.optional(), ExpressionAttributeNames: e.names,
		ExpressionAttributeValues: e.values, ReturnValuesOnConditionCheckFailure: g.onFailure(),
	}}, "check " + text(key) + e.text
}

func (g *generator) batchWrite() (string, call) {
	var requests []types.WriteRequest
	used := map[string]bool{}
	for range 1 + g.IntN(4) {
		it := g.item()
		key := item{"pk": it["pk"], "sk": it["sk"]}
		if used[text(key)] {
			continue
		}
		used[text(key)] = true
		if g.IntN(2) == 0 {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
		} else {
			requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}})
		}
	}
	return "batch", func(t *testing.T, c *dynamodb.Client) (any, error) {
		_, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{tableName: requests},
		})
		return "", err
	}
}

func (g *generator) batchGet() (string, call) {
	var keys []item
	for range 1 + g.IntN(4) {
		if key := g.key(); !slices.ContainsFunc(keys, func(k item) bool { return text(k) == text(key) }) {
			keys = append(keys, key)
		}
	}
	projection, names := g.projection()
	return "batch get", func(t *testing.T, c *dynamodb.Client) (any, error) {
		out, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{tableName: {
				Keys: keys, ConsistentRead: aws.Bool(true), ProjectionExpression: projection, ExpressionAttributeNames: names,
			}},
		})
		if err != nil {
			return nil, err
		}
		var found []string
		for _, it := range out.Responses[tableName] {
			found = append(found, text(it))
		}
		slices.Sort(found)
		return strings.Join(found, "\n"), nil
	}
}

// ofEngine are the stream records of the engine as text. It leaves a record where a write changes nothing, which
// DynamoDB does not.
func ofEngine(records []events.DynamoDBEventRecord) (all []string) {
	for _, r := range records {
		old, next := ofImage(r.Change.OldImage), ofImage(r.Change.NewImage)
		if r.EventName != "MODIFY" || old != next {
			all = append(all, r.EventName+" "+old+" "+next)
		}
	}
	return all
}

func ofMemory(t *testing.T, records []memdb.Record) (all []string) {
	for _, r := range records {
		line := r.Kind
		for _, image := range []memdb.Item{r.Old, r.New} {
			encoded, err := json.Marshal(image)
			if err != nil {
				t.Fatal(err)
			}
			var decoded map[string]events.DynamoDBAttributeValue
			if err := json.Unmarshal(encoded, &decoded); err != nil {
				t.Fatal(err)
			}
			line += " " + ofImage(decoded)
		}
		all = append(all, line)
	}
	return all
}

func ofImage(image map[string]events.DynamoDBAttributeValue) string {
	it := item{}
	for name, v := range image {
		it[name] = ofStream(v)
	}
	return text(it)
}

func ofStream(v events.DynamoDBAttributeValue) types.AttributeValue {
	switch v.DataType() {
	case events.DataTypeString:
		return s(v.String())
	case events.DataTypeNumber:
		return &types.AttributeValueMemberN{Value: v.Number()}
	case events.DataTypeBoolean:
		return &types.AttributeValueMemberBOOL{Value: v.Boolean()}
	case events.DataTypeStringSet:
		return ss(v.StringSet()...)
	case events.DataTypeList:
		var list []types.AttributeValue
		for _, element := range v.List() {
			list = append(list, ofStream(element))
		}
		return l(list...)
	case events.DataTypeMap:
		object := item{}
		for name, element := range v.Map() {
			object[name] = ofStream(element)
		}
		return m(object)
	}
	return nil
}
