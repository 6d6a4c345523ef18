package scenario_test

import (
	"testing"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
)

// stage is a local cloud and a test's application in it.
type stage struct {
	*cloud.Cloud
	Credentials cloud.Credentials
}

// start starts a separate cloud with the demo application.
func start(t *testing.T, changes ...func(*cloud.Config)) stage {
	t.Helper()
	c := cloudtest.Start(t, changes...)
	return stage{c, c.Credentials}
}

// anew returns the cloud with a new application.
func (s stage) anew(t *testing.T) stage {
	t.Helper()
	var err error
	s.Credentials.Credentials, err = demo.Seed{
		Client: database(s), Clock: clock.System, Name: t.Name(),
	}.Plant(t.Context(), demo.Credentials{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// owner returns a caller with a token of the application.
func (s stage) owner(t *testing.T) caller {
	t.Helper()
	return client(t, s.URL, s.Credentials.ClientID, s.Credentials.ClientSecret)
}

// TestStoriesInOneCloud plays stories across the real programs, each in a separate application. A cloud for each
// story would cost a second of processor time, and the start of every program.
func TestStoriesInOneCloud(t *testing.T) {
	t.Parallel()
	c := start(t, func(cfg *cloud.Config) {
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // receivers are on loopback
		cfg.Parameters = map[string]string{"Tracing": "Active"}           // the logs name the trace of X-Ray
	})
	for _, story := range []struct {
		name string
		play func(t *testing.T, c stage)
	}{
		{"callback of a run", callbackOfARun},
		{"webhook of a row", webhookOfARow},
		{"slow receiver", slowReceiver},
		{"trace", oneTrace},
		{"chains end", chainsEnd},
		{"refunds", refunds},
		{"refused payment", refusedPayment},
		{"logins at an own vendor", ownVendors},
		{"login of a web page", webLogin},
		{"logs of a request", logsOfARequest},
		{"a photo", photoStory},
		{"an erased person", erasedPerson},
		{"dead letters", deadLetters}, // after "refused payment", which leaves no dead letters
		{"large queries", largeQueries},
		{"large results", largeResults},
		{"large functions", largeFunctions},
		{"large rows", largeRows},
	} {
		t.Run(story.name, func(t *testing.T) { story.play(t, c.anew(t)) })
	}
}
