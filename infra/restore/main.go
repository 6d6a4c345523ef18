// Command restore writes the templates with which a stack adopts tables that were restored under new names:
//
//	go run ./infra/restore stack.json RowsTable.json …
//
// stack.json is the stack's template after the transform (aws cloudformation get-template --template-stage Processed).
// Each further file is the answer of aws dynamodb describe-table for a restored table, named by the logical id of the
// table that it replaces. The files are written beside stack.json:
//
//	detached.json     the stack without these tables; what used them names the restored ones
//	attached.json     the same, with the restored tables
//	import.json       which tables an import adds: --resources-to-import
//	parameters.json   every parameter with its present value: --parameters
//
// operations.md has the steps.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "restore:", err)
		os.Exit(1)
	}
}

func run(files []string, out io.Writer) error {
	if len(files) < 2 {
		return errors.New("usage: go run ./infra/restore stack.json RowsTable.json …")
	}
	var stack object
	if err := read(files[0], &stack); err != nil {
		return err
	}
	tables := map[string]Table{}
	for _, name := range files[1:] {
		var described struct{ Table Table }
		if err := read(name, &described); err != nil {
			return err
		}
		tables[strings.TrimSuffix(filepath.Base(name), ".json")] = described.Table
	}

	adopted, err := Adopt(stack, tables)
	if err != nil {
		return err
	}
	folder := filepath.Dir(files[0])
	for name, content := range map[string]any{
		"detached.json": adopted.Detached, "attached.json": adopted.Attached,
		"import.json": adopted.Import, "parameters.json": adopted.Parameters,
	} {
		if err := write(filepath.Join(folder, name), content); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%d tables: wrote detached.json, attached.json, import.json and parameters.json to %s\n",
		len(tables), folder)
	return err
}

func read(name string, to any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // numbers stay as they are written
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func write(name string, content any) error {
	text, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}
