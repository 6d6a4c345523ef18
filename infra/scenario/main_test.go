package scenario_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain looks, when all stories and all routes were played, whether the description of the API was tried as a whole:
// an operation whose success nothing has shown could say anything.
func TestMain(m *testing.M) {
	code := m.Run()
	if answers, err := description(); err == nil && code == 0 && flag.Lookup("test.run").Value.String() == "" {
		for _, operation := range answers.Unseen() {
			fmt.Fprintf(os.Stderr, "no answer to %s was held against its description\n", operation)
			code = 1
		}
	}
	os.Exit(code)
}
