// Node's errors of wrong arguments: TypeErrors and RangeErrors with a code.
(function (host, load) {
  "use strict";

  // received says what a wrong argument is, as Node does.
  function received(value) {
    if (value === undefined || value === null) return `${value}`;
    if (typeof value === "function") return `function ${value.name}`;
    if (typeof value === "object") {
      const name = value.constructor?.name;
      return name ? `an instance of ${name}` : load("inspect").inspect(value, { depth: -1 });
    }
    let text;
    if (typeof value === "string") {
      const start = value.length > 28 ? `${value.slice(0, 25)}...` : value;
      return `type string (${start.includes("'") ? JSON.stringify(start) : `'${start}'`})`;
    }
    text = load("inspect").inspect(value, { colors: false });
    if (text.length > 28) text = `${text.slice(0, 25)}...`;
    return `type ${typeof value} (${text})`;
  }

  // coded gives an error Node's code, which its stack and its name in logs show.
  function coded(Type, code, message) {
    const error = new Type(message);
    error.code = code;
    return error;
  }

  const kinds = { __proto__: null, function: 1, number: 1, object: 1, string: 1, boolean: 1, bigint: 1, symbol: 1 };

  // wrongType is the TypeError for an argument; expected is one type or a list of types and classes.
  function wrongType(name, expected, value) {
    const list = [].concat(expected).map((e) => (e === "Object" ? "object" : e)), or = (words) => (words.length < 3 ? words.join(" or ") : `${words.slice(0, -1).join(", ")}, or ${words.at(-1)}`);
    const types = list.filter((e) => kinds[e]), classes = list.filter((e) => !kinds[e]);
    const parts = [];
    if (types.length) parts.push(types.length > 1 ? `one of type ${or(types)}` : `of type ${types[0]}`);
    if (classes.length) parts.push(`an instance of ${or(classes)}`);
    const what = name.includes(".") ? "property" : "argument";
    return coded(TypeError, "ERR_INVALID_ARG_TYPE", `The "${name}" ${what} must be ${parts.join(" or ")}. Received ${received(value)}`);
  }

  const outOfRange = (name, range, value) => coded(RangeError, "ERR_OUT_OF_RANGE", `The value of "${name}" is out of range. It must be ${range}. Received ${typeof value === "number" || typeof value === "bigint" ? value : load("inspect").inspect(value)}`);

  function needText(value, name) { if (typeof value !== "string") throw wrongType(name, "string", value); }
  function needFunction(value, name) { if (typeof value !== "function") throw wrongType(name, "function", value); }

  // unavailable is what calling something throws that cannot be here.
  const unavailable = (name, hint) => coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", `${name} is not available in cloud functions: ${hint}`);

  return { __proto__: null, received, coded, wrongType, outOfRange, needText, needFunction, unavailable };
});
