package check

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"minicloud/infra/local/insight"
	"minicloud/infra/local/template"
	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
	"minicloud/shared/program"
)

// tree returns a Tree of the files given as name, text, name, text …
func tree(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	out, err := Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// expect fails unless there is one problem per wanted fragment, in any order.
func expect(t *testing.T, problems []string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		found := false
		for _, p := range problems {
			found = found || strings.Contains(p, w)
		}
		if !found {
			t.Errorf("no problem says %q", w)
		}
	}
	if len(problems) != len(wanted) {
		t.Errorf("want %d problems, got %d:\n%s", len(wanted), len(problems), strings.Join(problems, "\n"))
	}
}

func TestDeadLetters(t *testing.T) {
	tmpl := &template.Template{
		Queues:    []*template.Queue{{Name: "Q", DeadQueue: "Watched"}, {Name: "P", DeadQueue: "Silent"}, {Name: "Plain"}},
		Functions: []*template.Function{{Streams: []template.StreamEvent{{OnFailureQueue: "Events"}}}},
		Alarms: []*template.Alarm{
			{Metric: waiting, Dimensions: map[string]string{"QueueName": "Watched"}},
			{Metric: "NumberOfMessagesSent", Dimensions: map[string]string{"QueueName": "Silent"}},
		},
	}
	expect(t, DeadLetters(tmpl), "goes to Silent", "goes to Events")
}

func TestAlarms(t *testing.T) {
	tmpl := &template.Template{
		Functions: []*template.Function{
			{Name: "Tick", Schedules: []template.ScheduleEvent{{Expression: "rate(1 minute)"}}}, {Name: "Worker", Queues: []template.QueueEvent{{Queue: "Q"}}},
			{Name: "Reader", Streams: []template.StreamEvent{{Table: "T"}}},
		},
		Tables: []*template.Table{{Name: "T"}},
	}
	region := func(metrics ...string) {
		for _, metric := range metrics {
			tmpl.Alarms = append(tmpl.Alarms, &template.Alarm{Metric: metric})
		}
	}
	grouped := func(metric string, schema ...string) {
		tmpl.Alarms = append(tmpl.Alarms, &template.Alarm{Metric: metric, Query: &insight.Query{Schema: schema}})
	}
	invocations := func(missing string) {
		tmpl.Alarms = append(tmpl.Alarms, &template.Alarm{
			Metric: "Invocations", Dimensions: map[string]string{"FunctionName": "Tick"}, Below: true, Missing: missing,
		})
	}
	region("Throttles", "Errors")
	grouped("RecursiveInvocationsDropped", "FunctionName")
	grouped("ThrottledRequests", "Operation") // not by table
	invocations("notBreaching")
	expect(t, Alarms(tmpl), "Invocations of Tick", "ApproximateAgeOfOldestMessage of Q", "IteratorAge of Reader",
		"ThrottledRequests of T", "SystemErrors of T")

	grouped("ThrottledRequests", "Operation", "TableName")
	grouped("SystemErrors", "Operation", "TableName")
	grouped("IteratorAge", "FunctionName")
	grouped("ApproximateAgeOfOldestMessage", "QueueName")
	invocations("breaching")
	expect(t, Alarms(tmpl))

	tmpl.Alarms = nil
	if n := len(Alarms(tmpl)); n != 14 {
		t.Errorf("without alarms %d problems, want 14", n)
	}
}

func TestLogs(t *testing.T) {
	tmpl := &template.Template{Functions: []*template.Function{
		{Name: "Fine", LogLevel: "DEBUG", SystemLogLevel: "WARN"}, {Name: "Chatty", LogLevel: "DEBUG", SystemLogLevel: "INFO"},
		{Name: "Deaf", SystemLogLevel: "WARN"},
	}}
	expect(t, Logs(tmpl, "DEBUG"), "Chatty keeps", "Deaf keeps")
}

func TestConcurrency(t *testing.T) {
	invoke := []template.Grant{{Actions: []string{"lambda:InvokeFunction"}}}
	read := func(reserved, most int) *template.Template {
		return &template.Template{Functions: []*template.Function{
			{Name: "Box", PerTenant: true, Reserved: reserved},
			{Name: "Worker", Reserved: -1, Grants: invoke, Queues: []template.QueueEvent{{Queue: "Q", MaxConcurrency: most}}},
			{Name: "Purger", Reserved: -1, Queues: []template.QueueEvent{{Queue: "P"}}},
		}}
	}
	expect(t, Concurrency(read(-1, 50), read(300, 50)))
	expect(t, Concurrency(read(-1, 0), read(-1, 0)), "SandboxConcurrency does not limit it", "Worker waits for strangers' code, its Q needs")
	expect(t, Concurrency(read(300, 50), read(300, 50)), "Box reserves concurrency by default")
}

func TestSchedules(t *testing.T) {
	once := []template.ScheduleEvent{{Name: "EveryMinute", Expression: "rate(1 minute)", MaxAge: time.Minute}}
	hourly := []template.ScheduleEvent{{Expression: "rate(1 hour)", Retries: 185}}
	forever := []template.ScheduleEvent{{Name: "Forever", Expression: "rate(1 minute)", MaxAge: 24 * time.Hour}}
	minutes := []template.ScheduleEvent{{Name: "Minutes", Expression: "cron(* * * * ? *)", MaxAge: time.Minute, Retries: 3}}
	never := template.Async{MaxAge: time.Minute}
	expect(t, Schedules(&template.Template{Functions: []*template.Function{
		{Name: "Called", Async: template.Async{Retries: 2}}, {Name: "Once", Schedules: once, Async: never},
		{Name: "Hourly", Schedules: hourly, Async: template.Async{Retries: 2}},
		{Name: "Again", Schedules: once, Async: template.Async{Retries: 2, MaxAge: time.Minute}},
		{Name: "Waits", Schedules: once}, {Name: "Kept", Schedules: forever, Async: never},
		{Name: "Full", Schedules: minutes, Async: never},
	}}), "Again runs every minute", "Waits runs every minute", "RetryPolicy of Forever", "RetryPolicy of Minutes")
}

func TestImports(t *testing.T) {
	for name, c := range map[string]struct {
		file, imports string
		want          []string
	}{
		"word imports word":                 {"shared/page/p.go", "minicloud/shared/errs", nil},
		"domain imports word":               {"shared/job/p.go", "minicloud/shared/tenant", nil},
		"group imports domain":              {"functions/oauth/api/p.go", "minicloud/shared/oauth", nil},
		"program imports its group":         {"functions/oauth/p.go", "minicloud/functions/oauth/api", nil},
		"test of a service imports a store": {"shared/job/p_test.go", "minicloud/shared/dynamo", nil},
		"test imports the test database":    {"shared/dynamo/p_test.go", "minicloud/infra/local/dynamotest", nil},
		"word imports domain":               {"shared/page/p.go", "minicloud/shared/job", []string{"words must not import shared/job (domains)"}},
		"domain imports backend":            {"shared/job/p.go", "minicloud/shared/dynamo", []string{"domains must not import shared/dynamo"}},
		"domain imports an earlier one":     {"shared/job/p.go", "minicloud/shared/oauth", nil},
		"domain imports a later one":        {"shared/message/p.go", "minicloud/shared/user", []string{"must not import shared/user, which comes after it in domains"}},
		"domain imports face":               {"shared/job/p.go", "minicloud/shared/httpapi", []string{"domains must not import shared/httpapi"}},
		"domain knows HTTP":                 {"shared/job/p.go", "net/http", []string{"domains must not know net/http"}},
		"language parses addresses":         {"shared/language/query/p.go", "net/url", nil},
		"language opens sockets":            {"shared/language/query/p.go", "net", []string{"languages must not know net"}},
		"domain knows AWS":                  {"shared/job/p.go", "github.com/aws/aws-sdk-go-v2/aws", []string{"domains must not know"}},
		"sandbox words are a domain":        {"shared/sandbox/p.go", "minicloud/shared/runtime/engine", []string{"must not import shared/runtime/engine (backends)"}},
		"backend imports face":              {"shared/dynamo/p.go", "minicloud/shared/httpapi", []string{"backends must not import"}},
		"group opens a table itself":        {"functions/oauth/api/p.go", "minicloud/shared/dynamo", []string{"groups must not import shared/dynamo"}},
		"program imports another":           {"functions/oauth/p.go", "minicloud/functions/user/api", []string{"program oauth must not import program user"}},
		"shared code imports infra":         {"shared/dynamo/p.go", "minicloud/infra/local/dynamotest", []string{"backends must not import infra"}},
		"test imports a program":            {"shared/job/p_test.go", "minicloud/functions/oauth/api", []string{"must not import functions/oauth/api"}},
		"package without a layer":           {"shared/elsewhere/p.go", "fmt", []string{"in no layer"}},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, Imports(tree(t, map[string]string{c.file: "package p\n\nimport _ \"" + c.imports + "\"\n"})), c.want...)
		})
	}
}

const oneFunction = `
Transform: AWS::Serverless-2016-10-31
Resources:
  ThingFunction:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: provided.al2023
      CodeUri: functions/thing/
      Environment:
        Variables:
          JOBS_TABLE: !Ref JobsTable
          WAIT_SECONDS: 5
          LOG_LEVEL: INFO
          AWS_ENDPOINT_URL: ""
      Role: !GetAtt ThingRole.Arn
  ThingRole:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: thing
          PolicyDocument:
            Statement:
              - Effect: Allow
                Action: [dynamodb:GetItem]
                Resource: !GetAtt JobsTable.Arn
  JobsTable:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
  OtherTable:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
`

func TestPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		replace, by string // in the template
		extra       string // an additional main program
		want        []string
	}{
		"they agree":                    {},
		"variable set, not read":        {"LOG_LEVEL: INFO", "LOG_LEVEL: INFO\n          STRAY: 1", "", []string{"is given STRAY"}},
		"variable read, not set":        {"WAIT_SECONDS: 5", "", "", []string{"reads WAIT_SECONDS"}},
		"local variable deployed":       {"LOG_LEVEL: INFO", "LOG_LEVEL: INFO\n          ALLOW_PRIVATE_TARGETS: 1", "", []string{"for the local cloud only"}},
		"table used, not granted":       {"!GetAtt JobsTable.Arn", "!GetAtt OtherTable.Arn", "", []string{"given JOBS_TABLE but its policies", "granted arn:aws:dynamodb:us-east-1:000000000000:table/OtherTable"}},
		"texts granted":                 {"            Statement:\n", "            Statement:\n              - {Effect: Allow, Action: sns:Publish, Resource: '*'}\n", "", nil},
		"mails granted":                 {"            Statement:\n", "            Statement:\n              - {Effect: Allow, Action: ses:SendEmail, Resource: '*'}\n", "", []string{"granted *; name the resource"}},
		"mails of a tenant granted":     {"            Statement:\n", "            Statement:\n              - {Effect: Allow, Action: ses:SendEmail, Resource: 'arn:aws:ses:us-east-1:000000000000:identity/*', Condition: {StringLike: {'ses:TenantName': minicloud-*}}}\n", "", nil},
		"everything granted":            {"!GetAtt JobsTable.Arn", "'*'", "", []string{"given JOBS_TABLE but", "granted *; name the resource"}},
		"every action granted":          {"dynamodb:GetItem", "dynamodb:*", "", []string{"name the actions"}},
		"scans granted":                 {"dynamodb:GetItem", "dynamodb:Scan", "", []string{"no scans"}},
		"function without program":      {"functions/thing", "functions/nothing", "", []string{"functions/nothing, which has no package main", "functions/thing is no function", "given JOBS_TABLE, which", "given WAIT_SECONDS, which", "given LOG_LEVEL, which"}},
		"program without function":      {"", "", "functions/forgotten/main.go", []string{"functions/forgotten is no function", "functions/forgotten is not in infra/local/programs"}},
		"sam local cannot say where":    {`          AWS_ENDPOINT_URL: ""` + "\n", "", "", []string{"ThingFunction needs AWS_ENDPOINT_URL"}},
		"deployed to another cloud":     {`AWS_ENDPOINT_URL: ""`, `AWS_ENDPOINT_URL: "http://x"`, "", []string{"ThingFunction needs AWS_ENDPOINT_URL"}},
		"an index belongs to its table": {"!GetAtt JobsTable.Arn", "!Sub '${JobsTable.Arn}/index/by_time'", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			source := oneFunction
			if c.replace != "" {
				source = strings.Replace(source, c.replace, c.by, 1)
			}
			tmpl, err := template.Read([]byte(source), template.Options{})
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{"functions/thing/main.go": "package main\n"}
			thing := VariablesRead(func(p *program.Program) {
				p.String("JOBS_TABLE")
				p.Int("WAIT_SECONDS", 3)
				p.Default("AWS_REGION", "")
				p.AllowPrivate()
			})
			if c.extra != "" {
				files[c.extra] = "package main\n"
			}
			expect(t, Programs(tree(t, files), map[string]map[string]bool{"thing": thing}, tmpl), c.want...)
		})
	}
}

func TestRegistrations(t *testing.T) {
	const effect, initial = "import _ \"image/png\"\n", "func init() {}\n"
	expect(t, Registrations(tree(t, map[string]string{
		"shared/a/a.go": "package a\n\nimport _ \"embed\"\n", "shared/clock/zone/a.go": "package zone\n\n" + effect,
		"shared/b/b.go": "package b\n\n" + effect, "functions/c/wire/c.go": "package wire\n\n" + initial,
		"shared/d/d_test.go": "package d\n\n" + initial, "infra/e/e.go": "package e\n\n" + effect,
	})), `shared/b/b.go: imports "image/png" for its effect`, "functions/c/wire/c.go: has an init function")
}

func TestBuilds(t *testing.T) {
	for id, program := range map[string]string{"SandboxFreeFunction": "sandbox", "JobrunnerFunction": "jobrunner"} {
		expect(t, Builds(&template.Template{Functions: []*template.Function{{ID: id, Program: program}}}))
	}
	for id, program := range map[string]string{"Jobrunner": "jobrunner", "JobFunction": "jobrunner", "BoxFunction": "sandbox"} {
		expect(t, Builds(&template.Template{Functions: []*template.Function{{ID: id, Program: program}}}),
			id+" must be called after functions/"+program)
	}
}

func TestSamConfig(t *testing.T) {
	const source = "Transform: AWS::Serverless-2016-10-31\nParameters:\n  Stage: {Type: String, Default: dev, AllowedValues: [dev, prod]}\n"
	const right = `
[prod.global.parameters]
stack_name = "minicloud-prod"
parameter_overrides = ["Stage=prod"]
[prod.build.parameters]
build_dir = ".aws-sam/prod"
[prod.deploy.parameters]
template_file = ".aws-sam/prod/template.yaml"
s3_prefix = "minicloud-prod"
`
	for name, c := range map[string]struct {
		replace, by string
		want        []string
	}{
		"right":                     {},
		"value that is not allowed": {"Stage=prod", "Stage=test", []string{`"test" is not among its AllowedValues`}},
		"parameter that is not":     {"Stage=prod", "Stag=prod", []string{"no parameter Stag"}},
		"stack with a long name": {"minicloud-prod", strings.Repeat("s", 41), []string{
			"the stack's name has 41 characters, at most 40", "prod: s3_prefix is not the stack's name",
		}},
		"built with other values":     {"build_dir", "parameter_overrides = [\"Stage=dev\"]\nbuild_dir", []string{"prod.build.parameters has parameter_overrides"}},
		"built where all are built":   {`build_dir = ".aws-sam/prod"`, "", []string{"prod must build into .aws-sam/prod"}},
		"deployed from another":       {"prod/template.yaml", "build/template.yaml", []string{"prod must build into .aws-sam/prod"}},
		"the default needs no folder": {"[prod.global", "[default.global", nil},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, SamConfig(strings.Replace(right, c.replace, c.by, 1), source), c.want...)
		})
	}
}

func TestRoles(t *testing.T) {
	logs := []template.Grant{{Actions: []string{"logs:PutLogEvents"}}}
	for name, c := range map[string]struct {
		change func(walled, other *template.Function)
		want   []string
	}{
		"logs only": {func(_, _ *template.Function) {}, nil},
		"may read a table": {func(walled, _ *template.Function) {
			walled.Grants = append(logs, template.Grant{Actions: []string{"dynamodb:GetItem"}})
		}, []string{"allows dynamodb:GetItem"}},
		"no role":         {func(_, other *template.Function) { other.Role = "" }, []string{"Other: its role must be one"}},
		"role of another": {func(_, other *template.Function) { other.Role = "box" }, []string{"also that of functions/box"}},
		"no tenancy":      {func(walled, _ *template.Function) { walled.PerTenant = false }, []string{"no function has TenancyConfig"}},
	} {
		t.Run(name, func(t *testing.T) {
			walled := &template.Function{ID: "Box", Program: "box", Role: "box", PerTenant: true, Grants: logs}
			other := &template.Function{ID: "Other", Program: "other", Role: "other", Grants: []template.Grant{
				{Actions: []string{"sqs:SendMessage"}},
			}}
			c.change(walled, other)
			expect(t, Roles(&template.Template{Functions: []*template.Function{walled, other}}), c.want...)
		})
	}
}

func TestActions(t *testing.T) {
	const source = "Key: {KeyPolicy: {Statement: [{Action: kms:*}, {Action: [kms:Decrypt, %s]}]}}\n"
	expect(t, Actions(strings.Replace(source, "%s", "kms:GenerateDataKey", 1)))
	expect(t, Actions(strings.Replace(source, "%s", "kms:MakeDataKey", 1)), "IAM has no action kms:MakeDataKey")
}

func TestEndpoints(t *testing.T) {
	list := []endpoint{{4, "POST", "/f/{name}/job", "cloudfunction"}}
	route := routes.Route{Program: "cloudfunction", Route: httpapi.Route{Method: "POST", Path: "/f/{function}/job"}}
	expect(t, Endpoints([]routes.Route{route}, list))
	expect(t, Endpoints(nil, list), "endpoint 4, POST /f/{name}/job, is in no route list")
	route.Program = "user"
	expect(t, Endpoints([]routes.Route{route}, list), "endpoint 4 is served by functions/user")
}

func TestRouteLists(t *testing.T) {
	files := map[string]string{
		"functions/a/api/routes.go":      "package api\n\nfunc (g *Group) Routes() []httpapi.Route { return nil }\n",
		"functions/b/api/routes.go":      "package api\n\nfunc (g *Group) Routes() []httpapi.Route { return nil }\n",
		"infra/openapi/routes/routes.go": "package routes\n\nimport a \"minicloud/functions/a/api\"\n",
	}
	expect(t, RouteLists(tree(t, files)), "functions/b/api has routes that infra/openapi/routes does not list")
}

const someEvent = `{"version":"2.0","routeKey":"ANY /f/{proxy+}","rawPath":"/f/hello/job/","rawQueryString":"a=1",
"queryStringParameters":{"a":"1"},"headers":{"content-type":"application/json"},"pathParameters":{"proxy":"hello/job/"},"body":"{}",
"requestContext":{"routeKey":"ANY /f/{proxy+}","requestId":"r","time":"21/Nov/2026:12:00:00 +0000","timeEpoch":1795262400000,
"http":{"method":"POST","path":"/f/hello/job/"}},"isBase64Encoded":false,"expect":{"status":200}}`

func TestFixtures(t *testing.T) {
	list := []endpoint{{4, "POST", "/f/{name}/job", "cloudfunction"}}
	served := []routes.Route{{Program: "cloudfunction", Route: httpapi.Route{Method: "POST", Path: "/f/{name}/job"}}}
	tmpl := &template.Template{Functions: []*template.Function{
		{Program: "cloudfunction", Routes: []template.Route{{Method: "ANY", Path: "/f/{proxy+}"}}},
		{Program: "user", Routes: []template.Route{{Method: "ANY", Path: "/f/hello/{proxy+}"}}},
	}}
	const none = "endpoint 4 has no fixture"
	for name, c := range map[string]struct {
		replace, by string
		want        []string
	}{
		"right":               {"", "", nil},
		"another method":      {"POST", "PUT", []string{"nobody serves PUT", none}},
		"another program":     {"ANY /f/{proxy+}", "ANY /f/hello/{proxy+}", []string{"leads to functions/user"}},
		"unknown route":       {"ANY /f/{proxy+}", "ANY /g/{proxy+}", []string{`no route "ANY /g`}},
		"unknown field":       {`"version"`, `"stray":1,"version"`, []string{"unknown field", none}},
		"nothing expected":    {`"status":200`, `"status":0`, []string{"no expect.status"}},
		"two paths":           {`"path":"/f/hello/job/"`, `"path":"/f/hello/"`, []string{"two paths"}},
		"no slash at the end": {"hello/job/", "hello/job", []string{"does not end in a slash"}},
		"wrong time":          {"1795262400000", "1795262400", []string{"timeEpoch"}},
		"wrong query":         {"a=1", "a=2", []string{"not what rawQueryString says"}},
		"header in capitals":  {"content-type", "Content-Type", []string{"not in lower case"}},
		"broken body":         {`"body":"{}"`, `"body":"{"`, []string{"the body is not JSON"}},
		"no body":             {`"body":"{}",`, "", []string{"the body is not JSON", "no body"}},
	} {
		t.Run(name, func(t *testing.T) {
			// The event contains several of these texts twice; only "two paths" changes one of them alone.
			event := strings.ReplaceAll(someEvent, c.replace, c.by)
			if c.replace == "" || name == "wrong query" {
				event = strings.Replace(someEvent, c.replace, c.by, 1)
			}
			if name == "another program" {
				event = strings.ReplaceAll(event, `"proxy":"hello/job/"`, `"proxy":"job/"`)
			}
			files := map[string]string{"events/apigateway/run.json": event}
			problems := Fixtures(tree(t, files), tmpl, served, list)
			if len(c.want) == 0 && len(problems) > 0 {
				t.Error(problems)
			}
			for _, want := range c.want {
				if !strings.Contains(strings.Join(problems, "\n"), want) {
					t.Errorf("want %q, got %q", want, problems)
				}
			}
		})
	}
	expect(t, Fixtures(tree(t, nil), tmpl, served, list), none)
}

func TestTidy(t *testing.T) {
	decision := "# Title\n\n## Context\n\n## Choice\n\n## Consequence\n"
	for name, c := range map[string]struct {
		rule  func(*Tree) findings
		files map[string]string
		want  []string
	}{
		"same versions": {Modules, map[string]string{
			"go.mod":           "module a\n\nrequire (\n\texample.com/b v1.2.0\n\texample.com/c v1.0.0\n)\n",
			"infra/lab/go.mod": "module a/infra/lab\n\nrequire a v0.0.0\n\nrequire (\n\texample.com/b v1.2.0\n\texample.com/d v0.1.0\n)\n",
		}, nil},
		"another version": {Modules, map[string]string{
			"go.mod":           "module a\n\nrequire (\n\texample.com/b v1.2.0 // indirect\n)\n",
			"infra/lab/go.mod": "module a/infra/lab\n\nrequire example.com/b v1.3.0\n",
		}, []string{"example.com/b v1.3.0, but go.mod has v1.2.0"}},
		"package comment":         {PackageComments, map[string]string{"a/a.go": "// Package a is.\npackage a\n", "a/b.go": "package a\n"}, nil},
		"no package comment":      {PackageComments, map[string]string{"a/a.go": "package a\n"}, []string{"a: the package has no comment"}},
		"package of odds":         {PackageNames, map[string]string{"a/a.go": "package util\n"}, []string{"package util"}},
		"long file":               {FileLengths, map[string]string{"a/a.go": "package a\n" + strings.Repeat("\n", MaxLines)}, []string{"701 lines"}},
		"registry host":           {Addresses, map[string]string{"a.md": "get it from " + "registry." + "npmjs.org"}, []string{"names the registry host"}},
		"registry host in CI":     {Addresses, map[string]string{".github/workflows/ci.yml": "image: gh" + "cr.io/x/y"}, []string{"names the registry host"}},
		"registry chosen in CI":   {Addresses, map[string]string{".github/workflows/ci.yml": "with:\n  registry-url: https://x\n"}, []string{"chooses a registry"}},
		"registry chosen for npm": {Addresses, map[string]string{"infra/.npmrc": "audit=false\n@a:registry=https://x\n"}, []string{"chooses a registry"}},
		"folder at the top":       {TopLevel, map[string]string{"cmd/a.txt": "", "cmd/b.txt": "", ".github/x": "", "infra/y": ""}, []string{"cmd: does not belong"}},
		"file at the top":         {TopLevel, map[string]string{"console": "", ".gitignore": ""}, []string{"console: does not belong"}},
		"compiled program":        {TrackedFiles, map[string]string{"infra/a": "\x7fELF\x02", "infra/b": "ELF", "infra/c": ""}, []string{"infra/a: a Linux program"}},
		"large file":              {TrackedFiles, map[string]string{"a.json": strings.Repeat(" ", MaxFileBytes+1), "b.json": strings.Repeat(" ", MaxFileBytes)}, []string{"a.json: 1048577 bytes"}},
		"large file with reason":  {TrackedFiles, map[string]string{"shared/runtime/quickjs/generated.go": "package a" + strings.Repeat("\n", MaxFileBytes)}, nil},
		"short README":            {Readme, map[string]string{"README.md": strings.Repeat("\n", MaxReadmeLines)}, nil},
		"long README":             {Readme, map[string]string{"README.md": strings.Repeat("\n", MaxReadmeLines+1)}, []string{"151 lines"}},
		"lock file with address":  {Addresses, map[string]string{"infra/package-lock.json": `{"resolved": "x"}`}, []string{"download addresses"}},
		"decisions in order":      {Decisions, map[string]string{ReferenceIndex: "# Index\n", "infra/decisions/0001-a-b.md": decision, "infra/decisions/0002-c.md": decision}, nil},
		"number that is listed":   {References, map[string]string{ReferenceIndex: "| D3 | x |\n| D12 | y |\n", "a/a.go": "// Package a keeps D12, not %D4 or x-D5.\npackage a\n"}, nil},
		"number without a line":   {References, map[string]string{ReferenceIndex: "| D3 | x |\n", "a/a.go": "package a\n\n// f is bounded (D37, G2).\nfunc f() {}\n"}, []string{"cites D37", "cites G2"}},
		"no index of numbers":     {References, map[string]string{"a/a.go": "package a\n"}, []string{"references.md"}},
		"one number twice":        {Decisions, map[string]string{"infra/decisions/0001-a.md": decision, "infra/decisions/0003-b.md": decision, "infra/decisions/0003-c.md": decision}, []string{"0003 is taken"}},
		"a decision says nothing": {Decisions, map[string]string{"infra/decisions/0001-a.md": "# Title\n\n## Context\n\n## Choice\n"}, []string{"Consequence"}},
		"superseded decision":     {Decisions, map[string]string{"infra/decisions/0001-a.md": "# 1. A\n\nSuperseded by [2](0002-b.md).\n", "infra/decisions/0002-b.md": decision}, nil},
		"superseded by nothing":   {Decisions, map[string]string{"infra/decisions/0001-a.md": "# 1. A\n\nSuperseded.\n"}, []string{"Context", "Choice", "Consequence"}},
		"no decisions":            {Decisions, map[string]string{}, []string{"is empty"}},
		"decision without number": {Decisions, map[string]string{"infra/decisions/why.md": decision}, []string{"NNNN-title", "is empty"}},
	} {
		t.Run(name, func(t *testing.T) { expect(t, c.rule(tree(t, c.files)), c.want...) })
	}
}
