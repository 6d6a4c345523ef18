package refusal

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"minicloud/infra/local/template"
)

// Rules returns all rules, by service. It omits those that the template reader itself checks, such as ranges of
// numbers.
func Rules() []Rule {
	return slices.Concat(stackRules, apiRules, functionRules, eventRules, queueRules, policyRules, otherRules)
}

var stackRules = []Rule{
	{"a template has at most 500 resources, with those that SAM adds", "UserGuide/cloudformation-limits.html",
		atMost(500, "resources", expanded)},
	{"no resource refers to itself, nor by way of others", "aws/serverless-application-model#386", circle},
	{"a template has at most 200 parameters", "UserGuide/cloudformation-limits.html",
		atMost(200, "parameters", func(s *stack) int { return len(s.Parameters) })},
	{"every parameter is bounded, a text to 4,096 bytes",
		"UserGuide/cloudformation-limits.html", func(s *stack, report report) {
			for name, p := range s.Parameters {
				switch {
				case len(p.AllowedValues) > 0:
				case p.Type == "Number" && (p.MinValue == nil || p.MaxValue == nil):
					report(name, "has no MinValue or no MaxValue")
				case p.Type == "String" && (p.MaxLength == nil || *p.MaxLength > 4096):
					report(name, "has no MaxLength up to 4096")
				}
			}
		}},
	{"names have the characters and the length of their service",
		"the name property of each type in CloudFormation's reference",
		func(s *stack, report report) {
			for _, r := range s.Resources {
				if most := template.LongestName[r.Type]; most > 0 && len(r.Name) > most {
					report(r.ID, "the name %s has %d characters, at most %d", r.Name, len(r.Name), most)
				}
				if form := nameForms[r.Type]; form != nil && !form.MatchString(r.Name) {
					report(r.ID, "the name %q does not match %s", r.Name, form)
				}
			}
		}},
}

// nameForms maps resource types to the allowed characters of their names and the minimum length.
var nameForms = map[string]*regexp.Regexp{
	"AWS::Serverless::Function":  regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
	"AWS::DynamoDB::Table":       regexp.MustCompile(`^[A-Za-z0-9_.-]{3,}$`),
	"AWS::SQS::Queue":            regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
	"AWS::Events::EventBus":      regexp.MustCompile(`^[/.\-_A-Za-z0-9]+$`),
	"AWS::Events::Rule":          regexp.MustCompile(`^[.\-_A-Za-z0-9]+$`),
	"AWS::IAM::Role":             regexp.MustCompile(`^[\w+=,.@-]+$`),
	"AWS::Logs::LogGroup":        regexp.MustCompile(`^[.\-_/#A-Za-z0-9]+$`),
	"AWS::SES::ConfigurationSet": regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
	"AWS::SNS::Topic":            regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
	"AWS::S3::Bucket":            regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`),
}

// expanded returns the number of resources after SAM adds roles, permissions, mappings, rules, stages and versions. The
// one application of CodeDeploy is left out.
func expanded(s *stack) int {
	n := len(s.Resources)
	for _, f := range s.Functions {
		n += len(f.Routes) + len(f.Queues) + len(f.Streams) + 2*len(f.Schedules)
		if f.Alias != "" {
			n += 2 // a version and an alias
		}
		if f.Deployment != nil {
			n++ // a deployment group
		}
	}
	for _, r := range s.Resources {
		if r.Type == "AWS::Serverless::HttpApi" || r.Type == "AWS::Serverless::Function" && r.Properties["Role"] == nil {
			n++ // the stage of an API or the role of a function
		}
		if r.Properties["EventInvokeConfig"] != nil {
			n++
		}
	}
	return n
}

var (
	segment = regexp.MustCompile(`^([A-Za-z0-9$._~!*'()@:=,;&%-]+|\{[A-Za-z0-9._:-]+\+?\})$`)
	methods = []string{"ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}
)

var apiRules = []Rule{
	{"a path is of words and variables, the greedy one last, each variable once",
		"apigateway/http-api-develop-routes.html",
		functions(func(f *template.Function, fail func(string, ...any)) {
			for _, r := range f.Routes {
				if r.Path != "$default" && r.Path != "/" && !wellFormed(r.Path) {
					fail("the route %s has another path", r.Key())
				}
			}
		})},
	{"a route has a method of HTTP or ANY", "apigatewayv2/latest/api-reference/apis-apiid-routes.html",
		functions(func(f *template.Function, fail func(string, ...any)) {
			for _, r := range f.Routes {
				if !slices.Contains(methods, r.Method) {
					fail("the route %s has another method", r.Key())
				}
			}
		})},
	{"an HTTP API has at most 300 routes, of one integration each", "apigateway/http-api-quotas.html",
		atMost(300, "routes", func(s *stack) (n int) {
			for _, f := range s.Functions {
				n += len(f.Routes)
			}
			return n
		})},
	// SAM's path parameters have no schema. OpenAPI demands one, and API Gateway warns of what OpenAPI refuses.
	{"an HTTP API does not stop at warnings", "apigateway/http-api-open-api.html",
		resources("AWS::Serverless::HttpApi", func(r template.Resource, fail func(string, ...any)) {
			if r.Properties["FailOnWarnings"] == true {
				fail("has FailOnWarnings")
			}
		})},
	{"throttling stays within the account's 10,000 requests a second, in whole numbers",
		"apigateway/http-api-throttling.html",
		resources("AWS::Serverless::HttpApi", func(r template.Resource, fail func(string, ...any)) {
			settings, _ := r.Properties["DefaultRouteSettings"].(map[string]any)
			for _, name := range []string{"ThrottlingRateLimit", "ThrottlingBurstLimit"} {
				if limit, given := settings[name]; given && !within(limit, 1, 10000) {
					fail("%s is %v", name, limit)
				}
			}
		})},
}

// wellFormed reports whether API Gateway accepts a path as a route.
func wellFormed(path string) bool {
	segments, seen := strings.Split(path, "/")[1:], map[string]bool{}
	for i, s := range segments {
		variable := strings.HasPrefix(s, "{")
		greedy := variable && strings.HasSuffix(s, "+}")
		name := strings.TrimSuffix(s, "+}") // {a} and {a+} are the same variable
		if !segment.MatchString(s) || greedy && i < len(segments)-1 || variable && seen[strings.TrimSuffix(name, "}")] {
			return false
		}
		seen[strings.TrimSuffix(name, "}")] = true
	}
	return true
}

// within reports whether a value is an integer from low to high.
func within(value any, low, high int) bool {
	n, whole := value.(int)
	return whole && n >= low && n <= high
}

var (
	variable = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]+$`)
	// reserved lists Lambda's own names without the prefix AWS_, which the template reader refuses.
	reserved = []string{"_HANDLER", "_X_AMZN_TRACE_ID", "LAMBDA_TASK_ROOT", "LAMBDA_RUNTIME_DIR"}
)

var functionRules = []Rule{
	// Lambda measures the JSON: its error message contains it as "String measured".
	{"environment variables have at most 4 KB, as JSON",
		"lambda/gettingstarted-limits.html; github-aws-runners/terraform-aws-github-runner#3594",
		functions(func(f *template.Function, fail func(string, ...any)) {
			if n := size(f.Environment); n > 4096 {
				fail("its environment variables have %d bytes as JSON in a stack of %d characters, at most 4096", n, LongestStack)
			}
		})},
	{"a variable's name is a letter and more letters, digits or _, and not Lambda's",
		"lambda/configuration-envvars.html",
		functions(func(f *template.Function, fail func(string, ...any)) {
			for name := range f.Environment {
				if !variable.MatchString(name) || slices.Contains(reserved, name) {
					fail("may not have the variable %s", name)
				}
			}
		})},
	{"a function's policy has at most 20 KB", "lambda/gettingstarted-limits.html", functionPolicy},
	{"CodeDeploy may assume the role of a deployment",
		"codedeploy/latest/userguide/getting-started-create-service-role.html", deploymentTrust},
	{"a function with TenancyConfig has no event sources", "lambda/tenant-isolation.html",
		functions(func(f *template.Function, fail func(string, ...any)) {
			if f.PerTenant && len(f.Queues)+len(f.Streams)+len(f.Schedules) > 0 {
				fail("has TenancyConfig and an event source, which names no tenant")
			}
		})},
}

// deploymentTrust reports roles of deployments that CodeDeploy may not assume.
func deploymentTrust(s *stack, report report) {
	for _, f := range s.Functions {
		if f.Deployment == nil || f.Deployment.Role == "" {
			continue
		}
		trusted := slices.ContainsFunc(s.Resources, func(r template.Resource) bool {
			return r.Type == "AWS::IAM::Role" && strings.HasSuffix(f.Deployment.Role, ":role/"+r.Name) &&
				slices.Contains(leaves(r.Properties["AssumeRolePolicyDocument"]), "codedeploy.amazonaws.com")
		})
		if !trusted {
			report(f.ID, "CodeDeploy may not assume %s", f.Deployment.Role)
		}
	}
}

// functionPolicy reports functions whose policy is too long: it has one statement for each route and schedule.
func functionPolicy(s *stack, report report) {
	// The names of function and rule have their maximum length.
	function := "arn:aws:lambda:" + region + ":" + template.Account + ":function:" + strings.Repeat("f", 64)
	for _, f := range s.Functions {
		statements := []any{}
		allow := func(service, source string) {
			statements = append(statements, map[string]any{
				"Sid": strings.Repeat("s", 100), "Effect": "Allow", "Principal": map[string]string{"Service": service},
				"Action": "lambda:InvokeFunction", "Resource": function + ":" + f.Alias,
				"Condition": map[string]any{"ArnLike": map[string]string{"AWS:SourceArn": source}},
			})
		}
		for _, r := range f.Routes {
			allow("apigateway.amazonaws.com",
				"arn:aws:execute-api:"+region+":"+template.Account+":0123456789/*/"+r.Method+r.Path)
		}
		for range f.Schedules {
			allow("events.amazonaws.com", "arn:aws:events:"+region+":"+template.Account+":rule/"+strings.Repeat("r", 64))
		}
		policy := map[string]any{"Version": "2012-10-17", "Id": "default", "Statement": statements}
		if n := size(policy); n > 20<<10 {
			report(f.ID, "its policy has %d bytes, at most %d", n, 20<<10)
		}
	}
}

var eventRules = []Rule{
	{"a batch of more than 10 messages has a window of a second",
		"UserGuide/aws-resource-lambda-eventsourcemapping.html",
		functions(func(f *template.Function, fail func(string, ...any)) {
			for _, e := range f.Queues {
				if e.Size > 10 && e.Window < time.Second {
					fail("its batches of the queue %s have up to %d messages without a window", e.Queue, e.Size)
				}
			}
		})},
	{"a stream with a tumbling window has ParallelizationFactor 1", "terraform-aws-modules/terraform-aws-lambda#619",
		functions(func(f *template.Function, fail func(string, ...any)) {
			for _, e := range f.Streams {
				if e.Tumbling > 0 && e.Parallel > 1 {
					fail("%s has a window and %d lanes", e.Name, e.Parallel)
				}
			}
		})},
	{"records of a stream are given up after a minute at least", "lambda/API_CreateEventSourceMapping.html",
		functions(func(f *template.Function, fail func(string, ...any)) {
			for _, e := range f.Streams {
				if e.MaxAge > 0 && e.MaxAge < time.Minute {
					fail("%s gives records up after %v", e.Name, e.MaxAge)
				}
			}
		})},
	{"an event source has at most 5 filters of 4,096 characters",
		"lambda/invocation-eventfiltering.html, lambda/API_Filter.html",
		functions(func(f *template.Function, fail func(string, ...any)) {
			batches := map[string]template.Batch{}
			for _, e := range f.Queues {
				batches[e.Queue] = e.Batch
			}
			for _, e := range f.Streams {
				batches[e.Name] = e.Batch
			}
			for name, b := range batches {
				if len(b.Filters) > 5 || slices.ContainsFunc(b.Filters, func(p map[string]any) bool { return size(p) > 4096 }) {
					fail("%s has %d filters, or a longer one", name, len(b.Filters))
				}
			}
		})},
	{"a function reads a queue or a stream once",
		"lambda/API_CreateEventSourceMapping.html, ResourceConflictException",
		functions(func(f *template.Function, fail func(string, ...any)) {
			seen := map[string]bool{}
			for _, e := range f.Queues {
				if seen["queue "+e.Queue] {
					fail("reads the queue %s twice", e.Queue)
				}
				seen["queue "+e.Queue] = true
			}
			for _, e := range f.Streams {
				if seen["stream "+e.Table] {
					fail("reads the stream of %s twice", e.Table)
				}
				seen["stream "+e.Table] = true
			}
		})},
	// AWS accepts more readers but throttles them permanently.
	{"a table's stream has at most two readers", "amazondynamodb/Streams.html", func(s *stack, report report) {
		readers := map[string]int{}
		for _, f := range s.Functions {
			for _, e := range f.Streams {
				readers[e.Table]++
			}
		}
		for table, n := range readers {
			if n > 2 {
				report(table, "%d functions read its stream", n)
			}
		}
	}},
	{"a rule's pattern has at most 2,048 characters", "eventbridge/eb-quota.html",
		resources("AWS::Events::Rule", func(r template.Resource, fail func(string, ...any)) {
			if n := size(r.Properties["EventPattern"]); n > 2048 {
				fail("its pattern has %d characters", n)
			}
		})},
}
