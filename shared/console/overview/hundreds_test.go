package overview_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console/overview"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/id"
	"minicloud/shared/message/messaging"
	"minicloud/shared/table"
	tablemanage "minicloud/shared/table/manage"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

const hundreds = 200

// TestHundredsOfEverything: the overview and the names of 200 functions of 20 KB, 200 tables and 200 triggers are
// complete, and no code is read.
func TestHundredsOfEverything(t *testing.T) {
	client := dynamotest.Start(t, "FunctionsTable", "TablesTable", "TriggersTable", "TriggerLogTable", "JobsTable",
		"CountsTable", "SettingsTable")
	var used dynamotest.Cost
	s := onDynamo(t, dynamotest.Metered(client, &used))
	fill(t, onDynamo(t, client))

	began := time.Now()
	names, err := s.Names(t.Context(), scope, "")
	t.Logf("names: %d calls, %.1f read units, %v", used.Calls, used.Units, time.Since(began))
	if err != nil || len(names.Functions) != hundreds || len(names.Tables) != hundreds+1 ||
		len(names.Triggers) != hundreds || names.More {
		t.Fatalf("%v: %d functions, %d tables, %d triggers", err, len(names.Functions), len(names.Tables), len(names.Triggers))
	}
	if used.Units > hundreds/2 || used.Calls > 6 {
		t.Errorf("names cost %.1f units in %d calls", used.Units, used.Calls)
	}
	names, err = s.Names(t.Context(), scope, "THING-19")
	if err != nil || len(names.Functions) != 11 || len(names.Tables) != 11 || len(names.Triggers) != 11 {
		t.Errorf("by a part: %+v, %v", names, err)
	}

	used, began = dynamotest.Cost{}, time.Now()
	o, err := s.Read(t.Context(), scope, 24)
	t.Logf("overview: %d calls, %.1f read units, %v", used.Calls, used.Units, time.Since(began))
	if err != nil || o.Sampled || o.Evaluated.Of != hundreds || o.Evaluated.Triggers != hundreds {
		t.Errorf("%v: %d of %d triggers trace, sampled %t", err, o.Evaluated.Triggers, o.Evaluated.Of, o.Sampled)
	}
	// Each function costs two or three queries, each trigger two; the rest are a few queries for all.
	if used.Calls > 5*hundreds+10 || used.Units > 5*hundreds+150 {
		t.Errorf("an overview costs %.1f units in %d calls", used.Units, used.Calls)
	}
}

// fill creates hundreds of functions, tables and triggers, each trigger with its own table.
func fill(t *testing.T, s *overview.Service) {
	t.Helper()
	code := strings.Repeat("// a comment in each line\n", 20<<10/26)
	for i := range hundreds {
		name := fmt.Sprintf("Thing-%d", i)
		_, err := s.Functions.Create(t.Context(), scope, "Ada", cloudfunction.New{Name: name, Code: code + name})
		if err != nil {
			t.Fatal(err)
		}
		made, err := s.Triggers.Tables.Create(t.Context(), scope, table.Definition{Name: &name})
		if err != nil {
			t.Fatal(err)
		}

		err = s.Triggers.Store.Insert(t.Context(), scope, trigger.Trigger{
			ID: trigger.ID(made.ID), Name: name, Enabled: true, Type: trigger.TypeTable, Revision: 1,
			Condition:  &trigger.TableCondition{Table: trigger.TableRef(made.ID.String()), Event: trigger.Create},
			Tables:     map[string]table.ID{made.ID.String(): made.ID},
			Actions:    []trigger.Action{{ID: 1, Type: trigger.Webhook, Settings: &trigger.WebhookSettings{}}},
			TraceUntil: trigger.TraceAlways,
		}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func onDynamo(t *testing.T, client *dynamodb.Client) *overview.Service {
	t.Helper()
	ids, noon := new(id.Source), clock.Fixed(now)
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	runs := &rundb.Runs{Client: client, Table: "TriggerLogTable"}
	return &overview.Service{
		Functions: &cloudfunction.Service{
			Store: &functiondb.Functions{Client: client, Table: "FunctionsTable"}, IDs: ids, Clock: clock.System,
		},
		Jobs: &jobdb.Store{
			Client: client, Table: "JobsTable", Counts: &countdb.Store{Client: client, Table: "CountsTable", Clock: noon},
		},
		Triggers: &manage.Service{
			Store:  &triggerdb.Triggers{Client: client, Table: "TriggersTable", Listeners: schemas, Clock: noon},
			Tables: &tablemanage.Service{Schemas: schemas, Clock: clock.System, IDs: ids},
		},
		Runs: runs, Seen: runs, Clock: noon, Letters: letters{}, Log: slog.New(slog.DiscardHandler),
		Settings: &messaging.Settings{
			MailStore: &settingdb.Messages[messaging.Mail]{Client: client, Table: "SettingsTable", Kind: "mail"},
			SMSStore:  &settingdb.Messages[messaging.SMS]{Client: client, Table: "SettingsTable", Kind: "sms"},
			Clock:     noon, VendorStores: settingdb.Vendors(client, "SettingsTable"),
		},
	}
}
