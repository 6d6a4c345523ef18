package sandbox

import (
	"fmt"
	"time"

	"minicloud/infra/lab/bench/measure"
	"minicloud/shared/sandbox/process"
)

// asked are the modules whose first use is measured: the largest, and some that many packages ask for.
var asked = []string{"path", "util", "crypto", "stream", "zlib", "fs", "http"}

// modules measures what a module costs the run that requires it, beyond a run that requires none: the first time in a
// process, which compiles it, and after that, from its bytecode.
func modules(r measure.Report, fresh time.Duration) error {
	for _, name := range asked {
		e, err := process.NewEngine(128 << 20)
		if err != nil {
			return err
		}

		j := job(fmt.Sprintf(`const m = require(%q); exports.main = async () => typeof m`, name))
		once := func() error {
			report := e.Run(j, quiet{})
			e.Reset()
			if report.Error != nil {
				return fmt.Errorf("%s: %s", name, report.Error.Message)
			}
			return nil
		}

		first, err := measure.Times(0, 1, once)
		if err != nil {
			return err
		}
		later, err := measure.Times(10, 200, once)
		if err != nil {
			return err
		}
		if err := e.Close(); err != nil {
			return err
		}

		r.Row("require of "+name, fmt.Sprintf("%d µs", (later.Median()-fresh).Microseconds()), "",
			fmt.Sprintf("%.1f ms the first time in a process", measure.MS(first.Median()-fresh)))
	}

	return nil
}
