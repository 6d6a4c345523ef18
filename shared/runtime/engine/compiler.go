package engine

import (
	"errors"
	"fmt"

	"minicloud/shared/runtime/engine/compile"
)

// compilerBytes is the heap that compiling the largest part of the prelude fits into many times.
const compilerBytes = 64 << 20

// compiler turns the prelude's sources into bytecode in a heap of its own. What
// compiling leaves behind (free blocks between the functions that stay) would
// otherwise lie in the template, which every run copies, or count as memory of
// the function that uses a part first.
type compiler struct {
	world
	parts map[string][]byte // bytecode by file
}

func newCompiler() (*compiler, error) {
	c := &compiler{parts: map[string][]byte{}}
	c.Prepare()
	if err := c.Open(doors{&c.world}, compilerBytes); err != nil {
		return nil, errors.Join(err, c.Close())
	}

	return c, nil
}

// script returns the bytecode of one of our scripts, compiled once.
func (c *compiler) script(file, source string) ([]byte, error) {
	if code, ok := c.parts[file]; ok {
		return code, nil
	}

	bytecode, failure := compile.Script(&c.Realm, file, source)
	if failure != nil {
		return nil, fmt.Errorf("engine: compile %s:%d: %s", file, failure.Line, failure.Message)
	}
	c.parts[file] = bytecode

	return bytecode, nil
}
