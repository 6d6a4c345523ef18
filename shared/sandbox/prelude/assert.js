// The assert module of Node.
(function (host, load) {
  "use strict";
  const { equal } = load("deep_equal");
  const { inspect } = load("inspect");

  class AssertionError extends Error {
    constructor(options) {
      const generated = options.message === undefined;
      super(generated ? describe(options) : String(options.message));
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

  const titles = {
    strictEqual: "Expected values to be strictly equal:",
    deepStrictEqual: "Expected values to be strictly deep-equal:",
    deepEqual: "Expected values to be loosely deep-equal:",
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  };

  function describe({ actual, expected, operator }) {
    if (operator === "fail") return "Failed";
    const a = inspect(actual, { depth: 1000 }), e = inspect(expected, { depth: 1000 });
    if (operator === "==" || operator === "!=") return `${a} ${operator} ${e}`;
    const title = titles[operator] ?? `${operator}:`;
    if (operator.startsWith("not")) return a.includes("\n") ? `${title}\n\n${a}\n` : `${title} ${a}`;
    if (operator === "deepEqual") return `${title}\n\n${a}\n\nshould loosely deep-equal\n\n${e}`;
    if (!a.includes("\n") && !e.includes("\n") && a.length + e.length < 60 && operator === "strictEqual") return `${title}\n\n${a} !== ${e}\n`;
    const mark = (text, sign) => text.split("\n").map((line) => sign + " " + line).join("\n");
    return `${title}\n+ actual - expected\n\n${mark(a, "+")}\n${mark(e, "-")}\n`;
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
    if (arguments.length < 2) throw new TypeError('The "actual" and "expected" arguments must be specified');
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
