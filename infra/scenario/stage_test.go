package scenario_test

import (
	"testing"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
)

// stage is a local cloud and the application of a test in it.
type stage struct {
	*cloud.Cloud
	Credentials cloud.Credentials
}

// start returns a cloud of the test's own, with the demo application.
func start(t *testing.T, changes ...func(*cloud.Config)) stage {
	t.Helper()
	c := cloudtest.Start(t, changes...)
	return stage{c, c.Credentials}
}

// anew returns the cloud with a new application.
func (s stage) anew(t *testing.T) stage {
	t.Helper()
	made, err := demo.Seed{
		Client: database(s), ApplicationsTable: tableName(t, s, "ApplicationsTable"), Clock: clock.System, Name: t.Name(),
	}.Plant(t.Context(), demo.Credentials{})
	if err != nil {
		t.Fatal(err)
	}

	s.Credentials.ClientID, s.Credentials.ClientSecret = made.ClientID, made.ClientSecret
	s.Credentials.Miniapp, s.Credentials.Environments = int64(made.Miniapp), map[string]string{}
	for name, env := range made.Environments {
		s.Credentials.Environments[name] = string(env)
	}
	return s
}

// owner returns a caller with a token of the application.
func (s stage) owner(t *testing.T) caller {
	t.Helper()
	return client(t, s.URL, s.Credentials.ClientID, s.Credentials.ClientSecret)
}

// TestStoriesInOneCloud plays what the real programs do together, each story in an application of its own. A cloud for
// each would cost a second of processor time, and every program its start.
func TestStoriesInOneCloud(t *testing.T) {
	t.Parallel()
	c := start(t, func(cfg *cloud.Config) {
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // receivers and vendors are on loopback
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
		{"dead letters", deadLetters}, // behind the payment, which leaves none
		{"large queries", largeQueries},
		{"large results", largeResults},
		{"large functions", largeFunctions},
		{"large rows", largeRows},
	} {
		t.Run(story.name, func(t *testing.T) { story.play(t, c.anew(t)) })
	}
}
