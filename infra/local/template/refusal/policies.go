package refusal

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"minicloud/infra/local/template"
)

// policyText matches the text of a valid policy: IAM refuses characters above U+00FF.
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
	{"a statement of a queue's policy names one resource", "remind101/stacker_blueprints#71",
		resources("AWS::SQS::QueuePolicy", func(r template.Resource, fail func(string, ...any)) {
			document, _ := r.Properties["PolicyDocument"].(map[string]any)
			for _, statement := range list(document, "Statement") {
				s, _ := statement.(map[string]any)
				if n := len(texts(s["Resource"])); n != 1 {
					fail("a statement names %d resources", n)
				}
			}
		})},
	// KMS refuses a policy that nobody may change afterwards, and only the account's root is certain to exist.
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

// leaves returns every string in a value.
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

var otherRules = []Rule{
	{"an alarm looks at a day at most, where a period is below an hour, else at a week",
		"AmazonCloudWatch/API_PutMetricAlarm.html",
		resources("AWS::CloudWatch::Alarm", func(r template.Resource, fail func(string, ...any)) {
			period, _ := r.Properties["Period"].(int)
			periods, _ := r.Properties["EvaluationPeriods"].(int)
			most := 86400
			if period >= 3600 {
				most *= 7
			}
			if period*periods > most {
				fail("looks at %d periods of %d s", periods, period)
			}
		})},
	{"an alarm needs no more datapoints than it looks at",
		"AmazonCloudWatch/API_PutMetricAlarm.html",
		resources("AWS::CloudWatch::Alarm", func(r template.Resource, fail func(string, ...any)) {
			needs, _ := r.Properties["DatapointsToAlarm"].(int)
			if periods, _ := r.Properties["EvaluationPeriods"].(int); needs > periods {
				fail("needs %d datapoints of %d", needs, periods)
			}
		})},
	{"an alarm on a query looks at three hours at most", "AmazonCloudWatch/alarm-limits.html",
		func(s *stack, report report) {
			for _, a := range s.Alarms {
				if a.Query != nil && a.Period*time.Duration(a.Periods) > 3*time.Hour {
					report(a.ID, "looks at %d periods of %v", a.Periods, a.Period)
				}
			}
		}},
	{"a metric filter has at most three dimensions",
		"AmazonCloudWatchLogs/API_MetricTransformation.html", func(s *stack, report report) {
			for _, f := range s.MetricFilters {
				if len(f.Dimensions) > 3 {
					report(f.ID, "has %d dimensions", len(f.Dimensions))
				}
			}
		}},
	{"a table has at most 20 indexes", "amazondynamodb/ServiceQuotas.html", func(s *stack, report report) {
		for _, t := range s.Tables {
			if len(t.Indexes) > 20 {
				report(t.ID, "has %d indexes", len(t.Indexes))
			}
		}
	}},
}
