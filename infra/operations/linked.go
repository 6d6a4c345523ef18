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

// functionNames returns the names of all functions in a program, inlined ones among them. The table that holds them is
// what Go prints stacks with, so it is there when symbols are stripped. Each name ends in a zero byte.
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

// clientMethod is a method of a client of the AWS SDK.
var clientMethod = regexp.MustCompile(`aws-sdk-go-v2/service/(\w+)\.\(\*Client\)\.([A-Z]\w*)\x00`)

// services are the prefixes of IAM's actions, by the name of the SDK's package where they differ.
var services = map[string]string{"eventbridge": "events", "sesv2": "ses"}

// writes are the actions that writes of shared/dynamo need, by the function that makes the write: alone or in a
// transaction, each goes through the same methods of the client.
var writes = map[string]string{
	"Put": "dynamodb:PutItem", "Update": "dynamodb:UpdateItem", "Delete": "dynamodb:DeleteItem",
	"Check": "dynamodb:ConditionCheckItem", "rowdb.(*Rows).hasValue": "dynamodb:ConditionCheckItem",
}

// notCalled are methods that are linked and need no action of a policy.
var notCalled = map[string]string{
	"dynamodb:DescribeEndpoints":  "the SDK calls it only where endpoint discovery is enabled",
	"dynamodb:PutItem":            "shared/dynamo.Put tells",
	"dynamodb:UpdateItem":         "shared/dynamo.Update tells",
	"dynamodb:DeleteItem":         "shared/dynamo.Delete tells",
	"dynamodb:TransactWriteItems": "its parts need actions of their own",
}

// actions returns the actions that a program with these functions can do, sorted.
func actions(names []byte) ([]string, error) {
	can := map[string]bool{}
	for _, m := range clientMethod.FindAllSubmatch(names, -1) {
		service, operation := string(m[1]), string(m[2])
		if operation == "Options" {
			return nil, fmt.Errorf("every method of %s is linked: something asks reflect for methods by name", service)
		}
		if renamed, differs := services[service]; differs {
			service = renamed
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
