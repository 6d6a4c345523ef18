package conformance_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"minicloud/infra/local/child"
	"minicloud/infra/local/template"
)

// dynamoDBLocal starts a DynamoDB Local that ends with the test, and returns its URL.
func dynamoDBLocal(t *testing.T) string {
	return serve(t, func(port string) *exec.Cmd {
		// Without -sharedDb each access key would have tables of its own, and the programs have one each.
		return exec.Command("java", "-Xmx1g", "-Djava.library.path="+*jars, "-cp", filepath.Join(*jars, "*"),
			"com.amazonaws.services.dynamodbv2.local.main.ServerRunner", "-inMemory", "-sharedDb", "-disableTelemetry",
			"-port", port)
	})
}

// motoServer starts a moto server that ends with the test, and returns its URL.
func motoServer(t *testing.T) string {
	return serve(t, func(port string) *exec.Cmd {
		cmd := exec.Command(*moto, "-H", "127.0.0.1", "-p", port)
		cmd.Env = append(os.Environ(), "MOTO_ACCOUNT_ID="+template.Account)
		return cmd
	})
}

// serve starts a server on a free port and waits until it answers.
func serve(t *testing.T, command func(port string) *exec.Cmd) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	_, port, _ := net.SplitHostPort(address) // an address of ours

	cmd := command(port)
	cmd.Dir = t.TempDir()
	process, err := child.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Stop(5 * time.Second) })
	for {
		resp, err := http.Get("http://" + address)
		if err == nil {
			resp.Body.Close()
			return "http://" + address
		}
		select {
		case <-process.Done():
			t.Fatalf("%s: %s", cmd, process.ExitText())
		case <-t.Context().Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
