package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

type object = map[string]any

// Table is a restored table, as describe-table shows it.
type Table struct {
	TableName       string
	TableArn        string
	LatestStreamArn string
}

// Adopted is what the two steps of an adoption need.
type Adopted struct {
	Detached, Attached object
	Import             []Import
	Parameters         []Parameter
}

// Import names a table that an import adds to the stack.
type Import struct {
	ResourceType       string
	LogicalResourceId  string
	ResourceIdentifier map[string]string
}

// Parameter keeps the present value of a parameter of the stack.
type Parameter struct {
	ParameterKey     string
	UsePreviousValue bool
}

// Adopt makes the templates for restored tables, by the logical ids of the tables that they replace.
func Adopt(stack object, tables map[string]Table) (a Adopted, err error) {
	resources, _ := stack["Resources"].(object)
	removed := object{}
	for id, t := range tables {
		r, _ := resources[id].(object)
		if r["Type"] != "AWS::DynamoDB::Table" {
			return a, fmt.Errorf("the stack has no table %s", id)
		}
		if t.TableName == "" || t.TableArn == "" {
			return a, fmt.Errorf("%s.json is no answer of describe-table", id)
		}
		properties, _ := r["Properties"].(object)
		if properties["StreamSpecification"] != nil && t.LatestStreamArn == "" {
			return a, fmt.Errorf("table %s has no stream, which %s needs", t.TableName, id)
		}
		removed[id] = r
	}

	versions := publish(resources)
	a.Detached = rewrite(stack, tables, versions).(object)
	kept := a.Detached["Resources"].(object)
	maps.DeleteFunc(kept, func(id string, _ any) bool { return removed[id] != nil })

	all := maps.Clone(kept)
	for _, id := range slices.Sorted(maps.Keys(tables)) {
		table := maps.Clone(removed[id].(object))
		// RetainExceptOnCreate deletes what an operation brought that is rolled back.
		table["DeletionPolicy"] = "Retain"
		all[id] = table
		a.Import = append(a.Import, Import{
			"AWS::DynamoDB::Table", id, map[string]string{"TableName": tables[id].TableName},
		})
	}
	a.Attached = maps.Clone(a.Detached)
	a.Attached["Resources"] = all

	parameters, _ := stack["Parameters"].(object)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		a.Parameters = append(a.Parameters, Parameter{name, true})
	}
	return a, nil
}

// publish returns new logical ids for the versions of functions, and marks the functions as changed. A version holds
// the environment, which names the tables: without new versions the aliases would keep the old tables, and with the
// old ids CloudFormation publishes none. The mark makes the next deployment, which takes it away, publish again.
func publish(resources object) map[string]string {
	versions := map[string]string{}
	for id, r := range resources {
		r, _ := r.(object)
		if r["Type"] != "AWS::Lambda::Version" {
			continue
		}
		versions[id] = id + "Restored"
		properties, _ := r["Properties"].(object)
		name, _ := properties["FunctionName"].(object)
		of, _ := name["Ref"].(string)
		if function, ok := resources[of].(object); ok {
			if properties, ok := function["Properties"].(object); ok {
				properties["Description"] = "tables restored"
			}
		}
	}
	return versions
}

// rewrite returns a copy of v in which references to the tables are their names and ARNs, and the versions have their
// new ids.
func rewrite(v any, tables map[string]Table, versions map[string]string) any {
	switch v := v.(type) {
	case object:
		if text, ok := reference(v, tables); ok {
			return text
		}
		out := object{}
		for name, inner := range v {
			if name == "Fn::Sub" {
				inner = substitute(inner, tables)
			}
			if id, ok := versions[name]; ok {
				name = id
			}
			out[name] = rewrite(inner, tables, versions)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = rewrite(v[i], tables, versions)
		}
		return out
	case string:
		if id, ok := versions[v]; ok { // in Ref, Fn::GetAtt and DependsOn
			return id
		}
	}
	return v
}

// reference returns the text of a Ref or Fn::GetAtt of a table.
func reference(v object, tables map[string]Table) (text string, ok bool) {
	if id, is := v["Ref"].(string); is {
		t, ok := tables[id]
		return t.TableName, ok
	}
	if at, is := v["Fn::GetAtt"].([]any); is && len(at) == 2 {
		id, _ := at[0].(string)
		t, ok := tables[id]
		switch at[1] {
		case "Arn":
			return t.TableArn, ok
		case "StreamArn":
			return t.LatestStreamArn, ok
		}
	}
	return "", false
}

// substitute fills the tables into the text of a Fn::Sub.
func substitute(v any, tables map[string]Table) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	for id, t := range tables {
		text = strings.NewReplacer(
			"${"+id+"}", t.TableName, "${"+id+".Arn}", t.TableArn, "${"+id+".StreamArn}", t.LatestStreamArn,
		).Replace(text)
	}
	return text
}
