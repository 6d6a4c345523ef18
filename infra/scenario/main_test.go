package scenario_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// TestMain looks, when all stories and all routes were played, whether the description of the API was tried as a whole:
// an operation whose success nothing has shown could say anything.
//
// Stories mostly wait for programs and clocks: more of them than there are processors are played side by side.
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
