// The assert module of Node.
(function (host, load) {
  "use strict";
  const { equal } = load("deep_equal");
  const { inspect } = load("inspect");

  class AssertionError extends Error {
    constructor(options) {
      const generated = options.message === undefined;
      super(generated ? load("assert_message").describe(options) : String(options.message));
      this.name = "AssertionError";
      this.code = "ERR_ASSERTION";
      this.generatedMessage = generated;
      this.actual = options.actual;
      this.expected = options.expected;
      this.operator = options.operator;
      Object.defineProperty(this, "name", { enumerable: false });
    }
    toString() { return `${this.name} [${this.code}]: ${this.message}`; }
  }

  function fail(options) {
    if (options.message instanceof Error) throw options.message;
    throw new AssertionError(options);
  }

  function assert(value, message) { ok(value, message, arguments.length); }

  function ok(value, message, given) {
    if (value) return;
    if (message === undefined) {
      message = given === 0 ? "No value argument passed to `assert.ok()`" : `The expression evaluated to a falsy value: ${inspect(value)}`;
    }
    fail({ message, actual: value, expected: true, operator: "==" });
  }

  // comparison makes an assertion of a test, e.g. strictEqual of Object.is.
  const comparison = (operator, test, shown = operator) => function (actual, expected, message) {
    if (arguments.length < 2) throw Object.assign(new TypeError('The "actual" and "expected" arguments must be specified'), { code: "ERR_MISSING_ARGS" });
    if (!test(actual, expected)) fail({ message, actual, expected, operator: shown });
  };

  const looseEqual = (a, b) => a == b || (a !== a && b !== b); // eslint-disable-line eqeqeq
  assert.ok = function (value, message) { ok(value, message, arguments.length); };
  assert.equal = comparison("equal", looseEqual, "==");
  assert.notEqual = comparison("notEqual", (a, b) => !looseEqual(a, b), "!=");
  assert.strictEqual = comparison("strictEqual", Object.is);
  assert.notStrictEqual = comparison("notStrictEqual", (a, b) => !Object.is(a, b));
  assert.deepEqual = comparison("deepEqual", (a, b) => equal(a, b, false));
  assert.notDeepEqual = comparison("notDeepEqual", (a, b) => !equal(a, b, false));
  assert.deepStrictEqual = comparison("deepStrictEqual", (a, b) => equal(a, b, true));
  assert.notDeepStrictEqual = comparison("notDeepStrictEqual", (a, b) => !equal(a, b, true));

  assert.fail = (message) => fail({ message, operator: "fail" });
  assert.ifError = (value) => {
    if (value === null || value === undefined) return;
    const message = value instanceof Error ? value.message : inspect(value);
    const error = new AssertionError({ message: `ifError got unwanted exception: ${message}`, actual: value, expected: null, operator: "ifError" });
    throw error;
  };
  assert.match = (text, pattern, message) => {
    if (typeof text === "string" && pattern.test(text)) return;
    fail({ message: message ?? `The input did not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`, actual: text, expected: pattern, operator: "match" });
  };
  assert.doesNotMatch = (text, pattern, message) => {
    if (typeof text !== "string" || !pattern.test(text)) return;
    fail({ message: message ?? `The input was expected to not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`, actual: text, expected: pattern, operator: "doesNotMatch" });
  };

  // expected checks a thrown error against a class, a pattern, an object of
  // properties or a function.
  function expected(error, want, message, operator) {
    if (want === undefined) return;
    if (want instanceof RegExp) {
      if (want.test(String(error))) return;
      fail({ message: message ?? `The input did not match the regular expression ${want}. Input:\n\n${inspect(String(error))}\n`, actual: error, expected: want, operator });
    }
    if (typeof want === "function") {
      if (want.prototype !== undefined && error instanceof want) return;
      if (Error.isPrototypeOf(want)) throw error;
      if (want.call({}, error) === true) return;
      fail({ message: message ?? `The ${want.name ? `"${want.name}" ` : ""}validation function is expected to return "true". Received false`, actual: error, expected: want, operator });
    }
    const keys = Object.keys(want);
    if (want instanceof Error) keys.push("name", "message");
    for (const key of keys) {
      const good = want[key] instanceof RegExp && typeof error[key] === "string" ? want[key].test(error[key]) : key in error && equal(error[key], want[key], true);
      if (!good) fail({ message, actual: error, expected: want, operator: "deepStrictEqual" });
    }
  }

  function missing(operator, want, message) {
    if (typeof want === "string") { message = want; want = undefined; }
    const name = want?.name ? ` (${want.name})` : "";
    fail({ message: `Missing expected ${operator === "rejects" ? "rejection" : "exception"}${name}${message ? ": " + message : "."}`, expected: want, operator });
  }

  assert.throws = (f, want, message) => {
    let error;
    try {
      f();
    } catch (e) {
      error = { thrown: e };
    }
    if (error === undefined) missing("throws", want, message);
    expected(error.thrown, typeof want === "string" ? undefined : want, message, "throws");
  };
  assert.doesNotThrow = (f, message) => {
    try {
      f();
    } catch (error) {
      fail({ message: `Got unwanted exception${typeof message === "string" ? ": " + message : "."}\nActual message: "${error?.message}"`, actual: error, operator: "doesNotThrow" });
    }
  };
  assert.rejects = async (f, want, message) => {
    let error;
    try {
      await (typeof f === "function" ? f() : f);
    } catch (e) {
      error = { thrown: e };
    }
    if (error === undefined) missing("rejects", want, message);
    expected(error.thrown, typeof want === "string" ? undefined : want, message, "rejects");
  };
  assert.doesNotReject = async (f) => {
    try {
      await (typeof f === "function" ? f() : f);
    } catch (error) {
      fail({ message: `Got unwanted rejection.\nActual message: "${error?.message}"`, actual: error, operator: "doesNotReject" });
    }
  };
  assert.AssertionError = AssertionError;

  function strict(value, message) { ok(value, message, arguments.length); }
  assert.strict = Object.assign(strict, assert, {
    equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
  });
  strict.strict = strict;
  return { __proto__: null, assert };
});
