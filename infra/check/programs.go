package check

import (
	"maps"
	"path"
	"slices"
	"strings"

	"minicloud/infra/local/template"
	"minicloud/shared/program"
)

// localOnly are variables that the local cloud sets for its tests and that a deployment must not set.
var localOnly = []string{"ALLOW_PRIVATE_TARGETS"}

// endpointName is the variable with the URL of the AWS APIs. The template must declare it, because sam local sets
// only declared variables.
const endpointName = "AWS_ENDPOINT_URL"

// Programs reports differences between template.yaml and functions/: a function without a program, a variable that is
// set but not read, a resource that is referenced but not granted, and the reverse of each. read has, for each
// program of package programs, the variables that it reads at start.
func Programs(t *Tree, read map[string]map[string]bool, tmpl *template.Template) (problems findings) {
	deployed := map[string]bool{}
	for _, f := range tmpl.Functions {
		deployed[f.Program] = true
		problems = append(problems, compareVariables(f, read[f.Program])...)
		problems = append(problems, compareGrants(f, tmpl)...)
	}

	mains := mains(t)
	for _, name := range slices.Sorted(maps.Keys(mains)) {
		if !deployed[name] {
			problems.add("functions/%s is no function of template.yaml", name)
		}
		if read[name] == nil {
			problems.add("functions/%s is not in infra/local/programs", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(deployed)) {
		if !mains[name] {
			problems.add("template.yaml runs functions/%s, which has no package main", name)
		}
	}

	return problems
}

// mains returns the folders of functions/ that have a package main.
func mains(t *Tree) map[string]bool {
	found := map[string]bool{}
	for _, source := range t.Go {
		if source.Syntax.Name.Name == "main" && path.Dir(source.Dir) == "functions" {
			found[path.Base(source.Dir)] = true
		}
	}
	return found
}

// VariablesRead returns the environment variables that wire reads, without those that begin with AWS_.
func VariablesRead(wire func(*program.Program)) map[string]bool {
	read := map[string]bool{}
	wire(program.Read(func(name string) (value string, set bool) {
		if !strings.HasPrefix(name, "AWS_") {
			read[name] = true
		}
		return "", false
	}))
	return read
}

// Builds reports functions that `sam build` would build from another program than the template deploys:
// infra/build/Makefile derives the program from the function's name.
func Builds(tmpl *template.Template) (problems findings) {
	for _, f := range tmpl.Functions {
		name, called := strings.CutSuffix(f.ID, "Function")
		program := strings.ToLower(name)
		if strings.HasPrefix(name, "Sandbox") {
			program = "sandbox"
		}
		if !called || program != f.Program {
			problems.add("template.yaml: %s must be called after functions/%s, from which infra/build/Makefile builds it", f.ID, f.Program)
		}
	}
	return problems
}

func compareVariables(f *template.Function, read map[string]bool) (problems findings) {
	for _, name := range slices.Sorted(maps.Keys(f.Environment)) {
		if name == endpointName {
			continue // the SDK reads it
		}
		if slices.Contains(localOnly, name) {
			problems.add("template.yaml: %s is given %s, which is for the local cloud only", f.ID, name)
		} else if !read[name] {
			problems.add("template.yaml: %s is given %s, which functions/%s does not read", f.ID, name, f.Program)
		}
	}

	if address, set := f.Environment[endpointName]; !set || address != "" {
		problems.add("template.yaml: %s needs %s: \"\", which is AWS, and which sam local can change", f.ID, endpointName)
	}

	for _, name := range slices.Sorted(maps.Keys(read)) {
		if _, set := f.Environment[name]; !set && !slices.Contains(localOnly, name) {
			problems.add("functions/%s reads %s, which template.yaml does not give %s", f.Program, name, f.ID)
		}
	}

	return problems
}

// streams reports whether the table's stream invokes the function; its variable then needs no grant.
func streams(f *template.Function, table string) bool {
	return slices.ContainsFunc(f.Streams, func(e template.StreamEvent) bool { return e.Table == table })
}

// compareGrants compares the resources that the variables name with the resources of the policies.
func compareGrants(f *template.Function, tmpl *template.Template) (problems findings) {
	targets := targets(tmpl)
	pointed := map[string]string{} // ARN → variable
	for name, value := range f.Environment {
		if arn, ok := targets[value]; ok {
			pointed[arn] = name
		}
	}

	granted := grants(f)
	for _, arn := range slices.Sorted(maps.Keys(pointed)) {
		if len(granted[arn]) == 0 && !(pointed[arn] == "TABLES_TABLE" && slices.Contains(builtInTablesOnly, f.Program)) && !streams(f, f.Environment[pointed[arn]]) {
			problems.add("template.yaml: %s is given %s but its policies do not name it", f.ID, pointed[arn])
		}
	}

	for _, resource := range slices.Sorted(maps.Keys(granted)) {
		if resource == "*" && !slices.ContainsFunc(granted[resource], needsResource) {
			continue
		}
		_, used := pointed[resource]
		used = used || feeds(f, resource)
		if ofOwners(resource) {
			continue
		}
		if strings.Contains(resource, "*") && !used {
			problems.add("template.yaml: %s is granted %s; name the resource", f.ID, resource)
		} else if !used {
			problems.add("template.yaml: %s is granted %s but no variable points at it", f.ID, resource)
		}
		for _, action := range granted[resource] {
			if strings.Contains(action, "*") || action == "dynamodb:Scan" {
				problems.add("template.yaml: %s is granted %s; name the actions, and no scans", f.ID, action)
			}
		}
	}

	return problems
}

// anywhere are actions that are granted for every resource: phone numbers are no resources of the account, and a tenant
// of SES has an ARN only after it was created.
var anywhere = []string{"sns:Publish", "ses:CreateTenant"}

func needsResource(action string) bool { return !slices.Contains(anywhere, action) }

// ofOwners reports whether a pattern names the identities and tenants of SES, which come with the applications' senders.
// A condition on ses:TenantName bounds who sends.
func ofOwners(resource string) bool {
	return strings.HasSuffix(resource, ":identity/*") || strings.HasSuffix(resource, "-*/*") && strings.Contains(resource, ":tenant/")
}

// targets maps the Ref value of each resource that a program can use to its ARN.
func targets(tmpl *template.Template) map[string]string {
	out := map[string]string{}
	for _, table := range tmpl.Tables {
		out[table.Name] = arn("dynamodb", "table/"+table.Name)
	}

	for _, f := range tmpl.Functions {
		out[f.Name] = arn("lambda", "function:"+f.Name)
	}

	for _, set := range tmpl.ConfigurationSets { // a variable has its ARN
		out[arn("ses", "configuration-set/"+set.Name)] = arn("ses", "configuration-set/"+set.Name)
	}

	for _, queue := range tmpl.Queues {
		out["https://sqs.us-east-1.amazonaws.com/"+template.Account+"/"+queue.Name] = arn("sqs", queue.Name)
	}

	// Ref of a key returns its ID, not an ARN; Ref of the others returns their names.
	for _, key := range tmpl.Keys {
		out[key.ID] = arn("kms", "key/"+key.ID)
	}

	for _, bus := range tmpl.Buses {
		out[bus.Name] = arn("events", "event-bus/"+bus.Name)
	}

	for _, bucket := range tmpl.Buckets {
		out[bucket.Name] = ofBucket + bucket.Name
	}

	return out
}

// builtInTablesOnly are programs whose rows are those of tables that no application can change: the store of rows is
// given the name of the table of schemas, which it does not read for them.
var builtInTablesOnly = []string{"file", "platformevent", "filesweep"}

// ofBucket is the beginning of the ARNs of buckets.
const ofBucket = "arn:aws:s3:::"

func arn(service, resource string) string {
	return "arn:aws:" + service + ":us-east-1:" + template.Account + ":" + resource
}

// feeds reports whether the resource is an event source of the function, or the queue or bucket for events that Lambda
// gives up: Lambda itself accesses them with the function's role, and no variable names them.
func feeds(f *template.Function, resource string) bool {
	for _, q := range f.Queues {
		if resource == arn("sqs", q.Queue) {
			return true
		}
	}
	return slices.ContainsFunc(f.Streams, func(s template.StreamEvent) bool {
		return resource == arn("dynamodb", "table/"+s.Table+"/stream/*") || resource == arn("sqs", s.OnFailureQueue) ||
			resource == ofBucket+s.OnFailureBucket
	})
}

// grants maps each resource of the function's policies to its allowed actions. An index counts as its table, an object
// as its bucket.
func grants(f *template.Function) map[string][]string {
	out := map[string][]string{}
	for _, grant := range f.Grants {
		for _, resource := range grant.Resources {
			if strings.HasPrefix(resource, "arn:aws:logs:") {
				continue // Lambda itself writes the log; no variable names it
			}
			resource, _, _ = strings.Cut(resource, "/index/")
			if strings.HasPrefix(resource, ofBucket) { // the objects of a bucket count as the bucket
				resource = strings.TrimSuffix(resource, "/*")
			}
			out[resource] = append(out[resource], grant.Actions...)
		}
	}
	return out
}
