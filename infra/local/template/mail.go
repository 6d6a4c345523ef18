package template

import "go.yaml.in/yaml/v4"

// ConfigurationSet is a configuration set of SES.
type ConfigurationSet struct {
	ID, Name string
	Events   []string // types of the events that go to the default event bus, such as BOUNCE
}

func (b *builder) configurationSet(id, name string, n *yaml.Node) {
	b.decode(id, n, new(struct{}), "Name", "ReputationOptions", "SendingOptions")
	b.out.ConfigurationSets = append(b.out.ConfigurationSets, &ConfigurationSet{ID: id, Name: name})
}

// destination sends events of a configuration set to the default event bus.
type destination struct {
	id, set string
	events  []string
}

func (b *builder) eventDestination(id, _ string, n *yaml.Node) {
	var p struct {
		Set     string   `yaml:"ConfigurationSetName"`
		Enabled bool     `yaml:"EventDestination.Enabled"`
		Types   []string `yaml:"EventDestination.MatchingEventTypes"`
		Bus     string   `yaml:"EventDestination.EventBridgeDestination.EventBusArn"`
	}
	b.decode(id, n, &p)
	// SES supports no other bus, and accepts a destination that is not enabled.
	if p.Bus != b.arn("events", "event-bus/default") || !p.Enabled {
		b.fail(id, "the local cloud serves only enabled destinations, to the default event bus")
	}
	b.destinations = append(b.destinations, destination{id, p.Set, p.Types})
}

// checkDestinations gives each configuration set its events.
func (b *builder) checkDestinations() {
	for _, d := range b.destinations {
		found := false
		for _, set := range b.out.ConfigurationSets {
			if set.Name == d.set {
				set.Events, found = append(set.Events, d.events...), true
			}
		}
		if !found {
			b.fail(d.id, "there is no configuration set %s", d.set)
		}
	}
}
