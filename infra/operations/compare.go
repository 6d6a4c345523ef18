package main

import (
	"fmt"
	"slices"
	"strings"

	"minicloud/infra/local/template"
)

// unused lists the calls that a program links but never makes, by program and action, each with the reason.
var unused = map[string]string{
	"user dynamodb:BatchWriteItem":   "only two new rows or more are a batch, and users are inserted one at a time",
	"file dynamodb:BatchWriteItem":   "the same, of files and categories",
	"file s3:CreateSession":          "only directory buckets have sessions",
	"platformevent s3:CreateSession": "only directory buckets have sessions",
	"filesweep s3:CreateSession":     "only directory buckets have sessions",
	"order dynamodb:DeleteItem":      "only the erasure of a user, in program paymentrefund, takes an order from its buyer",
}

// compare returns where the function's policy allows more or less than its program can do.
func compare(f *template.Function, can []string) (problems []string) {
	allowed := ownActions(f)
	for _, action := range can {
		// A program may use the dead-letter queue that Lambda uses with the same role.
		if !grants(f, action) && unused[f.Program+" "+action] == "" {
			problems = append(problems, fmt.Sprintf("%s can do %s, which %s does not allow", f.Program, action, f.ID))
		}
	}
	for _, action := range allowed {
		if !slices.Contains(can, action) {
			problems = append(problems, fmt.Sprintf("%s allows %s, which %s cannot do", f.ID, action, f.Program))
		}
	}
	for _, exception := range exceptions(f.Program) {
		if !slices.Contains(can, exception) || slices.Contains(allowed, exception) {
			problems = append(problems, fmt.Sprintf("%s is no exception of %s any more", exception, f.Program))
		}
	}
	return problems
}

func grants(f *template.Function, action string) bool {
	return slices.ContainsFunc(f.Grants, func(g template.Grant) bool { return slices.Contains(g.Actions, action) })
}

func exceptions(program string) (actions []string) {
	for entry := range unused {
		if of, action, _ := strings.Cut(entry, " "); of == program {
			actions = append(actions, action)
		}
	}
	return actions
}

// ownActions returns the actions of the function's policy without those that Lambda itself performs with the role:
// writing the log and reading the function's event sources.
func ownActions(f *template.Function) (own []string) {
	for _, grant := range f.Grants {
		for _, action := range grant.Actions {
			if !lambdaDoes(f, action, grant.Resources) && !slices.Contains(own, action) {
				own = append(own, action)
			}
		}
	}
	slices.Sort(own)
	return own
}

// lambdaDoes reports whether Lambda itself performs the action with the function's role, on each of the resources.
func lambdaDoes(f *template.Function, action string, resources []string) bool {
	feeds := func(resource string) bool {
		ofQueue := func(e template.QueueEvent) bool {
			return slices.Contains(template.QueueActions, action) && strings.HasSuffix(resource, ":"+e.Queue)
		}
		ofStream := func(e template.StreamEvent) bool {
			ofBucket := resource == "arn:aws:s3:::"+e.OnFailureBucket || resource == "arn:aws:s3:::"+e.OnFailureBucket+"/*"
			return action == "sqs:SendMessage" && strings.HasSuffix(resource, ":"+e.OnFailureQueue) ||
				(action == "s3:PutObject" || action == "s3:ListBucket") && ofBucket ||
				slices.Contains(template.StreamActions, action) && strings.HasSuffix(resource, ":table/"+e.Table+"/stream/*")
		}
		return slices.ContainsFunc(f.Queues, ofQueue) || slices.ContainsFunc(f.Streams, ofStream)
	}
	if slices.Contains(template.LogActions, action) {
		return true
	}
	return !slices.ContainsFunc(resources, func(resource string) bool { return !feeds(resource) })
}
