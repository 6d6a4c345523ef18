// FormData, and the two forms in which it travels.
(function (host, load, p) {
  "use strict";
  const { fromLatin1, toLatin1, encodeUTF8, decodeUTF8 } = load("bytes");
  let entriesOf;

  const text = (value) => `${value}`.toWellFormed();
  function entry(name, value, filename) {
    const { Blob, File } = load("blob");
    if (!(value instanceof Blob)) return [text(name), text(value)];
    if (value instanceof File && filename === undefined) return [text(name), value];
    return [text(name), new File([value], filename ?? "blob", { type: value.type, lastModified: value.lastModified })];
  }

  const wrong = (method, message) => new TypeError(`Failed to execute '${method}' on 'FormData': ${message}`);
  function need(method, given, count) {
    if (given.length < count) throw wrong(method, `${count} arguments required, but only ${given.length} present.`.replace(/^1 arguments/, "1 argument"));
  }
  function needBlob(method, given) {
    if (given.length > 2 && !(given[1] instanceof load("blob").Blob)) throw wrong(method, "parameter 2 is not of type 'Blob'");
  }

  class FormData {
    #entries = [];
    static { entriesOf = (form) => form.#entries; }
    constructor(form) {
      if (form !== undefined) throw new TypeError("Failed to construct 'FormData': the argument must be left out: there are no HTML forms");
    }
    append(name, value, filename) {
      need("append", arguments, 2);
      needBlob("append", arguments);
      this.#entries.push(entry(name, value, filename));
    }
    set(name, value, filename) {
      need("set", arguments, 2);
      needBlob("set", arguments);
      const made = entry(name, value, filename), at = this.#entries.findIndex(([key]) => key === made[0]);
      if (at < 0) this.#entries.push(made);
      else this.#entries = this.#entries.filter(([key], i) => key !== made[0] || i === at).with(at, made);
    }
    delete(name) {
      need("delete", arguments, 1);
      this.#entries = this.#entries.filter(([key]) => key !== text(name));
    }
    get(name) {
      need("get", arguments, 1);
      return this.#entries.find(([key]) => key === text(name))?.[1] ?? null;
    }
    getAll(name) {
      need("getAll", arguments, 1);
      return this.#entries.filter(([key]) => key === text(name)).map(([, value]) => value);
    }
    has(name) {
      need("has", arguments, 1);
      return this.#entries.some(([key]) => key === text(name));
    }
    *entries() { for (const [name, value] of this.#entries) yield [name, value]; }
    *keys() { for (const [name] of this.#entries) yield name; }
    *values() { for (const [, value] of this.#entries) yield value; }
    forEach(callback, self) {
      if (typeof callback !== "function") throw wrong("forEach", "parameter 1 is not of type 'Function'.");
      for (const [name, value] of this.#entries) callback.call(self, value, name, this);
    }
    [Symbol.iterator]() { return this.entries(); }
    get [Symbol.toStringTag]() { return "FormData"; }
    [p.inspectSymbol](depth, options, inspect) {
      const shown = {};
      for (const [name, value] of this.#entries) shown[name] = Object.hasOwn(shown, name) ? [shown[name], value].flat() : value;
      return `FormData ${inspect(shown, options)}`;
    }
  }

  // multipart writes a form as multipart/form-data.
  function multipart(form, boundary = `----formdata-undici-0${`${Math.floor(Math.random() * 1e11)}`.padStart(11, "0")}`) {
    const { Blob, bytesOf, join } = load("blob");
    const quoted = (name) => name.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
    const lines = (value) => value.replace(/\r?\n|\r/g, "\r\n");
    const utf8 = (value) => fromLatin1(encodeUTF8(value)), parts = [];
    for (const [name, value] of entriesOf(form)) {
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(lines(name))}"`;
      if (value instanceof Blob) parts.push(utf8(`${head}; filename="${quoted(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}\r\n\r\n`), bytesOf(value), utf8("\r\n"));
      else parts.push(utf8(`${head}\r\n\r\n${lines(value)}\r\n`));
    }
    parts.push(utf8(`--${boundary}--\r\n`));
    return { type: `multipart/form-data; boundary=${boundary}`, bytes: join(parts) };
  }

  // read makes a form of a body, by its content type; undefined if it is none.
  function read(bytes, type) {
    const form = new FormData();
    if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
      for (const [name, value] of new (load("url").URLSearchParams)(decodeUTF8(toLatin1(bytes)))) form.append(name, value);
      return form;
    }
    const [, quoted, plain] = /^multipart\/form-data\b.*;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
    const boundary = quoted ?? plain;
    if (boundary === undefined) return undefined;

    const all = `\r\n${toLatin1(bytes)}`, mark = `\r\n--${boundary}`;
    let at = all.indexOf(mark);
    if (at < 0) return undefined;
    for (;;) {
      at += mark.length;
      if (all.startsWith("--", at)) return form;
      const end = all.indexOf(mark, at);
      if (end < 0 || !readPart(all.slice(at, end), form)) return undefined;
      at = end;
    }
  }

  // readPart adds what stands between two boundaries.
  function readPart(part, form) {
    const gap = part.indexOf("\r\n\r\n");
    if (gap < 0) return false;
    const head = decodeUTF8(part.slice(0, gap)), body = part.slice(gap + 4);
    const parameter = (key) => new RegExp(`^content-disposition:.*;\\s*${key}="([^"]*)"`, "im").exec(head)?.[1].replace(/%0A/gi, "\n").replace(/%0D/gi, "\r").replace(/%22/g, '"');
    const name = parameter("name"), filename = parameter("filename");
    if (name === undefined) return false;
    if (filename === undefined) form.append(name, decodeUTF8(body));
    else form.append(name, new (load("blob").File)([fromLatin1(body)], filename, { type: /^content-type:\s*(.*)$/im.exec(head)?.[1].trim() ?? "text/plain" }));
    return true;
  }

  for (const name of ["append", "set", "delete", "get", "getAll", "has", "entries", "keys", "values", "forEach"]) Object.defineProperty(FormData.prototype, name, { __proto__: null, enumerable: true });
  return { __proto__: null, FormData, multipart, read };
});
