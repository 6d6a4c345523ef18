// Package planted has mistakes for the simulation to find: small patches of the platform's source, grouped by the
// promise that they break. The patched source is compiled with go build -overlay, so that no mistake stands in the platform and
// no test hook either. All patches are in one build; PLANTED in a patch reports whether its mistake is the chosen one.
//
//	bug a run is stored without a condition
//	play files messages rows                    what the simulation plays to find it
//	file shared/dynamo/triggerdb/runs.go
//	in func (s *Runs) put(                      the line below is looked for behind this text
//	before _, err := s.Client.PutItem(          or after, or replace: the beginning of a line
//		if PLANTED {
//			…
//		}
package planted

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed *.txt
var texts embed.FS

// Bug is a planted mistake.
type Bug struct {
	Name    string // what the platform does wrong
	Promise string // that it breaks
	Play    string // words: the sources that it is looked for with, a type of actions, "flows", "unkind"
	changes []change
}

// change is one place of a patch.
type change struct {
	file, in, how, line string
	code                []string
}

// Bugs are all mistakes.
func Bugs() (all []Bug, err error) {
	names, err := fs.Glob(texts, "*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := texts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		promise := strings.ReplaceAll(strings.TrimSuffix(name, ".txt"), "-", " ")
		for i, line := range strings.Split(string(text), "\n") {
			if all, err = read(all, promise, line); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
		}
	}
	return all, nil
}

// read reads one line of a patch. A file and a text stay for the changes behind them.
func read(all []Bug, promise, line string) ([]Bug, error) {
	word, rest, _ := strings.Cut(line, " ")
	if word == "bug" {
		return append(all, Bug{Name: rest, Promise: promise}), nil
	}
	if line == "" || strings.HasPrefix(line, "#") {
		return all, nil
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%q is of no bug", line)
	}

	b := &all[len(all)-1]
	if word == "play" {
		b.Play = rest
		return all, nil
	}
	if word == "file" || len(b.changes) == 0 {
		b.changes = append(b.changes, change{file: rest})
		return all, nil
	}
	last := &b.changes[len(b.changes)-1]
	switch {
	case strings.HasPrefix(line, "\t"):
		last.code = append(last.code, strings.ReplaceAll(line, "PLANTED", fmt.Sprintf("planted.Is(%q)", b.Name)))
	case word == "in" && last.how == "":
		last.in = rest
	case word == "in":
		b.changes = append(b.changes, change{file: last.file, in: rest})
	case word == "before" || word == "after" || word == "replace":
		if last.how != "" {
			b.changes = append(b.changes, change{file: last.file, in: last.in})
			last = &b.changes[len(b.changes)-1]
		}
		last.how, last.line = word, rest
	default:
		return nil, fmt.Errorf("%q is no line of a patch", line)
	}
	return all, nil
}

// source is the package that the patches ask.
const source = `package planted

import (
	"fmt"
	"os"
	"sync/atomic"
)

func Is(name string) bool { return os.Getenv("PLANTED") == name }

var n atomic.Int64

func Number() string { return fmt.Sprint(" ", n.Add(1)) }
`

// Patch returns the patched files of the source below root, by their paths.
func Patch(root string) (map[string]string, error) {
	bugs, err := Bugs()
	if err != nil {
		return nil, err
	}
	files, failures := map[string]string{}, []error(nil)
	for _, b := range bugs {
		for _, c := range b.changes {
			if files[c.file] == "" {
				text, err := os.ReadFile(filepath.Join(root, c.file))
				if err != nil {
					return nil, err
				}
				name, rest, _ := strings.Cut("\n"+string(text), "\npackage ")
				line, rest, _ := strings.Cut(rest, "\n")
				files[c.file] = name + "\npackage " + line + "\n\nimport \"minicloud/shared/planted\"\n" + rest
			}
			changed, err := c.apply(files[c.file])
			if err != nil {
				failures = append(failures, fmt.Errorf("%s: %s: %w", b.Name, c.file, err))
				continue
			}
			files[c.file] = changed
		}
	}
	files["shared/planted/planted.go"] = source
	return files, errors.Join(failures...)
}

// apply changes the one place that the change is for.
func (c change) apply(text string) (string, error) {
	from := strings.Index(text, c.in)
	if from < 0 {
		return "", fmt.Errorf("there is no %q", c.in)
	}
	head, lines := text[:from], strings.SplitAfter(text[from:], "\n")
	for i, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), c.line) {
			continue
		}
		code, rest := strings.Join(c.code, "\n")+"\n", i+1
		switch c.how {
		case "before":
			code += line
		case "after":
			code = line + code
		}
		return head + strings.Join(lines[:i], "") + code + strings.Join(lines[rest:], ""), nil
	}
	return "", fmt.Errorf("there is no line %q behind %q", c.line, c.in)
}

// Overlay writes the patched files of the source below root to a directory, and returns the path of the overlay for go
// build.
func Overlay(root, dir string) (string, error) {
	files, err := Patch(root)
	if err != nil {
		return "", err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range files {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		overlay.Replace[filepath.Join(root, name)] = to
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}
