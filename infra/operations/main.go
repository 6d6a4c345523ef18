// Command operations compares the AWS calls that each linked program can make with the calls that the policy of its
// role allows, in both directions:
//
//	go run ./infra/operations FOLDER    FOLDER/<program or function>/bootstrap, as make build and sam build leave them
//
// The linker drops unreachable methods, so a program's table of function names says which operations the program can
// call. The command prints program → operations, and exits with an error if a policy allows more or less.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"minicloud/infra/local/template"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "operations:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("name the folder of the built programs")
	}
	t, err := template.ReadFile("template.yaml", template.Options{})
	if err != nil {
		return err
	}

	var problems []string
	seen := map[string]bool{}
	for _, f := range t.Functions {
		can, err := ofProgram(args[0], f)
		if err != nil {
			return err
		}
		if problems = append(problems, compare(f, can)...); !seen[f.Program] {
			fmt.Printf("%-16s %s\n", f.Program, strings.Join(can, " "))
		}
		seen[f.Program] = true
	}
	if problems != nil {
		return errors.New(strings.Join(problems, "\n"))
	}
	return nil
}

// ofProgram returns the actions that the function's program can do.
func ofProgram(folder string, f *template.Function) ([]string, error) {
	var failed error
	// sam names the folders after the function, make build after the program.
	for _, name := range []string{f.Program, f.ID} {
		names, err := functionNames(filepath.Join(folder, name, "bootstrap"))
		if err == nil {
			return actions(names)
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}
