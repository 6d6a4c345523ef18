package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"minicloud/shared/runtime/engine/compile"
	"minicloud/shared/runtime/engine/realm"
)

// cacheBytes limits the bytecode that is cached for functions, by digest and file.
const cacheBytes = 16 << 20

// fileName returns the file name of the function in stacks.
func fileName(function string) string { return function + ".js" }

// program returns the compiled code of the job, from the cache if possible, or the reason why it does not compile.
func (e *Engine) program(job Job) (compile.Program, *compile.Problem) {
	key := job.Digest + "/" + job.Function
	if p, ok := e.cache.Get(key); ok {
		return p, nil
	}

	source, err := job.Source()
	if err != nil {
		return compile.Program{}, compile.Failed("Error", err.Error())
	}
	// Verify the digest, which is the cache key: wrong code would be cached for later runs.
	if sum := sha256.Sum256(source); job.Digest != hex.EncodeToString(sum[:]) {
		return compile.Program{}, compile.Failed("Error", "the code does not have the digest it was sent with")
	}

	p, failure := compile.Function(&e.Realm, fileName(job.Function), string(source), e.stopped)
	if failure == nil {
		e.cache.PutSized(key, p, len(p.Bytecode), cacheBytes)
	}

	return p, failure
}

// loadPart evaluates a lazily loaded part of the prelude and returns its factory.
func (e *Engine) loadPart(name string) (realm.Value, error) {
	source, known := e.options.Module(name)
	if !known {
		return realm.Undefined, fmt.Errorf("no part %q", name)
	}

	code, err := e.compiler.script("prelude:"+name, source)
	if err != nil {
		return realm.Undefined, err
	}

	// Load bytecode: compiling here would count as memory of the run.
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
