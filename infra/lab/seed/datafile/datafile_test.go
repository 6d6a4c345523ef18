package datafile_test

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/lab/seed/datafile"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/dynamotest"
)

type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

// start returns the client of a database with one table, and its file.
func start(t *testing.T) (client *dynamodb.Client, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ddb.db")
	server := dynamotest.Serve(t, path)
	if err := server.CreateTables(t.Context(), []ddb.Table{ddb.PlainTable("things")}); err != nil {
		t.Fatal(err)
	}
	return server.Client(), path
}

func transact(t *testing.T, client *dynamodb.Client, parts ...types.TransactWriteItem) error {
	t.Helper()
	_, err := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	return err
}

func put(sk string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String("things"), Item: item{
		"pk": text("p"), "sk": text(sk), "empty": text(""), "word": text("喜欢 \"<&>\" \u2028"),
		"whole": number("1795273402"), "part": number("-12.5"),
		"yes": &types.AttributeValueMemberBOOL{Value: true}, "nothing": &types.AttributeValueMemberNULL{Value: true},
		"map": &types.AttributeValueMemberM{
			Value: item{"a": text("b"), "deep": &types.AttributeValueMemberM{Value: item{"n": number("7")}}},
		},
		"list": &types.AttributeValueMemberL{
			Value: []types.AttributeValue{
				text("x"), number("0"), number("1"), number("100"), number("0.05"), number("100.25"), number("-12"),
				&types.AttributeValueMemberL{Value: []types.AttributeValue{}},
			},
		},
	}}}
}

func add(sk, expression string, values item) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String("things"), Key: item{"pk": text("p"), "sk": text(sk)},
		UpdateExpression: &expression, ExpressionAttributeValues: values,
	}}
}

// line is an item as it lies in the file.
type line struct {
	JSON map[string]any
	Size int
	Hash string
}

func read(t *testing.T, path, sk string) line {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var l line
	var text string
	if err := db.QueryRow(`SELECT item_json, item_size, hash_prefix FROM things WHERE pk = 'S:p' AND sk = ?`, "S:"+
		sk).Scan(&text, &l.Size, &l.Hash); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &l.JSON); err != nil {
		t.Fatal(err)
	}
	delete(l.JSON, "sk")
	return l
}

// TestItemsEqualThoseOfDatabase writes the same items twice: through the API, and into the file.
func TestItemsEqualThoseOfDatabase(t *testing.T) {
	client, path := start(t)
	first, more := item{":a": number("1"), ":b": number("20")}, item{":b": number("-3"), ":c": number("4")}
	if err := transact(t, client, put("api1"), add("api2", "ADD c1 :a, n :b", first)); err != nil {
		t.Fatal(err)
	}
	if err := transact(t, client, add("api2", "ADD n :b, c2 :c", more)); err != nil {
		t.Fatal(err)
	}
	file, err := datafile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	direct := file.Client(client)
	if err := transact(
		t, direct, put("our1"), add("our2", "ADD c1 :a, n :b", first), add("our2", "ADD n :b, c2 :c", more),
	); err != nil {
		t.Fatal(err)
	}
	if err := file.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"1", "2"} {
		if diff := cmp.Diff(read(t, path, "api"+n), read(t, path, "our"+n)); diff != "" {
			t.Errorf("item %s (-by the API +by us):\n%s", n, diff)
		}
	}
	out, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("things"), KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: item{":p": text("p")},
	})
	if err != nil || len(out.Items) != 4 {
		t.Errorf("%d items, %v", len(out.Items), err)
	}
}

func TestUncommittedWritesAreLost(t *testing.T) {
	client, path := start(t)
	if err := transact(t, client, put("0"), add("n", "ADD n :n", item{":n": number("1")})); err != nil {
		t.Fatal(err)
	}
	file, err := datafile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := transact(t, file.Client(client), put("1"), add("n", "ADD n :n", item{":n": number("1")})); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("things"), KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: item{":p": text("p")},
	})
	if err != nil || len(out.Items) != 2 {
		t.Fatalf("%d items, %v", len(out.Items), err)
	}
	if n := out.Items[1]["n"].(*types.AttributeValueMemberN).Value; n != "1" {
		t.Errorf("n is %s", n)
	}
}

func TestRefused(t *testing.T) {
	client, path := start(t)
	if err := transact(t, client, put("0")); err != nil {
		t.Fatal(err)
	}
	elsewhere := put("1")
	elsewhere.Put.Item["pk"] = text("nowhere")
	for _, c := range []struct {
		name, want string
		part       types.TransactWriteItem
	}{
		{"an item that is there", "UNIQUE constraint failed: things.pk, things.sk", put("0")},
		{"a partition nobody has begun", "datafile: partition S:nowhere of things: sql: no rows in result set", elsewhere},
		{
			"another update", `datafile: update "SET n = :n" is more than ADD`, add("0", "SET n = :n", item{":n": number("1")}),
		},
		{
			"a further clause", `datafile: update "ADD n :n SET m = :n" is more than ADD`,
			add("0", "ADD n :n SET m = :n", item{":n": number("1")}),
		},
		{"a deletion", "datafile: neither a put nor an update",
			types.TransactWriteItem{
				Delete: &types.Delete{TableName: aws.String("things"), Key: item{"pk": text("p"), "sk": text("0")}},
			}},
	} {
		file, err := datafile.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := transact(t, file.Client(client), c.part); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
