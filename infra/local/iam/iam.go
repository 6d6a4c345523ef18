// Package iam limits each program to the grants of template.yaml. A program signs with an access key named after its
// function, and a call that the function's policies do not allow is refused as on AWS. Calls with any other key —
// tests, tools, the local cloud itself — are allowed.
//
// A missing grant therefore shows up locally instead of after the deployment.
package iam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"minicloud/infra/local/iamaction"
	"minicloud/infra/local/template"
)

// Secret is the secret key of every access key of the local cloud.
const Secret = "local"

// Gate checks calls against the grants of each function.
type Gate struct {
	region string
	grants map[string][]template.Grant // by the name of a function, or the ID of a distribution
	keys   []*template.Key
}

// New returns the gate for the functions of the template.
func New(t *template.Template, region string) *Gate {
	g := &Gate{region: region, grants: map[string][]template.Grant{}, keys: t.Keys}
	for _, f := range t.Functions {
		g.grants[f.Name] = f.Grants
	}
	for _, d := range t.Distributions {
		g.grants[d.ID] = d.Grants
	}
	return g
}

// Denied is the error of a denied call, worded as on AWS.
type Denied struct{ Caller, Action, Resource string }

func (d *Denied) Error() string {
	return fmt.Sprintf("User: arn:aws:sts::%s:assumed-role/%s/local is not authorized to perform: %s on resource: %s because no identity-based policy allows the %s action",
		template.Account, d.Caller, d.Action, d.Resource, d.Action)
}

// Caller returns the access key ID in an Authorization header.
func Caller(authorization string) string {
	_, credential, _ := strings.Cut(authorization, "Credential=")
	key, _, _ := strings.Cut(credential, "/")
	return key
}

// Check returns a *Denied if the signer is a function without a grant for the action on one of the resources. It
// returns another error if IAM has no such action, because no policy could grant it. key is the partition key of an
// item, the binding of a secret or the tenant of a mail; "" for none.
func (g *Gate) Check(authorization, action, key string, resources ...string) error {
	name := Caller(authorization)
	grants, isFunction := g.grants[name]
	// Callers that are not functions, such as the AWS CLI or a test, act as the owner of the account.
	if !isFunction {
		return nil
	}
	if !iamaction.Exists(action) {
		return fmt.Errorf("IAM has no action %s: the local cloud cannot say whether %s may do it", action, name)
	}
	for _, resource := range resources {
		if !template.Allowed(grants, action, resource, key) {
			return &Denied{name, action, resource}
		}
	}
	return nil
}

// Uses reports whether a function may call any service other than logs.
func Uses(f *template.Function) bool {
	for _, grant := range f.Grants {
		for _, action := range grant.Actions {
			if !strings.HasPrefix(action, "logs:") {
				return true
			}
		}
	}
	return false
}

func (g *Gate) arn(service, resource string) string {
	return "arn:aws:" + service + ":" + g.region + ":" + template.Account + ":" + resource
}

// DynamoDB checks one operation. As on AWS, a transaction needs a grant for each of its parts, and an index is a
// resource of its own.
func (g *Gate) DynamoDB(authorization, operation string, body []byte) error {
	if _, isFunction := g.grants[Caller(authorization)]; !isFunction {
		return nil
	}

	switch operation {
	case "TransactWriteItems", "TransactGetItems":
		return g.transaction(authorization, body)
	case "BatchGetItem", "BatchWriteItem":
		var in struct{ RequestItems map[string]json.RawMessage }
		if err := json.Unmarshal(body, &in); err != nil {
			return nil // the database reports the error
		}

		for table := range in.RequestItems {
			if err := g.Check(authorization, "dynamodb:"+operation, "", g.table(table)); err != nil {
				return err
			}
		}

		return nil
	}

	resource := g.table(field(body, "TableName"))
	if index := field(body, "IndexName"); index != "" {
		resource += "/index/" + index
	}

	return g.Check(authorization, "dynamodb:"+operation, leadingKey(body), resource)
}

// leadingKey returns the partition key in a request, "" for none.
func leadingKey(body []byte) string {
	var in struct{ Key map[string]struct{ S string } }
	_ = json.Unmarshal(body, &in) // the database reports errors
	return in.Key["pk"].S
}

// partActions maps the parts of a transaction to the actions that they need.
var partActions = map[string]string{
	"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem",
	"Get": "GetItem",
}

func (g *Gate) transaction(authorization string, body []byte) error {
	type keyed map[string]struct{ S string }
	var in struct {
		TransactItems []map[string]struct {
			TableName string
			Key, Item keyed
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil // the database reports the error
	}
	for _, part := range in.TransactItems {
		for kind, about := range part {
			key := about.Key["pk"].S + about.Item["pk"].S // a part has one of them
			if err := g.Check(authorization, "dynamodb:"+partActions[kind], key, g.table(about.TableName)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *Gate) table(nameOrARN string) string {
	if strings.HasPrefix(nameOrARN, "arn:") {
		return nameOrARN
	}
	return g.arn("dynamodb", "table/"+nameOrARN)
}

// field finds a string field without decoding the request. It matches no user data: quotes inside strings are escaped,
// and the value of an attribute with that name is an object.
func field(body []byte, name string) string {
	_, after, found := bytes.Cut(body, []byte(`"`+name+`":"`))
	if !found {
		return ""
	}
	value, _, _ := bytes.Cut(after, []byte(`"`))
	return string(value)
}
