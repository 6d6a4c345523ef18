package template

import (
	"fmt"
	"slices"
)

// sender is a rule that may send to a queue, both by their ARNs.
type sender struct{ rule, queue string }

// queuePolicy reads which rules may send to which queues. EventBridge sends under no role: without such a policy the
// queue turns its events away, and nobody hears of it.
func (b *builder) queuePolicy(_, _ string, s *section) {
	applied := s.texts("Queues") // URLs
	let := func(who sender) {
		// A statement about a queue to which the policy is not applied has no effect.
		for _, r := range b.resolve.resources {
			if r.attributes["Arn"] == who.queue && slices.Contains(applied, r.attributes["QueueUrl"]) {
				b.senders = append(b.senders, who)
			}
		}
	}

	document := s.child("PolicyDocument")
	document.text("Version", "")
	for _, statement := range document.each("Statement") {
		statement.text("Sid", "")
		statement.oneOf("Effect", "Allow")
		principal := statement.child("Principal")
		principal.oneOf("Service", "events.amazonaws.com")
		principal.done()
		if actions := statement.texts("Action"); !slices.Equal(actions, []string{"sqs:SendMessage"}) {
			statement.fail(statement.value, "a rule needs Action: sqs:SendMessage, not %v", actions)
		}

		condition := statement.child("Condition")
		equals := condition.child("ArnEquals")
		for _, rule := range equals.texts("aws:SourceArn") {
			for _, queue := range statement.texts("Resource") {
				let(sender{rule, queue})
			}
		}
		equals.done()
		condition.done()
		statement.done()
	}
	document.done()
	s.done()
}

// checkSenders sees that every queue lets in the rules that send to it.
func (b *builder) checkSenders(r *Rule) {
	for _, t := range r.Targets {
		for _, queue := range []string{t.Queue, t.DeadQueue} {
			who := sender{b.arn("events", "rule/"+r.Name), b.arn("sqs", queue)}
			if queue != "" && !slices.Contains(b.senders, who) {
				b.fail(fmt.Errorf("%s: no AWS::SQS::QueuePolicy lets it send to %s", r.ID, queue))
			}
		}
	}
}
