package template

import (
	"path"
	"slices"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/node"
)

// Bus is an event bus. The bus "default" always exists.
type Bus struct{ ID, Name string }

// Rule sends events of a bus that match a pattern to queues.
type Rule struct {
	ID      string // logical ID
	Name    string
	Bus     string
	Pattern map[string]any
	Targets []Target
}

// Target is the target of a rule: a queue, or a function that a schedule invokes.
type Target struct {
	Function  string // function name
	Queue     string // queue name
	DeadQueue string // name of the dead-letter queue; "" for none
}

// Key is a KMS key. Locally, its logical ID is also its key ID.
type Key struct{ ID string }

func (b *builder) bus(id, name string, n *yaml.Node) {
	b.decode(id, n, new(struct{}), "Name")
	b.out.Buses = append(b.out.Buses, &Bus{ID: id, Name: name})
}

func (b *builder) rule(id, name string, n *yaml.Node) {
	p := struct {
		EventBusName string      `yaml:"EventBusName"`
		EventPattern node.Object `yaml:"EventPattern"`
		Targets      []struct {
			Id         string `yaml:"Id"`
			Arn        string `yaml:"Arn"`
			DeadLetter string `yaml:"DeadLetterConfig.Arn"`
		} `yaml:"Targets"`
	}{EventBusName: "default"}
	b.decode(id, n, &p, "Name")

	r := &Rule{ID: id, Name: name, Bus: p.EventBusName, Pattern: b.pattern(id, p.EventPattern)}
	for _, t := range p.Targets {
		to := Target{Queue: b.nameIn(id, "Arn", t.Arn, "sqs", "")}
		if dead := t.DeadLetter; dead != "" {
			to.DeadQueue = b.nameIn(id, "DeadLetterConfig.Arn", dead, "sqs", "")
		}
		r.Targets = append(r.Targets, to)
	}
	b.out.Rules = append(b.out.Rules, r)
}

func (b *builder) key(id, _ string, n *yaml.Node) {
	b.decode(id, n, new(struct{}), "Description", "KeyPolicy", "EnableKeyRotation")
	b.out.Keys = append(b.out.Keys, &Key{ID: id})
}

// sender is a rule that may send to a queue; both are ARNs.
type sender struct{ rule, queue string }

// queuePolicy collects the rules that may send to a queue. EventBridge sends without a role: without such a policy it
// silently drops the events.
func (b *builder) queuePolicy(id, _ string, n *yaml.Node) {
	var p struct {
		Queues    []string `yaml:"Queues"` // queue URLs
		Version   string   `yaml:"PolicyDocument.Version"`
		Statement []struct {
			Effect    string     `yaml:"Effect"`
			Service   string     `yaml:"Principal.Service"`
			Action    string     `yaml:"Action"`
			Resource  node.Texts `yaml:"Resource"`
			SourceArn node.Texts `yaml:"Condition.ArnEquals.aws:SourceArn"`
		} `yaml:"PolicyDocument.Statement"`
	}
	b.decode(id, n, &p)
	for _, s := range p.Statement {
		b.oneOf(id, "Effect", s.Effect, "Allow")
		b.oneOf(id, "Principal.Service", s.Service, "events.amazonaws.com")
		b.oneOf(id, "Action", s.Action, "sqs:SendMessage")
		for _, url := range p.Queues {
			queue := b.arn("sqs", path.Base(url))
			// A statement has no effect on queues to which the policy is not applied.
			if slices.Contains(s.Resource, queue) || slices.Contains(s.Resource, "*") {
				for _, rule := range s.SourceArn {
					b.senders = append(b.senders, sender{rule, queue})
				}
			}
		}
	}
}
