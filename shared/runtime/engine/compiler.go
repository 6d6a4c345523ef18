package engine

import (
	"errors"
	"fmt"

	"minicloud/shared/runtime/engine/compile"
)

// compilerBytes is the size of the compiler's heap; even the largest part of the prelude needs only a fraction.
const compilerBytes = 64 << 20

// compiler compiles the prelude's sources to bytecode in a heap of its own. Compiling fragments the heap with free
// blocks; they would otherwise be part of the template, which every run copies, or count as memory of the function
// that first uses a part.
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

// script returns the bytecode of a script of the platform and compiles it only once.
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
