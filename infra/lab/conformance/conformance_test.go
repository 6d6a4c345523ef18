package conformance_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"minicloud/infra/lab/conformance"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/dynamotest"
)

var (
	jars = flag.String("dynamodb-local", "", "folder of DynamoDB Local, which `make conformance` downloads")
	moto = flag.String("moto", "", "path of moto_server, which `make conformance` installs")
	list = flag.Bool("list", false, "print explained differences, too")
	play = flag.Bool("scenarios", false, "play infra/scenario on DynamoDB Local")
)

// TestOurs plays the corpus on what the local cloud and the simulation have of DynamoDB and SQS.
func TestOurs(t *testing.T) {
	server := dynamotest.Serve(t, filepath.Join(t.TempDir(), "ddb.db"))
	proxy, err := ddb.NewProxy(server, ddb.ProxyConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)

	try(t, conformance.Engine(proxy.URL))
	try(t, conformance.Memory())
	try(t, conformance.Queues())
}

// TestTheirs plays the corpus on other implementations.
func TestTheirs(t *testing.T) {
	if *jars == "" && *moto == "" {
		t.Skip("make conformance plays it")
	}
	if *jars != "" {
		try(t, conformance.DynamoDBLocal(dynamoDBLocal(t)))
	}
	if *moto != "" {
		try(t, conformance.Moto(motoServer(t)))
	}
}

// try plays the corpus on one implementation. An unexplained difference is an error, and so is an explanation that
// nothing needs.
func try(t *testing.T, on conformance.Implementation) {
	t.Helper()
	corpus, err := conformance.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	report, err := corpus.Play(t.Context(), on)
	if err != nil {
		t.Fatal(err)
	}

	for _, d := range report.Differences {
		switch {
		case d.Why == "":
			t.Errorf("%s\n    unexplained: mend it, or explain it in the step's \"why\"", d)
		case *list:
			t.Log(d)
		}
	}
	for _, stale := range report.Stale {
		t.Error(stale)
	}
	t.Logf("%s: %d calls, %d of them answered unlike AWS", on.Name, report.Steps, len(report.Differences))
}

// TestScenarios plays the tests of infra/scenario, each on a DynamoDB Local of its own: the clouds of one test process
// would share their tables.
func TestScenarios(t *testing.T) {
	if !*play {
		t.Skip("make scenarios ENGINE=dynamodb-local plays them")
	}
	// With -run, its TestMain does not ask for what all tests together must have tried.
	found, err := exec.CommandContext(
		t.Context(), "go", "test", "-list", "Test", "-run", "^$", "minicloud/infra/scenario",
	).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, found)
	}
	for _, name := range strings.Fields(string(found)) {
		if !strings.HasPrefix(name, "Test") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^"+name+"$", "minicloud/infra/scenario")
			cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL_DYNAMODB="+dynamoDBLocal(t))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
