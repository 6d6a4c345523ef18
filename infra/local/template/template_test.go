package template

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"minicloud/infra/local/insight"
)

func read(t *testing.T, body string) (*Template, error) {
	t.Helper()
	return Read([]byte("Transform: AWS::Serverless-2016-10-31\n"+body), Options{
		QueueURL: func(name string) string { return "http://q/" + name },
	})
}

// TestReadsTemplateOfPlatform reads the template of the platform.
func TestReadsTemplateOfPlatform(t *testing.T) {
	got, err := ReadFile(filepath.Join("..", "..", "..", "template.yaml"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Functions) == 0 || len(got.Tables) == 0 {
		t.Errorf("%d functions, %d tables", len(got.Functions), len(got.Tables))
	}
}

func TestReadsEverythingServed(t *testing.T) {
	source, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(source, Options{QueueURL: func(name string) string { return "http://q/" + name }})
	if err != nil {
		t.Fatal(err)
	}
	worker := got.Functions[1]
	if !Allowed(worker.Grants, "dynamodb:GetItem", "arn:aws:dynamodb:us-east-1:000000000000:table/JobsTable", "") {
		t.Errorf("grants %+v", worker.Grants)
	}
	worker.Grants = nil
	want := &Function{
		ID: "WorkerFunction", Name: "WorkerFunction", Program: "worker", Timeout: 60 * time.Second, MemoryMB: 256,
		Reserved: 5, Role: "arn:aws:iam:us-east-1:000000000000:role/WorkerRole", LogGroup: "/aws/lambda/WebFunction",
		Environment: map[string]string{
			"LOG_LEVEL": "debug", "STAGE": "dev", "JOBS_TABLE": "JobsTable", "JOB_QUEUE_URL": "http://q/JobQueue",
			"LABEL": "minicloud-dev ${kept} arn:aws:sqs:us-east-1:000000000000:JobQueue",
		},
		Async: Async{Retries: 1, MaxAge: time.Minute},
		Queues: []QueueEvent{
			{Batch: Batch{Size: 5, Window: time.Second, PartialAnswer: true}, Queue: "JobQueue", MaxConcurrency: 4},
		},
		Streams: []StreamEvent{{
			Batch: Batch{Size: 10, Filters: []map[string]any{{"eventName": []any{"INSERT"}}}},
			Name:  "WorkerFunctionRows", Table: "JobsTable", FromStart: true, Bisect: true, MaxRetries: 3, MaxAge: time.Hour,
			Parallel:       1,
			OnFailureQueue: "DeadQueue",
		}},
		Schedules: []ScheduleEvent{
			{Name: "WorkerFunctionTick", Expression: "rate(1 minute)", Retries: 1, MaxAge: 90 * time.Second},
		},
	}
	if diff := cmp.Diff(want, worker, cmpopts.IgnoreUnexported(Function{})); diff != "" {
		t.Errorf("WorkerFunction (-want +got):\n%s", diff)
	}
	wantRoutes := []Route{
		{"ANY", "/a/{proxy+}", 30 * time.Second}, {"GET", "/a/b", 30 * time.Second}, {"ANY", "$default", 30 * time.Second},
	}
	if diff := cmp.Diff(wantRoutes, got.Functions[0].Routes); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	wantDeployment := &Deployment{
		Type: "Canary10Percent5Minutes", Alarms: []string{"minicloud-web-fails"},
		Role: "arn:aws:iam:us-east-1:000000000000:role/RolloutRole",
	}
	if diff := cmp.Diff(wantDeployment, got.Functions[0].Deployment); diff != "" || got.Functions[0].Alias != "live" {
		t.Errorf("alias %q, deployment (-want +got):\n%s", got.Functions[0].Alias, diff)
	}
	wantTable := &Table{
		ID: "JobsTable", Name: "JobsTable", TTL: "expires_at", Stream: "NEW_AND_OLD_IMAGES",
		Keys: []Attribute{{"pk", "S", true}, {"sk", "S", false}},
		Indexes: []Index{
			{
				Name: "by_state", Keys: []Attribute{{"state", "S", true}, {"due", "N", false}}, Projection: "KEYS_ONLY",
			},
		},
	}
	if diff := cmp.Diff(wantTable, got.Tables[0]); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	wantQueue := &Queue{
		ID: "JobQueue", Name: "JobQueue", Visibility: 310 * time.Second, Retention: 96 * time.Hour, MaxBytes: 1 << 20,
		DeadQueue: "DeadQueue", MaxReceive: 3,
	}
	if diff := cmp.Diff(wantQueue, got.Queues[0]); diff != "" {
		t.Errorf("queue (-want +got):\n%s", diff)
	}
	wantRule := &Rule{
		ID: "Events", Name: "Events", Bus: "minicloud",
		Pattern: map[string]any{"detail-type": []any{"payment"}, "detail": map[string]any{"code": []any{"404", 200.0}}},
		Targets: []Target{{Queue: "JobQueue", DeadQueue: "DeadQueue"}},
	}
	if diff := cmp.Diff(wantRule, got.Rules[0]); diff != "" {
		t.Errorf("rule (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]*Key{{ID: "SecretKey"}}, got.Keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	wantAlarm := []*Alarm{
		{
			ID: "DeadAlarm", Name: "DeadAlarm", Namespace: "AWS/SQS", Metric: "ApproximateNumberOfMessagesVisible",
			Dimensions: map[string]string{"QueueName": "DeadQueue"}, Below: true, Missing: "breaching",
			Statistic: "Maximum", Period: time.Minute, Periods: 3, Datapoints: 3, Threshold: 0.5,
		},
		{
			ID: "WebAlarm", Name: "minicloud-web-fails", Namespace: "AWS/Lambda", Metric: "Errors", Missing: "notBreaching", Dimensions: map[string]string{
				"FunctionName": "WebFunction", "Resource": "WebFunction:live", "ExecutedVersion": "1",
			},
			Statistic: "Sum", Period: time.Minute, Periods: 1, Datapoints: 1,
		},
		{
			ID: "AgeAlarm", Name: "AgeAlarm", Namespace: "AWS/SQS", Metric: "Age", Missing: "notBreaching", Dimensions: map[string]string{},
			Statistic: "Maximum", Period: 5 * time.Minute, Periods: 3, Datapoints: 2, Threshold: 60,
			Query: &insight.Query{
				Statistic: "Maximum", Metric: "Age", Namespace: "AWS/SQS", Schema: []string{"QueueName"}, GroupBy: "QueueName",
			},
		},
	}
	if diff := cmp.Diff(wantAlarm, got.Alarms); diff != "" {
		t.Errorf("alarms (-want +got):\n%s", diff)
	}
	failed, least := "request failed", 0.0
	wantFilter := []*MetricFilter{{
		ID: "Failures", LogGroup: "/aws/lambda/WebFunction", Namespace: "ours", Metric: "Failed",
		Pattern:    insight.Pattern{{Field: "msg", Text: &failed}, {Field: "bucket", AtLeast: &least}},
		Dimensions: map[string]string{"Bucket": "bucket"},
	}}
	if diff := cmp.Diff(wantFilter, got.MetricFilters); diff != "" {
		t.Errorf("metric filters (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]*Budget{{ID: "Spend", Dollars: 20, Actual: 80, Forecast: 100}}, got.Budgets); diff != "" {
		t.Errorf("budgets (-want +got):\n%s", diff)
	}
	wantGraph := []Alarm{{
		ID: "Overview", Namespace: "AWS/SQS", Metric: "Age", Dimensions: map[string]string{"QueueName": "DeadQueue"},
	}}
	if diff := cmp.Diff(wantGraph, got.Dashboards[0].Metrics); diff != "" {
		t.Errorf("dashboard (-want +got):\n%s", diff)
	}
	if want := `{"id":"$context.requestId","status":$context.status}`; got.API.AccessLog != want || got.API.ID != "Api" {
		t.Errorf("API %+v, want the access log %s", got.API, want)
	}
	wantElsewhere := []Elsewhere{
		{"WebLog", "AWS::Logs::LogGroup"}, {"Topic", "AWS::SNS::Topic"}, {"Overview", "AWS::CloudWatch::Dashboard"},
	}
	if diff := cmp.Diff(wantElsewhere, got.Elsewhere); diff != "" {
		t.Errorf("elsewhere (-want +got):\n%s", diff)
	}
}

func alarm(properties string) string {
	return "Resources:\n  A:\n    Type: AWS::CloudWatch::Alarm\n    Properties: {Namespace: n, Statistic: Sum, " +
		"ComparisonOperator: GreaterThanThreshold, EvaluationPeriods: 1, " + properties + "}\n"
}

// ruleToQueue returns a template with a rule that sends to queue Q, the queues Q and P, and a queue policy.
func ruleToQueue(policy string) string {
	if policy != "" {
		policy = "  Policy: {Type: AWS::SQS::QueuePolicy, Properties: {" + policy + "}}\n"
	}
	return "Resources:\n  Q: {Type: AWS::SQS::Queue}\n  P: {Type: AWS::SQS::Queue}\n" + policy +
		"  R:\n    Type: AWS::Events::Rule\n    Properties: {EventPattern: {source: [a]}, Targets: [{Id: q, Arn: !GetAtt Q.Arn}]}\n"
}

const letIn = "{Statement: [{Effect: Allow, Principal: {Service: events.amazonaws.com}, Action: sqs:SendMessage, " +
	"Resource: !GetAtt Q.Arn, Condition: {ArnEquals: {aws:SourceArn: !GetAtt R.Arn}}}]}"

// TestQueuePolicyAllowsRule: a policy may stand anywhere in the file.
func TestQueuePolicyAllowsRule(t *testing.T) {
	if _, err := read(t, ruleToQueue("Queues: [!Ref Q], PolicyDocument: "+letIn)); err != nil {
		t.Error(err)
	}
}

// TestRefusals: each template must cause an error with the location and the reason.
func TestRefusals(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{
			"unknown resource", "Resources:\n  X:\n    Type: AWS::EC2::VPC\n", "X: line 4: resources of type AWS::EC2::VPC",
		},
		{
			"unknown property", "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      Colour: red\n",
			"Q: line 6: Colour is not served",
		},
		{
			"unknown attribute of a resource", "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Colour: red\n",
			"Q: line 5: Colour is not served",
		},
		{"unknown section", "Rules: {}\n", "template: line 2: Rules is not served"},
		{
			"unknown intrinsic", "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties: {VisibilityTimeout: !Cidr [a]}\n",
			"Q: line 5: the intrinsic function Cidr",
		},
		{
			"import", "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties: {VisibilityTimeout: !ImportValue x}\n",
			"ImportValue is not served",
		},
		{
			"missing reference", "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties: {VisibilityTimeout: !Ref Gone}\n",
			"Gone is neither a parameter nor a resource",
		},
		{
			"missing attribute",
			"Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties: {VisibilityTimeout: !GetAtt Q.Colour}\n",
			`no attribute "Colour" of Q`,
		},
		{
			"number out of range", "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties: {VisibilityTimeout: 43201}\n",
			"VisibilityTimeout must be an integer from 0 to 43200",
		},
		{
			"no dead queue",
			"Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties: {RedrivePolicy: {maxReceiveCount: 2, deadLetterTargetArn: 'arn:aws:sqs:r:0:gone'}}\n",
			"Q: there is no queue gone",
		},
		{
			"alarm of nothing", alarm("MetricName: m, Dimensions: [{Name: QueueName, Value: gone}]"),
			"A: watches the QueueName gone, which is not in this template",
		},
		{"alarm without a metric", alarm("Dimensions: []"), "A: MetricName or Namespace is missing"},
		{
			"alarm that takes no data for anything", alarm("MetricName: m, TreatMissingData: fine"),
			"TreatMissingData: fine is not served",
		},
		{
			"event that is too young", function("EventInvokeConfig: {MaximumEventAgeInSeconds: 59}"),
			"MaximumEventAgeInSeconds must be an integer from 60 to 21600",
		},
		{"alarm on two metrics", alarm("MetricName: m, Metrics: [{Id: a}]"), "A: the local cloud serves alarms on one metric"},
		{
			"alarm on a sum", alarm("Metrics: [{Id: a, Period: 60, Expression: m1+m2}]"),
			"A: Expression: the local cloud serves queries of the form",
		},
		{"alarm on half a minute", alarm("MetricName: m, Period: 30"), "Period: the local cloud serves whole minutes"},
		{
			"graph of nothing",
			"Resources:\n  D:\n    Type: AWS::CloudWatch::Dashboard\n    Properties: {DashboardBody: " +
				`'{"widgets":[{"properties":{"metrics":[["AWS/SQS","m","QueueName","gone"]]}}]}'` + "}\n",
			"D: watches the QueueName gone, which is not in this template",
		},
		{
			"filter of text",
			"Resources:\n  M:\n    Type: AWS::Logs::MetricFilter\n    Properties: {LogGroupName: l, FilterPattern: ERROR, " +
				"MetricTransformations: [{MetricNamespace: n, MetricName: m, MetricValue: '1'}]}\n",
			`M: FilterPattern: the local cloud serves { $.field = "text"`,
		},
		{
			"access log of an unknown variable", "Resources:\n  A:\n    Type: AWS::Serverless::HttpApi\n    Properties: " +
				`{AccessLogSettings: {Format: '{"x":"$context.wafResponseCode"}'}}` + "\n",
			"A: AccessLogSettings: the variable $context.wafResponseCode is not served",
		},
		{
			"access log that is no JSON", "Resources:\n  A:\n    Type: AWS::Serverless::HttpApi\n    Properties: " +
				`{AccessLogSettings: {Format: '$context.requestId $context.status'}}` + "\n",
			"A: AccessLogSettings: Format is no JSON",
		},
		{
			"budget of a day",
			"Resources:\n  B:\n    Type: AWS::Budgets::Budget\n    Properties: {Budget: {BudgetType: COST, TimeUnit: DAILY}}\n",
			"B: TimeUnit: DAILY is not served",
		},
		{
			"log group of nobody",
			"Resources:\n  L:\n    Type: AWS::Logs::LogGroup\n    Properties: {LogGroupName: x, RetentionInDays: !Ref Gone}\n",
			"Gone is neither a parameter nor a resource",
		},
		{"parameter without value", "Parameters:\n  P: {Type: String}\n", "P: the parameter has no default"},
		{
			"parameter not allowed", "Parameters:\n  P: {Type: String, Default: c, AllowedValues: [a, b]}\n",
			`"c" is not among its AllowedValues`,
		},
		{
			"condition missing", "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Condition: Gone\n",
			`there is no condition "Gone"`,
		},
		{"event type", function("Events: {A: {Type: S3, Properties: {}}}"), "F.Events.A: events of type S3 are not served"},
		{
			"route that ends in a slash", function("Events: {A: {Type: HttpApi, Properties: {Path: /docs/}}}"),
			"F.Events.A: Path /docs/ must not end in a slash",
		},
		{"loop that Lambda stops", loop("", ""), "F: messages that it sends come back to it"},
		{"second function of a loop", loop("Allow", "Terminate"), "G: messages that it sends come back to it"},
		{
			"protection taken away for nothing", function("RecursiveLoop: Allow"),
			"F: RecursiveLoop: Allow, but no message that it sends comes back",
		},
		{"loop of another word", function("RecursiveLoop: Sometimes"), "RecursiveLoop: Sometimes is not served"},
		{
			"table that a failed deployment leaves", "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    DeletionPolicy: Retain\n",
			"Q: line 4: DeletionPolicy: Retain leaves it behind",
		},
		{"same route twice", function("Events: {A: {Type: HttpApi}, B: {Type: HttpApi}}"), "the route $default is also F's"},
		{
			"tenant behind the api",
			function("TenancyConfig: {TenantIsolationMode: PER_TENANT}\n      Events: {A: {Type: HttpApi}}"),
			"an HTTP API cannot call a function with TenancyConfig",
		},
		{
			"runtime",
			"Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties: {Runtime: nodejs22.x, CodeUri: functions/f}\n",
			"Runtime: nodejs22.x is not served",
		},
		{"reserved name", function("Environment: {Variables: {AWS_REGION: x}}"), "names that begin with AWS_"},
		{
			"stream of no table",
			function(
				"Events: {A: {Type: DynamoDB, Properties: {Stream: 'arn:aws:dynamodb:r:0:table/gone/stream/x', StartingPosition: LATEST}}}",
			),
			"the table gone has no stream",
		},
		{
			"queue of nobody", function("Events: {A: {Type: SQS, Properties: {Queue: 'arn:aws:sqs:r:0:gone'}}}"),
			"F: there is no queue gone",
		},
		{
			"impatient queue",
			function(
				"Timeout: 31\n      Events: {A: {Type: SQS, Properties: {Queue: 'arn:aws:sqs:r:0:Q'}}}",
			) + "  Q: {Type: AWS::SQS::Queue}\n",
			"before the function's timeout of 31s",
		},
		{
			"bad cron", function("Events: {A: {Type: Schedule, Properties: {Schedule: 'cron(* * * * *)'}}}"),
			"F.Events.A: cron(* * * * *): want six fields",
		},
		{
			"bad pattern", "Resources:\n  R: {Type: AWS::Events::Rule, Properties: {EventPattern: {source: [{nope: 1}]}}}\n",
			`Pattern: event pattern: source: the matcher "nope" is not known`,
		},
		{"rule that its queue turns away", ruleToQueue(""), "R: no AWS::SQS::QueuePolicy lets it send to Q"},
		{
			"rule that another queue's policy lets in", ruleToQueue("Queues: [!Ref P], PolicyDocument: " + letIn),
			"R: no AWS::SQS::QueuePolicy lets it send to Q",
		},
		{
			"policy for anybody", ruleToQueue("Queues: [!Ref Q], PolicyDocument: {Statement: [{Effect: Allow, Principal: '*'}]}"),
			"Policy: line 5",
		},
		{
			"condition of a statement",
			role("Action: a, Resource: b, Condition: {}"), "Condition is not served",
		},
		{
			"condition of another kind", role("Action: dynamodb:GetItem, Resource: b, " +
				"Condition: {StringEquals: {aws:PrincipalTag: x}}"),
			"aws:PrincipalTag",
		},
		{
			"action that IAM lacks",
			role("Action: dynamodb:GetItems, Resource: b"),
			"IAM has no action dynamodb:GetItems",
		},
		{
			"foreign role", function("Role: 'arn:aws:iam::1:role/x'"),
			"F: the role arn:aws:iam::1:role/x is not in this template",
		},
		{
			"role that may not receive", withRole(
				"LoggingConfig: {LogGroup: L}, Events: {A: {Type: SQS, Properties: {Queue: !GetAtt Q.Arn}}}"),
			"F: its role does not allow sqs:DeleteMessage on arn:aws:sqs:us-east-1:000000000000:Q",
		},
		{
			"role that may not read the stream",
			withRole("Events: {A: {Type: DynamoDB, Properties: {Stream: !GetAtt T.StreamArn, StartingPosition: LATEST}}}"),
			"F: its role does not allow dynamodb:ListStreams on arn:aws:dynamodb:us-east-1:000000000000:table/T/stream/local",
		},
		{
			"role that may not send on what fails",
			withRole("Events: {A: {Type: DynamoDB, Properties: {Stream: !GetAtt T.StreamArn, StartingPosition: LATEST, " +
				"DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Q.Arn}}}}}"),
			"F: its role does not allow sqs:SendMessage on arn:aws:sqs:us-east-1:000000000000:Q",
		},
		{
			"role that may not log", withRole("LoggingConfig: {LogGroup: L}"),
			"F: its role does not allow logs:PutLogEvents on arn:aws:logs:us-east-1:000000000000:log-group:L:log-stream:any",
		},
		{"policies of a function", function("Policies: []"), "Policies is not served"},
		{"network without subnets", function("VpcConfig: {SecurityGroupIds: [sg-1]}"), "F: VpcConfig needs SubnetIds and SecurityGroupIds"},
		{
			"network of an empty list", function("VpcConfig: {SubnetIds: '', SecurityGroupIds: [sg-1]}"),
			"F: VpcConfig needs SubnetIds and SecurityGroupIds",
		},
		{"network of IPv6", function("VpcConfig: {Ipv6AllowedForDualStack: true}"), "Ipv6AllowedForDualStack is not served"},
		{
			"policies of AWS in a role", "Resources:\n  R:\n    Type: AWS::IAM::Role\n    Properties: {ManagedPolicyArns: ['arn:aws:iam::aws:policy/X']}\n",
			"R: ManagedPolicyArns: arn:aws:iam::aws:policy/X is not declared before it in this template",
		},
		{
			"deployment without an alias", function("DeploymentPreference: {Type: AllAtOnce}"),
			"F: DeploymentPreference needs AutoPublishAlias",
		},
		{"alias of digits", function("AutoPublishAlias: '12'"), "F: AutoPublishAlias: 12 must be letters"},
		{
			"deployment in another way", function(live + "{Type: Canary20Percent5Minutes}"),
			`F: DeploymentPreference: the Type "Canary20Percent5Minutes" is none of`,
		},
		{
			"deployment with hooks", function(live + "{Type: AllAtOnce, Hooks: {PreTraffic: x}}"), "Hooks is not served",
		},
		{
			"deployment with too many alarms", function(live + "{Type: AllAtOnce, Alarms: [a, b, c, d, e, f, g, h, i, j, k]}"),
			"F: DeploymentPreference: 11 alarms",
		},
		{
			"deployment with an alarm of nobody", function(live + "{Type: AllAtOnce, Alarms: [gone]}"),
			"F: DeploymentPreference: the alarm gone is not in this template",
		},
		{
			"deployment with a foreign role", function(live + "{Type: AllAtOnce, Role: 'arn:aws:iam::1:role/x'}"),
			"F: DeploymentPreference: the role arn:aws:iam::1:role/x is not in this template",
		},
		{
			"deployment with a role that may not move the alias",
			withRole("AutoPublishAlias: live, DeploymentPreference: {Type: AllAtOnce, Role: !GetAtt R.Arn}"),
			"F: the role of its deployment does not allow lambda:UpdateAlias on arn:aws:lambda:us-east-1:000000000000:function:F",
		},
		{
			"alarm on an alias that is not published", function("") + "  A: {Type: AWS::CloudWatch::Alarm, Properties: " +
				"{Namespace: AWS/Lambda, MetricName: Errors, ComparisonOperator: GreaterThanThreshold, Period: 60, " +
				"Statistic: Sum, TreatMissingData: breaching, EvaluationPeriods: 1, Dimensions: [{Name: FunctionName, Value: !Ref F}, {Name: Resource, Value: 'F:live'}]}}\n",
			`A: watches the Resource F:live; its function's alias is ""`,
		},
		{
			"output of nothing", "Outputs:\n  O: {Value: !Ref Gone}\n", "Outputs.O: line 3: Gone is neither a parameter nor a resource",
		},
		{"stage of no API", "Outputs:\n  O: {Value: !Ref Gone.Stage}\n", "Gone.Stage is neither a parameter nor a resource"},
		{"condition of another word", "Conditions:\n  C: !Or [!Equals [a, a], !Equals [a, b]]\n", "a condition is Equals of two values"},
		{"duplicate key", "Resources: {}\nResources: {}\n", "line 3"},
		{
			"unused attribute",
			"Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      BillingMode: PAY_PER_REQUEST\n      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}, {AttributeName: x, AttributeType: S}]\n      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n",
			"AttributeDefinitions: x is part of no key",
		},
		{
			"two problems at once", "Resources:\n  A:\n    Type: AWS::EC2::VPC\n  B:\n    Type: AWS::SNS::Subscription\n",
			"AWS::SNS::Subscription",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.body)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant …%s…", err, tt.want)
			}
		})
	}
}

const live = "AutoPublishAlias: live\n      DeploymentPreference: "

func function(properties string) string {
	return "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      Runtime: provided.al2023\n      CodeUri: functions/f\n      " + properties + "\n"
}

// role returns a template with a role with one statement.
func role(statement string) string {
	return "Resources:\n  R:\n    Type: AWS::IAM::Role\n    Properties: {Policies: [{PolicyName: p, " +
		"PolicyDocument: {Statement: [{Effect: Allow, " + statement + "}]}}]}\n"
}

// withRole returns a template with a function with these properties and a role without grants.
func withRole(properties string) string {
	return "Resources:\n  F:\n    Type: AWS::Serverless::Function\n" +
		"    Properties: {Runtime: provided.al2023, CodeUri: functions/f, Role: !GetAtt R.Arn, " + properties + "}\n" +
		"  R: {Type: AWS::IAM::Role, Properties: {Policies: []}}\n  Q: {Type: AWS::SQS::Queue}\n" +
		"  T: {Type: AWS::DynamoDB::Table, Properties: {BillingMode: PAY_PER_REQUEST, " +
		"AttributeDefinitions: [{AttributeName: pk, AttributeType: S}], KeySchema: [{AttributeName: pk, KeyType: HASH}], " +
		"StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}}}\n"
}

// loop returns a template with two functions that send messages to each other, with their RecursiveLoop.
func loop(first, second string) string {
	one := func(id, allow, from, to string) string {
		if allow != "" {
			allow = "RecursiveLoop: " + allow + ", "
		}
		return "  " + id + ":\n    Type: AWS::Serverless::Function\n    Properties: {" + allow +
			"Runtime: provided.al2023, CodeUri: functions/f, Role: !GetAtt " + id + "Role.Arn, " +
			"Events: {A: {Type: SQS, Properties: {Queue: !GetAtt " + from + ".Arn}}}}\n  " + id + "Role:\n" +
			"    Type: AWS::IAM::Role\n    Properties: {Policies: [{PolicyName: p, PolicyDocument: {Statement: [" +
			"{Effect: Allow, Action: sqs:SendMessage, Resource: !GetAtt " + to + ".Arn}, " +
			"{Effect: Allow, Action: [" + strings.Join(QueueActions, ", ") + "], Resource: !GetAtt " + from + ".Arn}]}}]}\n  " +
			from + ": {Type: AWS::SQS::Queue}\n"
	}
	return "Resources:\n" + one("F", first, "P", "Q") + one("G", second, "Q", "P")
}

// TestAllowsDeclaredLoop accepts a loop in which every function declares RecursiveLoop: Allow.
func TestAllowsDeclaredLoop(t *testing.T) {
	if _, err := read(t, loop("Allow", "Allow")); err != nil {
		t.Error(err)
	}
}

func TestConditionDropsAResource(t *testing.T) {
	body := "Parameters:\n  Env: {Type: String, Default: dev}\nConditions:\n  Prod: !Equals [!Ref Env, prod]\nResources:\n  Q:\n    Type: AWS::SQS::Queue\n    Condition: Prod\n"
	got, err := read(t, body)
	if err != nil || len(got.Queues) != 0 {
		t.Errorf("dev: %v, %v", got, err)
	}
	got, err = Read(
		[]byte("Transform: AWS::Serverless-2016-10-31\n"+body), Options{Parameters: map[string]string{"Env": "prod"}},
	)
	if err != nil || len(got.Queues) != 1 {
		t.Errorf("prod: %v, %v", got, err)
	}
}

// TestDomain reads the template of the platform with a domain and without one.
// TestFixedEgress: with the parameters of a fixed address, the template is as valid as without.
func TestFixedEgress(t *testing.T) {
	_, err := ReadFile("../../../template.yaml", Options{Parameters: map[string]string{
		"EgressSubnetIds": "subnet-0123456789abcdef0,subnet-0fedcba9876543210", "EgressSecurityGroupId": "sg-0123456789abcdef0",
	}})
	if err != nil {
		t.Error(err)
	}
	_, err = ReadFile("../../../template.yaml", Options{Parameters: map[string]string{"EgressSecurityGroupId": "sg-0123456789abcdef0"}})
	if err == nil || !strings.Contains(err.Error(), "VpcConfig needs SubnetIds and SecurityGroupIds") {
		t.Errorf("a security group without subnets: %v", err)
	}
}

func TestDomain(t *testing.T) {
	for _, c := range []struct {
		parameters map[string]string
		base       string
		resources  string
	}{
		{nil, "https://HttpApi.execute-api.us-east-1.amazonaws.com", ""},
		{map[string]string{"HostedZoneId": "Z1"}, "https://HttpApi.execute-api.us-east-1.amazonaws.com", ""},
		{
			map[string]string{"DomainName": "api.example.com", "CertificateArn": "arn:aws:acm:us-east-1:1:certificate/x"},
			"https://api.example.com", "Domain DomainMapping",
		},
		{
			map[string]string{
				"DomainName": "api.example.com", "CertificateArn": "arn:aws:acm:us-east-1:1:certificate/x", "HostedZoneId": "Z1",
			}, "https://api.example.com", "Domain DomainMapping DomainRecord",
		},
	} {
		got, err := ReadFile(filepath.Join("..", "..", "..", "template.yaml"), Options{Parameters: c.parameters})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range got.Functions {
			if base, given := f.Environment["BASE_URL"]; given && base != c.base {
				t.Errorf("%v: BASE_URL of %s is %s, want %s", c.parameters, f.ID, base, c.base)
			}
		}
		var there []string
		for _, r := range got.Resources {
			if strings.HasPrefix(r.ID, "Domain") {
				there = append(there, r.ID)
			}
		}
		if joined := strings.Join(there, " "); joined != c.resources {
			t.Errorf("%v: resources %s, want %s", c.parameters, joined, c.resources)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"testdata/full.yaml", "../../../template.yaml"} {
		if source, err := os.ReadFile(name); err == nil {
			f.Add(source)
		}
	}
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("Resources: {A: !Sub ['${x', {x: !Ref x}]}"))
	f.Fuzz(func(t *testing.T, source []byte) {
		if got, err := Read(source, Options{}); err == nil && got == nil {
			t.Error("neither a template nor an error")
		}
	})
}
