package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"minicloud/shared/runtime/engine/compile"
	"minicloud/shared/runtime/engine/realm"
)

// cacheBytes bounds the bytecode kept for functions.
const cacheBytes = 16 << 20

// bytecodeCache keeps programs by digest and file. A full one is emptied: a sandbox has few functions, of one tenant.
type bytecodeCache struct {
	programs map[string]compile.Program
	bytes    int
}

func (c *bytecodeCache) put(key string, p compile.Program) {
	if c.bytes += len(p.Bytecode); c.programs == nil || c.bytes > cacheBytes {
		c.programs, c.bytes = map[string]compile.Program{}, len(p.Bytecode)
	}
	c.programs[key] = p
}

// fileName is the name of the function's file in stacks.
func fileName(function string) string { return function + ".js" }

// program returns the compiled code of the job, from the cache when it can, or
// why it does not compile.
func (e *QuickJS) program(job Job) (compile.Program, *compile.Problem) {
	key := job.Digest + "/" + job.Function
	if p, ok := e.cache.programs[key]; ok {
		return p, nil
	}

	source, err := job.Source()
	if err != nil {
		return compile.Program{}, compile.Failed("Error", err.Error())
	}
	// The digest is the key of the cache: code that differs from it would stay there for later runs.
	if sum := sha256.Sum256(source); job.Digest != hex.EncodeToString(sum[:]) {
		return compile.Program{}, compile.Failed("Error", "the code does not have the digest it was sent with")
	}

	p, failure := compile.Function(&e.Realm, fileName(job.Function), string(source), e.stopped)
	if failure == nil {
		e.cache.put(key, p)
	}

	return p, failure
}

// loadPart evaluates a lazy part of the prelude and returns its factory.
func (e *QuickJS) loadPart(name string) (realm.Value, error) {
	source, known := e.options.Module(name)
	if !known {
		return realm.Undefined, fmt.Errorf("no part %q", name)
	}

	code, err := e.compiler.script("prelude:"+name, source)
	if err != nil {
		return realm.Undefined, err
	}

	// Bytecode, because compiling here would count as memory of the run.
	part := compile.Read(&e.Realm, code)
	if realm.IsException(part) {
		return realm.Undefined, realm.ErrThrown
	}

	factory := realm.Value(e.VM.Evaluate(uint64(part)))
	if realm.IsException(factory) {
		return realm.Undefined, realm.ErrThrown
	}

	return factory, nil
}
