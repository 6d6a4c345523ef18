package refusal

import (
	"regexp"
	"slices"
	"strings"

	"minicloud/infra/local/template"
)

// policyText matches what a policy may hold: IAM takes no characters beyond U+00FF.
var policyText = regexp.MustCompile(`^[\x{20}-\x{FF}]*$`)

var policyRules = []Rule{
	{"the inline policies of a role have at most 10,240 characters", "IAM/reference_iam-quotas.html",
		resources("AWS::IAM::Role", func(r template.Resource, fail func(string, ...any)) {
			n := 0
			for _, policy := range list(r.Properties, "Policies") {
				named, _ := policy.(map[string]any)
				n += size(named["PolicyDocument"])
			}
			if n > 10240 {
				fail("its policies have %d characters in a stack of %d", n, LongestStack)
			}
		})},
	{"a role's trust policy has at most 2,048 characters", "IAM/reference_iam-quotas.html",
		resources("AWS::IAM::Role", func(r template.Resource, fail func(string, ...any)) {
			if n := size(r.Properties["AssumeRolePolicyDocument"]); n > 2048 {
				fail("its trust policy has %d characters", n)
			}
		})},
	{"policies are of characters up to U+00FF", "IAM/reference_iam-quotas.html", func(s *stack, report report) {
		for _, r := range s.Resources {
			for _, name := range []string{"Policies", "PolicyDocument", "KeyPolicy", "AssumeRolePolicyDocument"} {
				for _, text := range leaves(r.Properties[name]) {
					if !policyText.MatchString(text) {
						report(r.ID, "%s has %q", name, text)
					}
				}
			}
		}
	}},
	{"a queue's policy has at most 8,192 bytes and 20 statements", "AWSSimpleQueueService/quotas-messages.html",
		resources("AWS::SQS::QueuePolicy", func(r template.Resource, fail func(string, ...any)) {
			document, _ := r.Properties["PolicyDocument"].(map[string]any)
			if bytes, n := size(document), len(list(document, "Statement")); bytes > 8192 || n > 20 {
				fail("has %d bytes and %d statements", bytes, n)
			}
		})},
	// KMS refuses a policy after which nobody may change it, and the account's root is the only sure principal.
	{"a key's policy of up to 32 KB lets the account change it",
		"kms/API_CreateKey.html, BypassPolicyLockoutSafetyCheck",
		resources("AWS::KMS::Key", func(r template.Resource, fail func(string, ...any)) {
			document, given := r.Properties["KeyPolicy"].(map[string]any)
			if given && (size(document) > 32<<10 || !slices.ContainsFunc(list(document, "Statement"), keepsAccount)) {
				fail("its policy lets nobody of the account change it, or is too long")
			}
		})},
}

// keepsAccount reports whether a statement lets the account change the policy of the key.
func keepsAccount(statement any) bool {
	s, _ := statement.(map[string]any)
	principal, _ := s["Principal"].(map[string]any)
	root := slices.ContainsFunc(texts(principal["AWS"]), func(arn string) bool { return strings.HasSuffix(arn, ":root") })
	changes := slices.ContainsFunc(texts(s["Action"]), func(action string) bool {
		return action == "kms:*" || action == "kms:PutKeyPolicy"
	})
	return s["Effect"] == "Allow" && root && changes
}

// leaves returns every text of a value.
func leaves(value any) (out []string) {
	switch v := value.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, item := range v {
			out = append(out, leaves(item)...)
		}
	case map[string]any:
		for _, item := range v {
			out = append(out, leaves(item)...)
		}
	}
	return out
}

// retention lists the numbers of days.
var retention = []any{
	1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
}

var otherRules = []Rule{
	{"a log group keeps its logs for one of the days that CloudWatch lists",
		"AmazonCloudWatchLogs/API_PutRetentionPolicy.html",
		resources("AWS::Logs::LogGroup", func(r template.Resource, fail func(string, ...any)) {
			if days, given := r.Properties["RetentionInDays"]; given && !slices.Contains(retention, days) {
				fail("RetentionInDays is %v", days)
			}
		})},
	{"an alarm looks at minutes, a day at most, where a period is below an hour",
		"AmazonCloudWatch/API_PutMetricAlarm.html",
		resources("AWS::CloudWatch::Alarm", func(r template.Resource, fail func(string, ...any)) {
			period, _ := r.Properties["Period"].(int)
			periods, _ := r.Properties["EvaluationPeriods"].(int)
			most := 86400
			if period >= 3600 {
				most *= 7
			}
			// AWS's own metrics have one value a minute: an alarm that looks more often sees none.
			if period%60 != 0 || period*periods > most {
				fail("looks at %d periods of %d s", periods, period)
			}
		})},
	{"an alarm has a statistic, up to 5 actions and a description of 1,024 characters",
		"AmazonCloudWatch/API_PutMetricAlarm.html",
		resources("AWS::CloudWatch::Alarm", func(r template.Resource, fail func(string, ...any)) {
			description, _ := r.Properties["AlarmDescription"].(string)
			if r.Properties["Statistic"] == nil || len(list(r.Properties, "AlarmActions")) > 5 || len(description) > 1024 {
				fail("has no statistic, too many actions or too long a description")
			}
		})},
	{"an alarm needs no more datapoints than it looks at", "AmazonCloudWatch/API_PutMetricAlarm.html",
		resources("AWS::CloudWatch::Alarm", func(r template.Resource, fail func(string, ...any)) {
			needs, _ := r.Properties["DatapointsToAlarm"].(int)
			if periods, _ := r.Properties["EvaluationPeriods"].(int); needs > periods {
				fail("needs %d datapoints of %d periods", needs, periods)
			}
		})},
	{"a table has at most 20 indexes, with names of 3 to 255 characters", "amazondynamodb/ServiceQuotas.html",
		func(s *stack, report report) {
			form := nameForms["AWS::DynamoDB::Table"]
			for _, t := range s.Tables {
				if len(t.Indexes) > 20 {
					report(t.ID, "has %d indexes", len(t.Indexes))
				}
				for _, index := range t.Indexes {
					if !form.MatchString(index.Name) || len(index.Name) > 255 {
						report(t.ID, "has an index %q", index.Name)
					}
				}
			}
		}},
	{"a key attribute has at most 255 bytes", "amazondynamodb/ServiceQuotas.html", func(s *stack, report report) {
		for _, t := range s.Tables {
			for _, key := range t.Keys {
				if len(key.Name) > 255 {
					report(t.ID, "has a key attribute of %d bytes", len(key.Name))
				}
			}
		}
	}},
}
