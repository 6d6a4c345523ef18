// Package iamaction lists the IAM actions of the services that template.yaml may use. IAM accepts a policy with an
// unknown action and grants nothing, so a typo would otherwise show up only after the deployment.
package iamaction

import (
	_ "embed"
	"path"
	"strings"
)

//go:embed actions.txt
var list string

// actions maps each service to its action names in lower case: IAM ignores case.
var actions = read(list)

func read(list string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(list) {
		service, names, found := strings.Cut(line, ": ")
		if found && !strings.HasPrefix(line, "#") {
			out[service] = strings.Fields(strings.ToLower(names))
		}
	}
	return out
}

// Exists reports whether IAM has an action such as "dynamodb:GetItem". A pattern ("dynamodb:Get*") exists if it
// matches at least one action; so does "*".
func Exists(action string) bool {
	if action == "*" {
		return true
	}
	service, pattern, _ := strings.Cut(strings.ToLower(action), ":")
	for _, name := range actions[service] {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			return true
		}
	}
	return false
}
