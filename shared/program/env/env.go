// Package env reads a program's configuration from environment variables and reports all missing or malformed ones
// together.
//
//	var r env.Reader
//	cfg := config{Jobs: r.String("JOBS_TABLE"), Seconds: r.Int("ACCESS_TOKEN_SECONDS", 31535999)}
//	if err := r.Err(); err != nil { … }
package env

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
)

// Reader reads variables and collects problems. The zero value reads the process environment.
type Reader struct {
	// Lookup replaces os.LookupEnv in tests.
	Lookup func(name string) (string, bool)

	problems []error
}

func (r *Reader) lookup(name string) (string, bool) {
	if r.Lookup != nil {
		return r.Lookup(name)
	}
	return os.LookupEnv(name)
}

// String returns the required variable name.
func (r *Reader) String(name string) string {
	v, _ := r.lookup(name)
	if v == "" {
		r.problem("%s is not set", name)
	}
	return v
}

// Default returns the variable name, or value if it is not set.
func (r *Reader) Default(name, value string) string {
	if v, _ := r.lookup(name); v != "" {
		return v
	}
	return value
}

// Int returns the variable name as an integer, or value if it is not set.
func (r *Reader) Int(name string, value int) int {
	v, _ := r.lookup(name)
	if v == "" {
		return value
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		r.problem("%s is %q, want an integer", name, v)
	}
	return n
}

// problem adds a problem unless it is already listed: several stores may read the same variable.
func (r *Reader) problem(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(r.problems, func(p error) bool { return p.Error() == text }) {
		r.problems = append(r.problems, errors.New(text))
	}
}

// Err returns all missing or malformed variables as one error, nil if there are none.
func (r *Reader) Err() error { return errors.Join(r.problems...) }
