package refusal

import (
	"fmt"
	"reflect"
	"slices"

	"minicloud/infra/local/template"
)

// replacing lists, for the types whose resources hold data, the properties whose change makes CloudFormation create a
// new, empty resource ("Update requires: Replacement" in its reference). Other types may be replaced, such as a
// function whose TenancyConfig changes: the template reader refuses explicit names for them, which would collide with
// the old resource.
var replacing = map[string][]string{
	"AWS::DynamoDB::Table": {"TableName", "KeySchema"},
	"AWS::SQS::Queue":      {"QueueName", "FifoQueue"},
	"AWS::KMS::Key":        {"KeySpec", "KeyUsage", "MultiRegion"},
	"AWS::S3::Bucket":      {"BucketName"},
}

// Upgrade returns the changes from before to now that CloudFormation would refuse, or that would lose data.
func Upgrade(before, now []byte) ([]string, error) {
	old, err := template.Read(before, template.Options{})
	if err != nil {
		return nil, fmt.Errorf("the template before: %w", err)
	}
	next, err := template.Read(now, template.Options{})
	if err != nil {
		return nil, err
	}

	var out []string
	for _, was := range old.Resources {
		properties, holds := replacing[was.Type]
		if !holds {
			continue
		}
		// CloudFormation identifies a resource by its logical ID: a new ID is a new resource.
		i := slices.IndexFunc(next.Resources, func(r template.Resource) bool { return r.ID == was.ID && r.Type == was.Type })
		if i < 0 {
			out = append(out, was.ID+": is gone, and what it holds is left behind or lost")
			continue
		}
		for _, name := range properties {
			if !reflect.DeepEqual(was.Properties[name], next.Resources[i].Properties[name]) {
				out = append(out, fmt.Sprintf("%s: %s changes, so a new and empty one takes its place", was.ID, name))
			}
		}
		if expires, is := ttlOf(was), ttlOf(next.Resources[i]); expires != "" && is != expires {
			out = append(out, fmt.Sprintf("%s: TimeToLiveSpecification loses %s; set Enabled to false instead", was.ID, expires))
		}
	}
	for _, was := range old.Resources {
		i := slices.IndexFunc(next.Resources, func(r template.Resource) bool { return r.ID == was.ID && r.Type == was.Type })
		if i < 0 {
			continue
		}
		is := mappings(next.Resources[i])
		for source, event := range mappings(was) {
			if is[source] != "" && is[source] != event {
				out = append(out, was.ID+": the mapping of "+source+" would be made anew while the old one is there")
			}
		}
	}
	for _, was := range old.Tables {
		if i := slices.IndexFunc(next.Tables, func(t *template.Table) bool { return t.ID == was.ID }); i >= 0 {
			out = append(out, indexChanges(was, next.Tables[i])...)
		}
	}
	return out, nil
}

// ttlOf returns the attribute by which items of a table expire, "" for none and for other resources. CloudFormation
// demands it for ever: "AttributeName property of TimeToLiveSpecification is required when TTL status is enabled or
// while enabling/disabling TTL" (aws/aws-cdk#25655), and another one only after TTL was off.
func ttlOf(r template.Resource) string {
	specification, _ := r.Properties["TimeToLiveSpecification"].(map[string]any)
	attribute, _ := specification["AttributeName"].(string)
	return attribute
}

// mappings returns the event and the starting position of each source that a function reads. With another event or
// position CloudFormation makes the mapping anew before it deletes the old one, which Lambda refuses: "The event source
// arn and function provided mapping already exists" (aws/serverless-application-model#1320).
func mappings(r template.Resource) map[string]string {
	out := map[string]string{}
	events, _ := r.Properties["Events"].(map[string]any)
	for name, event := range events {
		e, _ := event.(map[string]any)
		properties, _ := e["Properties"].(map[string]any)
		for _, source := range []string{"Queue", "Stream"} {
			if arn, ok := properties[source].(string); ok {
				out[arn] = fmt.Sprint(name, properties["StartingPosition"])
			}
		}
	}
	return out
}

// indexChanges reports index changes that DynamoDB refuses: "Cannot perform more than one GSI creation or deletion in
// a single update" (aws-cloudformation/cloudformation-coverage-roadmap#229).
func indexChanges(was, is *template.Table) (out []string) {
	changes := 0
	for _, index := range was.Indexes {
		i := slices.IndexFunc(is.Indexes, func(other template.Index) bool { return other.Name == index.Name })
		switch {
		case i < 0:
			changes++
		case !reflect.DeepEqual(index, is.Indexes[i]): // DynamoDB cannot change an index
			out = append(out, was.ID+": the index "+index.Name+" changes; give the new one a new name")
		}
	}
	for _, index := range is.Indexes {
		if !slices.ContainsFunc(was.Indexes, func(other template.Index) bool { return other.Name == index.Name }) {
			changes++
		}
	}
	if changes > 1 {
		out = append(out, fmt.Sprintf("%s: %d indexes come or go, DynamoDB changes one in an update", was.ID, changes))
	}
	return out
}
