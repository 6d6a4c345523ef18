package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"minicloud/infra/lab/bench/measure"
)

// elsewhere runs the same function in node, a process per run, and in workerd,
// an isolate per request, and prints how many times slower they are.
func elsewhere(ctx context.Context, r measure.Report, dir string, fresh time.Duration) error {
	ratio := func(name string, s measure.Series) {
		r.Row(
			name, fmt.Sprintf("%.2f ms", measure.MS(s.Median())), "",
			fmt.Sprintf("%.0f × a fresh run here", float64(s.Median())/float64(fresh)),
		)
	}
	if node, err := exec.LookPath("node"); err != nil {
		r.Row("node -e per run", "skipped", "", "node is not installed")
	} else {
		code := "const exports = {}; " + trivial + "; exports.main(" + eventJSON() +
			").then((r) => process.stdout.write(JSON.stringify(r)))"
		times, err := measure.Times(2, 15, func() error { return exec.CommandContext(ctx, node, "-e", code).Run() })
		if err != nil {
			return fmt.Errorf("node: %w", err)
		}
		ratio("node -e per run", times)
	}

	bin := workerd()
	if bin == "" {
		r.Row(
			"workerd, fresh isolate per request", "skipped", "",
			"npm install --prefix .local/workerd workerd, or set WORKERD_BIN",
		)
		return nil
	}

	times, warm, err := inWorkerd(ctx, bin, dir)
	if err != nil {
		return fmt.Errorf("workerd: %w", err)
	}

	ratio("workerd, fresh isolate per request", times)
	ratio("workerd, one isolate for all requests", warm)

	return nil
}

func workerd() string {
	if bin := os.Getenv("WORKERD_BIN"); bin != "" {
		return bin
	}
	bin := ".local/workerd/node_modules/workerd/bin/workerd"
	if _, err := os.Stat(bin); err != nil {
		return ""
	}
	return bin
}

// isolates is how many workers the configuration has: each serves its first
// request in a fresh isolate.
const isolates = 60

// inWorkerd starts workerd with many workers of the same function, times the
// first request of each, and then requests to one that is warm.
func inWorkerd(ctx context.Context, bin, dir string) (fresh, warm measure.Series, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}

	address := free.Addr().String()
	free.Close()
	config := filepath.Join(dir, "workerd.capnp")
	if err := os.WriteFile(config, []byte(workerdConfig(address)), 0o600); err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "router.js"), []byte(router()), 0o600); err != nil {
		return nil, nil, err
	}

	command := exec.CommandContext(ctx, bin, "serve", "--experimental", config)
	if err := command.Start(); err != nil {
		return nil, nil, err
	}
	defer func() {
		command.Process.Kill()
		command.Wait()
	}()
	ask := func(i int) error {
		response, err := http.Post(
			fmt.Sprintf("http://%s/%d", address, i), "application/json", strings.NewReader(eventJSON()),
		)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err == nil && string(body) != `{"sum":21}` {
			err = fmt.Errorf("answered %s", body)
		}

		return err
	}
	for try := 0; ask(0) != nil; try++ {
		if try == 100 {
			return nil, nil, fmt.Errorf("does not answer on %s", address)
		}
		time.Sleep(50 * time.Millisecond)
	}

	next := 0
	fresh, err = measure.Times(1, isolates-2, func() error { next++; return ask(next) })
	if err != nil {
		return nil, nil, err
	}

	warm, err = measure.Times(20, 300, func() error { return ask(0) })

	return fresh, warm, err
}

// workerdConfig serves router.js, beside it, on the address.
func workerdConfig(address string) string {
	return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .router)],
  sockets = [(name = "http", address = "` + address + `", http = (), service = "main")],
);
const router :Workerd.Worker = (
  compatibilityDate = "2025-01-01",
  compatibilityFlags = ["experimental"],
  modules = [(name = "router.js", esModule = embed "router.js")],
  bindings = [(name = "LOADER", workerLoader = (id = "loader"))],
);
`
}

// router hands request /i to worker i through the loader of dynamic workers,
// which makes a fresh isolate for every new name.
func router() string {
	worker, err := json.Marshal("const exports = {}; " + trivial +
		"; export default { async fetch(request) { return Response.json(await exports.main(await request.json())) } }")
	if err != nil {
		panic(err) // texts marshal
	}
	return `const code = ` + string(worker) + `;
export default { async fetch(request, env) {
  const worker = env.LOADER.get(new URL(request.url).pathname, async () => ({
    compatibilityDate: '2025-01-01', mainModule: 'main.js', modules: { 'main.js': code },
  }));
  return worker.getEntrypoint().fetch(request);
} };
`
}
