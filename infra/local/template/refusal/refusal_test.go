package refusal

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const transform = "Transform: AWS::Serverless-2016-10-31\n"

// TestDeploys checks the template of the platform.
func TestDeploys(t *testing.T) {
	source, err := os.ReadFile("../../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, refused := range Check(source) {
		t.Error("template.yaml: " + refused)
	}
}

// one returns a template with one resource; properties is a YAML flow mapping without its braces.
func one(kind, properties string) string {
	return "Resources:\n  X: {Type: " + kind + ", Properties: {" + properties + "}}\n"
}

// function returns a template with one function, a queue and two tables.
func function(properties string) string {
	const table = "{Type: AWS::DynamoDB::Table, Properties: {BillingMode: PAY_PER_REQUEST, " +
		"AttributeDefinitions: [{AttributeName: pk, AttributeType: S}], KeySchema: [{AttributeName: pk, KeyType: HASH}], " +
		"StreamSpecification: {StreamViewType: KEYS_ONLY}}}\n"
	return one("AWS::Serverless::Function", "Runtime: provided.al2023, CodeUri: functions/f, "+properties) +
		"  Q: {Type: AWS::SQS::Queue}\n  T: " + table + "  U: " + table
}

// fed returns a template with a queue of these properties that feeds a function with a timeout of 10 s.
func fed(queue string) string {
	return strings.Replace(function("Timeout: 10, Events: {A: {Type: SQS, Properties: {Queue: !GetAtt Q.Arn}}}"),
		"Q: {Type: AWS::SQS::Queue}", "Q: {Type: AWS::SQS::Queue, Properties: {"+queue+"}}\n  D: {Type: AWS::SQS::Queue}", 1)
}

// repeated returns a list of n strings; %d in the format is the index.
func repeated(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// entries returns a mapping of n entries, one per line; %d in the format is the index.
func entries(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

func streams(events string) string { return function("Events: {" + events + "}") }

const stream = "Type: DynamoDB, Properties: {StartingPosition: LATEST, Stream: !GetAtt T.StreamArn"

// breaking maps each requirement to small templates that violate it.
func breaking() map[string][]string {
	long := strings.Repeat("x", 300)
	alarm := func(properties string) string {
		return one("AWS::CloudWatch::Alarm", "Namespace: n, MetricName: m, ComparisonOperator: GreaterThanThreshold, "+
			"TreatMissingData: breaching, "+properties)
	}
	query := one("AWS::CloudWatch::Alarm", "ComparisonOperator: GreaterThanThreshold, TreatMissingData: breaching, "+
		`EvaluationPeriods: 4, Metrics: [{Id: q, Period: 3600, Expression: 'SELECT SUM(m) FROM SCHEMA("n", Q) `+
		`GROUP BY Q ORDER BY SUM() DESC'}]`)
	table := func(properties string) string {
		return one("AWS::DynamoDB::Table", "BillingMode: PAY_PER_REQUEST, "+properties)
	}
	index := "{IndexName: %s, KeySchema: [{AttributeName: pk, KeyType: HASH}], Projection: {ProjectionType: ALL}}"
	return map[string][]string{
		"a template has at most 500 resources, with those that SAM adds": {
			"Resources:\n" + entries(501, "  Q%d: {Type: AWS::SQS::Queue}"),
			// SAM adds a role for each function, and an API counts as two: itself and its stage.
			"Resources:\n  A: {Type: AWS::Serverless::HttpApi, Properties: {}}\n" +
				entries(250, "  F%d: {Type: AWS::Serverless::Function, Properties: {Runtime: provided.al2023, CodeUri: functions/f}}"),
		},
		"no resource refers to itself, nor by way of others": {
			// An API refers to the functions that it calls, and a function with an alias to the alarms of its deployment.
			function("Environment: {Variables: {AA: !GetAtt A.ApiEndpoint}}, Events: {A: {Type: HttpApi, Properties: {"+
				"ApiId: !Ref A, Path: /a}}}") + "  A: {Type: AWS::Serverless::HttpApi, Properties: {}}\n",
			function("AutoPublishAlias: live, DeploymentPreference: {Type: AllAtOnce, Alarms: [!Ref W]}, "+
				"Events: {A: {Type: HttpApi, Properties: {ApiId: !Ref A, Path: /a}}}") +
				"  A: {Type: AWS::Serverless::HttpApi, Properties: {}}\n" +
				`  W: {Type: AWS::CloudWatch::Alarm, Properties: {Namespace: n, MetricName: m, ComparisonOperator: ` +
				`GreaterThanThreshold, TreatMissingData: breaching, Statistic: Sum, Period: 60, EvaluationPeriods: 1, ` +
				`Dimensions: [{Name: ApiId, Value: !Sub "${A}"}]}}` + "\n",
		},
		"a template has at most 200 parameters": {
			"Parameters:\n" + entries(201, "  P%d: {Type: String, Default: a, AllowedValues: [a]}") + one("AWS::SQS::Queue", ""),
		},
		"every parameter is bounded, a text to 4,096 bytes": {
			"Parameters: {P: {Type: Number, Default: 1, MinValue: 1}}\n", "Parameters: {P: {Type: String, Default: a}}\n",
			"Parameters: {P: {Type: String, Default: a, MaxLength: 4097}}\n",
		},
		"names have the characters and the length of their service": {
			one("AWS::SQS::Queue", "QueueName: "+long[:81]), one("AWS::SQS::Queue", "QueueName: a.b"),
			one("AWS::DynamoDB::Table", "TableName: ab, BillingMode: PAY_PER_REQUEST, "+
				"AttributeDefinitions: [{AttributeName: pk, AttributeType: S}], KeySchema: [{AttributeName: pk, KeyType: HASH}]"),
			one("AWS::Events::EventBus", `Name: !Sub "${AWS::StackName}`+long[:250]+`"`),
		},
		"a path is of words and variables, the greedy one last, each variable once": {
			function("Events: {A: {Type: HttpApi, Properties: {Path: '/a/{b+}/c'}}}"),
			function("Events: {A: {Type: HttpApi, Properties: {Path: '/a/{b}/{b}'}}}"),
			function("Events: {A: {Type: HttpApi, Properties: {Path: '/a//b'}}}"),
			function("Events: {A: {Type: HttpApi, Properties: {Path: '/a/b{c}'}}}"),
		},
		"a route has a method of HTTP or ANY": {function("Events: {A: {Type: HttpApi, Properties: {Path: /a, Method: x}}}")},
		"an HTTP API has at most 300 routes, of one integration each": {function(
			"Events: {" + strings.Trim(repeated(301, "A%[1]d: {Type: HttpApi, Properties: {Path: /a%[1]d}}"), "[]") + "}")},
		"an HTTP API does not stop at warnings": {one("AWS::Serverless::HttpApi", "FailOnWarnings: true")},
		"throttling stays within the account's 10,000 requests a second, in whole numbers": {
			one("AWS::Serverless::HttpApi", "DefaultRouteSettings: {ThrottlingRateLimit: 10001}"),
			one("AWS::Serverless::HttpApi", "DefaultRouteSettings: {ThrottlingBurstLimit: 1.5}"),
			"Parameters: {P: {Type: Number, Default: 1, MinValue: 0, MaxValue: 5}}\n" +
				one("AWS::Serverless::HttpApi", "DefaultRouteSettings: {ThrottlingRateLimit: !Ref P}"),
		},
		"environment variables have at most 4 KB, as JSON": {
			function("Environment: {Variables: {AA: " + strings.Repeat("x", 4090) + "}}"),
			// The default value is short, but the longest allowed value is not.
			"Parameters: {P: {Type: String, Default: a, MaxLength: 4096}}\n" + function("Environment: {Variables: {AA: !Ref P}}"),
		},
		"a variable's name is a letter and more letters, digits or _, and not Lambda's": {
			function("Environment: {Variables: {A: x}}"), function("Environment: {Variables: {LAMBDA_TASK_ROOT: x}}"),
		},
		// The alias in each statement and the policy around them are what is too much.
		"a function's policy has at most 20 KB": {function("AutoPublishAlias: live, Events: {" +
			strings.Trim(repeated(45, "A%[1]d: {Type: HttpApi, Properties: {Path: /a%[1]d}}"), "[]") + "}")},
		"CodeDeploy may assume the role of a deployment": {
			function("AutoPublishAlias: live, DeploymentPreference: {Type: AllAtOnce, Role: !GetAtt R.Arn}") +
				"  R: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: {Statement: [{Effect: Allow, " +
				"Action: sts:AssumeRole, Principal: {Service: lambda.amazonaws.com}}]}, Policies: [{PolicyName: p, " +
				"PolicyDocument: {Statement: [{Effect: Allow, Action: ['lambda:*', 'cloudwatch:*'], Resource: '*'}]}}]}}\n",
		},
		"a function with TenancyConfig has no event sources": {
			function("TenancyConfig: {TenantIsolationMode: PER_TENANT}, Events: {A: {Type: SQS, Properties: {Queue: !GetAtt Q.Arn}}}"),
		},
		"a batch of more than 10 messages has a window of a second": {
			streams("A: {Type: SQS, Properties: {Queue: !GetAtt Q.Arn, BatchSize: 11}}"),
		},
		"messages are retried for four hours before they are dead letters": {
			fed("VisibilityTimeout: 1439, RedrivePolicy: {maxReceiveCount: 10, deadLetterTargetArn: !GetAtt D.Arn}"),
			fed("VisibilityTimeout: 1439, MessageRetentionPeriod: 14399"),
		},
		"messages are hidden for six timeouts of their function and its window, or the queue says why not": {
			fed("VisibilityTimeout: 59"),
			strings.Replace(fed("VisibilityTimeout: 61"), "Events: {A: {Type: SQS, Properties: {",
				"Events: {A: {Type: SQS, Properties: {MaximumBatchingWindowInSeconds: 2, ", 1),
			strings.Replace(fed("VisibilityTimeout: 59"), "Q: {", "Q: {Metadata: {Other: why}, ", 1),
			strings.Replace(fed("VisibilityTimeout: 60"), "Q: {", "Q: {Metadata: {ShortVisibility: why}, ", 1),
		},
		"a stream with a tumbling window has ParallelizationFactor 1": {
			streams("A: {" + stream + ", TumblingWindowInSeconds: 1, ParallelizationFactor: 2}}"),
		},
		"records of a stream are given up after a minute at least": {
			streams("A: {" + stream + ", MaximumRecordAgeInSeconds: 59}}"),
		},
		"an event source has at most 5 filters of 4,096 characters": {
			streams("A: {" + stream + ", FilterCriteria: {Filters: " + repeated(6, "{Pattern: {a: ['%d']}}") + "}}}"),
			streams("A: {" + stream + ", FilterCriteria: {Filters: [{Pattern: {a: " + repeated(500, "abc%d") + "}}]}}}"),
		},
		"a function reads a queue or a stream once": {
			streams("A: {" + stream + "}}, B: {" + stream + "}}"),
			streams("A: {Type: SQS, Properties: {Queue: !GetAtt Q.Arn}}, B: {Type: SQS, Properties: {Queue: !GetAtt Q.Arn}}"),
		},
		"a table's stream has at most two readers": {
			streams("A: {"+stream+"}}") + entries(2, "  F%d: {Type: AWS::Serverless::Function, Properties: "+
				"{Runtime: provided.al2023, CodeUri: functions/f, Events: {A: {"+stream+"}}}}}"),
		},
		"a rule's pattern has at most 2,048 characters": {
			one("AWS::Events::Rule", "EventPattern: {source: "+repeated(300, "abcd%d")+"}"),
		},
		"the inline policies of a role have at most 10,240 characters": {
			one("AWS::IAM::Role", "Policies: [{PolicyName: p, PolicyDocument: {Statement: [{Effect: Allow, Action: sqs:SendMessage, Resource: "+
				repeated(900, "'resource%d'")+"}]}}]"),
		},
		"a role's trust policy has at most 2,048 characters": {
			one("AWS::IAM::Role", "AssumeRolePolicyDocument: {Statement: [{Effect: Allow, Action: sts:AssumeRole, Principal: {Service: "+
				repeated(200, "service%d")+"}}]}"),
		},
		"policies are of characters up to U+00FF": {
			one("AWS::IAM::Role", "Policies: [{PolicyName: p, PolicyDocument: {Statement: [{Effect: Allow, Action: sqs:SendMessage, Resource: '→'}]}}]"),
		},
		"a queue's policy has at most 8,192 bytes and 20 statements": {
			rule("[{Id: q, Arn: !GetAtt Q.Arn}]") + "  P: {Type: AWS::SQS::QueuePolicy, Properties: {Queues: [!Ref Q], PolicyDocument: {Statement: " +
				repeated(21, "{Effect: Allow, Principal: {Service: events.amazonaws.com}, Action: sqs:SendMessage, Resource: 'a%d'}") + "}}}\n",
		},
		"a statement of a queue's policy names one resource": {
			strings.Replace(rule("[{Id: q, Arn: !GetAtt Q.Arn}]"), "Resource: !GetAtt Q.Arn", "Resource: [!GetAtt Q.Arn, '*']", 1),
		},
		"a key's policy of up to 32 KB lets the account change it": {
			one("AWS::KMS::Key", "KeyPolicy: {Statement: [{Effect: Allow, Principal: {AWS: 'arn:aws:iam::1:role/r'}, Action: 'kms:*', Resource: '*'}]}"),
			one("AWS::KMS::Key", "KeyPolicy: {Statement: [{Effect: Allow, Principal: {AWS: 'arn:aws:iam::1:root'}, Action: kms:Encrypt, Resource: '*'}]}"),
		},
		"an alarm looks at a day at most, where a period is below an hour, else at a week": {
			alarm("Statistic: Sum, Period: 600, EvaluationPeriods: 145"), alarm("Statistic: Sum, Period: 3600, EvaluationPeriods: 169"),
		},
		"an alarm on a query looks at three hours at most": {query},
		"a metric filter has at most three dimensions": {
			one("AWS::Logs::MetricFilter", "LogGroupName: l, FilterPattern: '{ $.a >= 1 }', MetricTransformations: "+
				"[{MetricNamespace: n, MetricName: m, MetricValue: '1', Dimensions: "+repeated(4, "{Key: k%d, Value: $.a}")+"}]"),
		},
		"an alarm needs no more datapoints than it looks at": {
			alarm("Statistic: Sum, Period: 60, EvaluationPeriods: 1, DatapointsToAlarm: 2"),
		},
		"a table has at most 20 indexes": {
			table("AttributeDefinitions: [{AttributeName: pk, AttributeType: S}], KeySchema: [{AttributeName: pk, KeyType: HASH}], " +
				"GlobalSecondaryIndexes: " + repeated(21, fmt.Sprintf(index, "abc%d"))),
		},
	}
}

// rule returns a template with a rule with these targets, its queue and the queue's policy.
func rule(targets string) string {
	return "Resources:\n  Q: {Type: AWS::SQS::Queue}\n" +
		"  R: {Type: AWS::Events::Rule, Properties: {EventPattern: {source: [a]}, Targets: " + targets + "}}\n" +
		"  L: {Type: AWS::SQS::QueuePolicy, Properties: {Queues: [!Ref Q], PolicyDocument: {Statement: [{Effect: Allow, " +
		"Principal: {Service: events.amazonaws.com}, Action: sqs:SendMessage, Resource: !GetAtt Q.Arn, " +
		"Condition: {ArnEquals: {aws:SourceArn: !GetAtt R.Arn}}}]}}}\n"
}

// TestEveryRule violates each rule with its own small template.
func TestEveryRule(t *testing.T) {
	all := breaking()
	for _, r := range Rules() {
		if r.Source == "" || len(all[r.Demand]) == 0 {
			t.Errorf("%q has no source or no template that breaks it", r.Demand)
		}
		for i, body := range all[r.Demand] {
			if got := Check([]byte(transform + body)); !strings.Contains(strings.Join(got, "\n"), "["+r.Demand+"]") {
				t.Errorf("template %d of %q is not refused: %q", i, r.Demand, got)
			}
		}
		delete(all, r.Demand)
	}
	for demand := range all {
		t.Errorf("there is no rule %q", demand)
	}
}

// TestAccepts checks templates just within several limits.
func TestAccepts(t *testing.T) {
	for _, body := range []string{
		one("AWS::SQS::Queue", "QueueName: "+strings.Repeat("x", 80)),
		function("Events: {A: {Type: HttpApi, Properties: {Path: '/a/{b}/{c+}'}}, B: {Type: SQS, Properties: " +
			"{Queue: !GetAtt Q.Arn, BatchSize: 11, MaximumBatchingWindowInSeconds: 1}}, C: {" + stream + "}}}"),
		function("Environment: {Variables: {AA: " + strings.Repeat("x", 4096-len(`{"AA":""}`)) + "}}"),
		rule(repeated(5, "{Id: q%d, Arn: !GetAtt Q.Arn}")),
	} {
		if got := Check([]byte(transform + body)); len(got) > 0 {
			t.Errorf("%.200s: %q", body, got)
		}
	}
}

func TestUpgrade(t *testing.T) {
	table := func(key string, indexes ...string) string {
		all := make([]string, len(indexes))
		for i, index := range indexes {
			name, attribute, _ := strings.Cut(index, ":")
			all[i] = "{IndexName: " + name + ", KeySchema: [{AttributeName: " + attribute + ", KeyType: HASH}], Projection: {ProjectionType: ALL}}"
		}
		attributes := map[string]bool{}
		for _, name := range append([]string{":" + key}, indexes...) {
			_, attribute, _ := strings.Cut(name, ":")
			attributes["{AttributeName: "+attribute+", AttributeType: S}"] = true
		}
		var definitions []string
		for a := range attributes {
			definitions = append(definitions, a)
		}
		return one("AWS::DynamoDB::Table", "BillingMode: PAY_PER_REQUEST, AttributeDefinitions: ["+strings.Join(definitions, ", ")+
			"], KeySchema: [{AttributeName: "+key+", KeyType: HASH}], GlobalSecondaryIndexes: ["+strings.Join(all, ", ")+"]")
	}
	expiring := func(attribute string, enabled bool) string {
		return strings.Replace(table("pk"), "KeySchema:",
			fmt.Sprintf("TimeToLiveSpecification: {AttributeName: %s, Enabled: %v}, KeySchema:", attribute, enabled), 1)
	}
	for _, tt := range []struct{ name, before, now, want string }{
		{"nothing", table("pk", "one:a"), table("pk", "one:a"), ""},
		{"one index more", table("pk", "one:a"), table("pk", "one:a", "two:a"), ""},
		{"two indexes more", table("pk"), table("pk", "one:a", "two:a"), "X: 2 indexes come or go"},
		{"one index for another", table("pk", "one:a"), table("pk", "two:a"), "X: 2 indexes come or go"},
		{"index of another attribute", table("pk", "one:a"), table("pk", "one:b"), "X: the index one changes"},
		{"another key", table("pk"), table("id"), "X: KeySchema changes, so a new and empty one takes its place"},
		{"expiry gone", expiring("at", true), table("pk"), "X: TimeToLiveSpecification loses at; set Enabled to false instead"},
		{"expiry by another attribute", expiring("at", true), expiring("to", true), "X: TimeToLiveSpecification loses at"},
		{"expiry off", expiring("at", true), expiring("at", false), ""},
		{"expiry on", table("pk"), expiring("at", true), ""},
		{"table gone", table("pk"), one("AWS::SNS::Topic", ""), "X: is gone"},
		{"queue named", one("AWS::SQS::Queue", ""), one("AWS::SQS::Queue", "QueueName: q"), "X: QueueName changes"},
		{"bucket gone", one("AWS::S3::Bucket", ""), one("AWS::SNS::Topic", ""), "X: is gone"},
		{"mapping of another name", streams("A: {" + stream + "}}"), streams("B: {" + stream + "}}"), "X: the mapping of arn:aws:dynamodb:"},
		{
			"mapping from another position", streams("A: {" + stream + "}}"),
			streams(strings.Replace("A: {"+stream+"}}", "LATEST", "TRIM_HORIZON", 1)), "X: the mapping of arn:aws:dynamodb:",
		},
		{"mapping that changes", streams("A: {" + stream + "}}"), streams("A: {" + stream + ", BatchSize: 7}}"), ""},
		{"tenants", function(""), function("TenancyConfig: {TenantIsolationMode: PER_TENANT}"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Upgrade([]byte(transform+tt.before), []byte(transform+tt.now))
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(got, "\n"); all != tt.want && (tt.want == "" || !strings.HasPrefix(all, tt.want)) {
				t.Errorf("got %q, want %q", all, tt.want)
			}
		})
	}
}
