package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// functionNames returns the names of all functions in a program, inlined ones included, each followed by a zero byte.
// It reads .gopclntab: stack traces need that table, so it survives the stripping of symbols.
func functionNames(program string) ([]byte, error) {
	file, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	table := file.Section(".gopclntab")
	if table == nil {
		return nil, fmt.Errorf("%s: has no table of functions", program)
	}
	return table.Data()
}

// clientMethod matches the linked name of a client method of the AWS SDK.
var clientMethod = regexp.MustCompile(`aws-sdk-go-v2/service/(\w+)\.\(\*(?:Presign)?Client\)\.(?:Presign)?([A-Z]\w*)\x00`)

// services maps SDK package names to IAM action prefixes, where the two differ.
var services = map[string]string{"eventbridge": "events", "sesv2": "ses"}

// writes maps the write functions of shared/dynamo to the actions that they need. All of them, alone or in a
// transaction, use the same client methods, so those methods do not tell the actions.
var writes = map[string]string{
	"Put": "dynamodb:PutItem", "Update": "dynamodb:UpdateItem", "Delete": "dynamodb:DeleteItem",
	"Check": "dynamodb:ConditionCheckItem", "rowdb.(*Rows).hasValue": "dynamodb:ConditionCheckItem",
}

// notCalled lists linked methods that need no action in a policy, each with the reason.
var notCalled = map[string]string{
	"dynamodb:DescribeEndpoints":  "the SDK calls it only where endpoint discovery is enabled",
	"dynamodb:PutItem":            "shared/dynamo.Put tells",
	"dynamodb:UpdateItem":         "shared/dynamo.Update tells",
	"dynamodb:DeleteItem":         "shared/dynamo.Delete tells",
	"dynamodb:TransactWriteItems": "its parts need actions of their own",
}

// ofS3 maps operations of S3 to the actions that they need, where the names differ. Whoever reads an object needs
// s3:ListBucket too: without it S3 answers 403, not 404, where there is none.
var ofS3 = map[string][]string{
	"HeadObject": {"GetObject", "ListBucket"}, "GetObject": {"GetObject", "ListBucket"},
	"HeadBucket": {"ListBucket"}, "ListObjectsV2": {"ListBucket"}, "DeleteObjects": {"DeleteObject"},
	"CopyObject": {"GetObject", "PutObject"}, "PostObject": {"PutObject"},
	"CreateMultipartUpload": {"PutObject"}, "UploadPart": {"PutObject"}, "CompleteMultipartUpload": {"PutObject"},
	"ListParts": {"ListMultipartUploadParts"},
}

// mostMethods is more than a program calls of a client, and less than the smallest client has: that of SQS has 23.
const mostMethods = 15

// actions returns the actions that a program with these functions can do, sorted.
func actions(names []byte) ([]string, error) {
	can, methods := map[string]bool{}, map[string]int{}
	for _, m := range clientMethod.FindAllSubmatch(names, -1) {
		service, operation := string(m[1]), string(m[2])
		if operation == "Options" { // no call: it returns how the client was made
			continue
		}
		if methods[service]++; methods[service] > mostMethods {
			return nil, fmt.Errorf("every method of %s is linked: something asks reflect for methods by name", service)
		}
		if renamed, differs := services[service]; differs {
			service = renamed
		}

		if needs := ofS3[operation]; service == "s3" && needs != nil {
			for _, action := range needs {
				can["s3:"+action] = true
			}
			continue
		}
		if service == "sqs" || service == "sns" {
			operation = strings.TrimSuffix(operation, "Batch") // IAM has one action for both
		}
		if service == "lambda" && operation == "Invoke" {
			operation = "InvokeFunction"
		}
		if action := service + ":" + operation; notCalled[action] == "" {
			can[action] = true
		}
	}

	for function, action := range writes {
		name := "minicloud/shared/dynamo." + function + "\x00"
		if strings.Contains(function, ".") {
			name = "minicloud/shared/dynamo/" + function + "\x00"
		}
		if bytes.Contains(names, []byte(name)) {
			can[action] = true
		}
	}
	return slices.Sorted(maps.Keys(can)), nil
}
