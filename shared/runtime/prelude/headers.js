// Headers, as fetch has them: names in lower case and in order, what is not of HTTP refused.
(function (host, load, p) {
  "use strict";
  const token = /^[!#$%&'*+\-.^_`|~0-9a-zA-Z]+$/;
  let freeze, listOf;

  function nameOf(method, given) {
    const name = `${given}`;
    if (!token.test(name)) throw new TypeError(`Headers.${method}: "${name}" is an invalid header name.`);
    return name.toLowerCase();
  }
  function valueOf(method, given) {
    const value = `${given}`;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 255) throw new TypeError(`Cannot convert argument to a ByteString because the character at index ${i} has a value of ${code} which is greater than 255.`);
    }
    const text = value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
    if (/[\0\r\n]/.test(text)) throw new TypeError(`Headers.${method}: "${text}" is an invalid header value.`);
    return text;
  }
  function need(method, given, count) {
    if (given.length < count) throw new TypeError(`Headers.${method}: ${count} argument${count > 1 ? "s" : ""} required, but${given.length > 0 ? " only" : ""} ${given.length} found.`);
  }

  class Headers {
    #list = new Map(); #immutable = false;
    static {
      freeze = (headers) => { headers.#immutable = true; return headers; };
      listOf = (headers) => headers.#list;
    }
    constructor(init) {
      if (init === undefined) return;
      if (typeof init !== "object" && typeof init !== "function" || init === null) throw new TypeError("Headers constructor: Argument 1 could not be converted to one of: sequence<sequence<ByteString>>, record<ByteString, ByteString>.");
      if (init instanceof Headers) {
        for (const [name, values] of init.#list) this.#list.set(name, [...values]);
        return;
      }
      if (typeof init[Symbol.iterator] !== "function") {
        for (const name of Reflect.ownKeys(init)) if (Object.getOwnPropertyDescriptor(init, name)?.enumerable) this.#add("append", name, init[name]);
        return;
      }
      for (const pair of init) {
        const [...both] = pair;
        if (both.length !== 2) throw new TypeError(`Headers constructor: expected name/value pair to be length 2, found ${both.length}.`);
        this.#add("append", both[0], both[1]);
      }
    }
    #add(method, name, value) {
      const key = nameOf(method, name), text = valueOf(method, value);
      this.#change();
      const there = this.#list.get(key);
      if (there === undefined || method === "set") this.#list.set(key, [text]);
      else there.push(text);
    }
    #change() { if (this.#immutable) throw new TypeError("immutable"); }
    append(name, value) { need("append", arguments, 2); this.#add("append", name, value); }
    set(name, value) { need("set", arguments, 2); this.#add("set", name, value); }
    delete(name) {
      need("delete", arguments, 1);
      const key = nameOf("delete", name);
      this.#change();
      this.#list.delete(key);
    }
    get(name) {
      need("get", arguments, 1);
      return this.#list.get(nameOf("get", name))?.join(", ") ?? null;
    }
    has(name) {
      need("has", arguments, 1);
      return this.#list.has(nameOf("has", name));
    }
    getSetCookie() { return [...(this.#list.get("set-cookie") ?? [])]; }
    *entries() {
      for (const name of [...this.#list.keys()].sort()) {
        const values = this.#list.get(name) ?? [];
        if (name === "set-cookie") for (const value of values) yield [name, value];
        else yield [name, values.join(", ")];
      }
    }
    *keys() { for (const [name] of this.entries()) yield name; }
    *values() { for (const [, value] of this.entries()) yield value; }
    forEach(callback, self) {
      need("forEach", arguments, 1);
      if (typeof callback !== "function") throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
      for (const [name, value] of this.entries()) callback.call(self, value, name, this);
    }
    [Symbol.iterator]() { return this.entries(); }
    get [Symbol.toStringTag]() { return "Headers"; }
    [p.inspectSymbol](depth, options, inspect) {
      return `Headers ${inspect(Object.fromEntries(this.entries()), options)}`;
    }
  }
  for (const name of ["append", "set", "delete", "get", "has", "getSetCookie", "entries", "keys", "values", "forEach"]) Object.defineProperty(Headers.prototype, name, { __proto__: null, enumerable: true });
  return { __proto__: null, Headers, freeze, listOf };
});
