package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const stack = `{
 "Parameters": {"Stage": {"Type": "String"}, "LogLevel": {"Type": "String"}},
 "Resources": {
  "RowsTable": {"Type": "AWS::DynamoDB::Table", "DeletionPolicy": "RetainExceptOnCreate",
   "Properties": {"StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"}}},
  "CountsTable": {"Type": "AWS::DynamoDB::Table"},
  "F": {"Type": "AWS::Lambda::Function", "Properties": {"Timeout": 29, "Description": "parameters 1",
   "Environment": {"Variables": {"ROWS_TABLE": {"Ref": "RowsTable"}, "COUNTS_TABLE": {"Ref": "CountsTable"}}}}},
  "FVersion1": {"Type": "AWS::Lambda::Version", "Properties": {"FunctionName": {"Ref": "F"}}},
  "FAlias": {"Type": "AWS::Lambda::Alias", "Properties": {"FunctionVersion": {"Fn::GetAtt": ["FVersion1", "Version"]}}},
  "Role": {"Type": "AWS::IAM::Role", "Properties": {"Resource": [
   {"Fn::GetAtt": ["RowsTable", "Arn"]}, {"Fn::Sub": "${RowsTable.Arn}/stream/*"}]}},
  "Rows": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {"EventSourceArn": {"Fn::GetAtt": ["RowsTable", "StreamArn"]}}}
 },
 "Outputs": {"RowsTableName": {"Value": {"Ref": "RowsTable"}}}
}`

const detached = `{
 "Parameters": {"Stage": {"Type": "String"}, "LogLevel": {"Type": "String"}},
 "Resources": {
  "CountsTable": {"Type": "AWS::DynamoDB::Table"},
  "F": {"Type": "AWS::Lambda::Function", "Properties": {"Timeout": 29, "Description": "tables restored",
   "Environment": {"Variables": {"ROWS_TABLE": "new-rows", "COUNTS_TABLE": {"Ref": "CountsTable"}}}}},
  "FVersion1Restored": {"Type": "AWS::Lambda::Version", "Properties": {"FunctionName": {"Ref": "F"}}},
  "FAlias": {"Type": "AWS::Lambda::Alias", "Properties": {"FunctionVersion": {"Fn::GetAtt": ["FVersion1Restored", "Version"]}}},
  "Role": {"Type": "AWS::IAM::Role", "Properties": {"Resource": ["arn:new", {"Fn::Sub": "arn:new/stream/*"}]}},
  "Rows": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {"EventSourceArn": "arn:new/stream/1"}}
 },
 "Outputs": {"RowsTableName": {"Value": "new-rows"}}
}`

const described = `{"Table": {"TableName": "new-rows", "TableArn": "arn:new", "LatestStreamArn": "arn:new/stream/1"}}`

func TestAdopt(t *testing.T) {
	folder := files(t, map[string]string{"stack.json": stack, "RowsTable.json": described})
	var out bytes.Buffer
	if err := run([]string{filepath.Join(folder, "stack.json"), filepath.Join(folder, "RowsTable.json")}, &out); err != nil {
		t.Fatal(err)
	}

	want := parsed[object](t, []byte(detached))
	if diff := cmp.Diff(want, written[object](t, folder, "detached.json")); diff != "" {
		t.Error(diff)
	}

	// The import adds the table and changes nothing else.
	want["Resources"].(object)["RowsTable"] = object{
		"Type": "AWS::DynamoDB::Table", "DeletionPolicy": "Retain",
		"Properties": object{"StreamSpecification": object{"StreamViewType": "NEW_AND_OLD_IMAGES"}},
	}
	if diff := cmp.Diff(want, written[object](t, folder, "attached.json")); diff != "" {
		t.Error(diff)
	}
	imports := []Import{{"AWS::DynamoDB::Table", "RowsTable", map[string]string{"TableName": "new-rows"}}}
	if diff := cmp.Diff(imports, written[[]Import](t, folder, "import.json")); diff != "" {
		t.Error(diff)
	}
	parameters := []Parameter{{"LogLevel", true}, {"Stage", true}}
	if diff := cmp.Diff(parameters, written[[]Parameter](t, folder, "parameters.json")); diff != "" {
		t.Error(diff)
	}
}

func TestAdoptRefuses(t *testing.T) {
	for name, test := range map[string]struct{ file, content, want string }{
		"another resource": {"F.json", described, "the stack has no table F"},
		"another answer":   {"CountsTable.json", `{"Tables": []}`, "CountsTable.json is no answer of describe-table"},
		"no stream":        {"RowsTable.json", `{"Table": {"TableName": "n", "TableArn": "a"}}`, "table n has no stream, which RowsTable needs"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := files(t, map[string]string{"stack.json": stack, test.file: test.content})
			err := run([]string{filepath.Join(folder, "stack.json"), filepath.Join(folder, test.file)}, &bytes.Buffer{})
			if err == nil || err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

func files(t *testing.T, contents map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func written[T any](t *testing.T, folder, name string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return parsed[T](t, text)
}

func parsed[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
