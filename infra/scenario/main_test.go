package scenario_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// TestMain checks, after all stories and routes, that every operation of the API description had a success: the
// description of any other operation is untested.
//
// Stories mostly wait for programs and clocks, so more of them run in parallel than there are processors.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		flag.Set("test.parallel", "6")
	}
	code := m.Run()
	if answers, err := description(); err == nil && code == 0 && flag.Lookup("test.run").Value.String() == "" {
		for _, operation := range answers.Unseen() {
			fmt.Fprintf(os.Stderr, "no answer to %s was held against its description\n", operation)
			code = 1
		}
	}
	os.Exit(code)
}
