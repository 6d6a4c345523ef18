// boot.js is the engine's own JavaScript: it finds main, calls it, and decides
// what the first result is (D16). It runs in the template heap, so everything it
// takes from the globals is taken before any user code exists.
(function (native, hooks) {
  'use strict';
  // QuickJS grows a growable SharedArrayBuffer over memory that is not its own,
  // which user code could then read and write. There are no threads to share with.
  delete globalThis.SharedArrayBuffer;
  const { stringify } = JSON;
  const { apply, ownKeys, defineProperty, getOwnPropertyDescriptor: ownDescriptor } = Reflect;
  const { then } = Promise.prototype;
  const { toString: functionText } = Function.prototype;
  const { startsWith } = String.prototype;
  const PlainPromise = Promise, PlainTypeError = TypeError, PlainInternalError = InternalError, PlainError = Error, PlainString = String;
  const { settle: nativeSettle, uncaught } = native;

  let settled = false; // the first callback, return or throw decided the result
  // pending: main returned a promise that is not settled; empty: it gave undefined.
  const state = { __proto__: null, pending: false, empty: false };

  function succeed(data) {
    if (settled) return;
    settled = true;
    let text;
    try {
      const kind = typeof data;
      if (kind === 'function' || kind === 'symbol') throw new PlainTypeError('a ' + kind + ' is not a value');
      text = stringify(data);
    } catch (error) {
      nativeSettle(false, unserialisable(error));
      return;
    }
    nativeSettle(true, text === undefined ? 'null' : text);
  }

  // Only the engine throws null and InternalErrors: it is out of memory, and the run's error says so.
  function unserialisable(error) {
    if (error === null || error instanceof PlainInternalError) return error;
    let cause = 'it threw';
    try { cause = PlainString(error !== null && typeof error === 'object' && 'message' in error ? error.message : error); } catch {}
    const result = new PlainTypeError('the result of main cannot be turned into JSON: ' + cause);
    try { result.stack = PlainString(error.stack); } catch {}
    return result;
  }

  function fail(error) {
    if (settled) return false;
    settled = true;
    nativeSettle(false, error);
    return true;
  }

  function callback(error, data) {
    if (error === undefined || error === null || error === false || error === '' || error === 0) succeed(data);
    else fail(error);
  }

  // A plain function's return value is ignored; a promise is the asynchronous
  // form. A promise of undefined leaves the word to the callback.
  function follow(result) {
    if (result === null || typeof result !== 'object' || typeof result.then !== 'function') return;
    state.pending = true;
    const promise = result instanceof PlainPromise ? result : new PlainPromise((resolve) => resolve(result));
    apply(then, promise, [
      (data) => { if (data !== undefined) succeed(data); else { state.pending = false; state.empty = true; } },
      (error) => { if (!fail(error)) uncaught(error); },
    ]);
  }

  // pickMain finds what is called (F1): main of what is exported, also a static
  // one; else an exported function; else main of an instance of an exported
  // class; else the same of exports.default.
  const advice = '; write exports.main = async (event) => { ... }';
  const isClass = (f) => apply(startsWith, apply(functionText, f, []), ['class']) || typeof f.prototype?.main === 'function';
  const picked = (main, owner) => ({ __proto__: null, main, owner });
  function pick(exports) {
    const kind = typeof exports;
    if (exports === null || (kind !== 'function' && kind !== 'object')) return undefined;
    if (typeof exports.main === 'function') return picked(exports.main, exports);
    if (kind !== 'function') return undefined;
    if (!isClass(exports)) return picked(exports, undefined);
    if (typeof exports.prototype?.main !== 'function') return undefined;
    const owner = new exports();
    return picked(owner.main, owner);
  }
  // named calls a main without a name what V8 calls it in stacks.
  function named(picked, exports) {
    const { main, owner } = picked;
    if (ownDescriptor(main, 'name')?.value === '') {
      const value = main === exports ? 'module.exports' : owner === exports ? 'exports.main' : owner === undefined ? 'exports.default' : 'main';
      defineProperty(main, 'name', { __proto__: null, value, configurable: true });
    }
    return picked;
  }

  function pickMain(exports) {
    const main = pick(exports) ?? pick(exports?.default);
    if (main !== undefined) return main;
    const name = typeof exports === 'function' ? 'module.exports' : typeof exports?.default === 'function' ? 'exports.default' : undefined;
    throw new PlainTypeError((name === undefined ? 'the code exports no function main' : name + ' is a class without main') + advice);
  }

  return {
    __proto__: null,
    // start calls main; a throw is the first result unless there was one.
    start(exports, event) {
      try {
        const picked = named(pickMain(exports), exports);
        follow(apply(picked.main, picked.owner, [event, callback]));
      } catch (error) {
        if (!fail(error)) uncaught(error);
      }
    },
    fail,
    state,
    // wrap runs CommonJS code, compiled as a function, and returns its exports.
    wrap(body, file) {
      const { require } = hooks, filename = '/' + file;
      const module = { id: '.', path: '/', exports: {}, filename, loaded: false, children: [], paths: ['/node_modules'], parent: null, require };
      require.main = module;
      apply(body, module.exports, [module.exports, require, module, filename, '/']);
      module.loaded = true;
      return module.exports;
    },
    keysOf: (exports) => stringify(exports !== null && (typeof exports === 'object' || typeof exports === 'function')
      ? ownKeys(exports).filter((key) => typeof key === 'string' && key !== 'default') : []),
  };
})
