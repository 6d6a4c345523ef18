// The body of a Request or a Response: whole bytes, or a stream that is read when they are asked for. There is no
// ReadableStream: body can be iterated over, and does nothing else.
(function (host, load) {
  "use strict";
  const { unavailable } = load("node/errors");
  const { view, fromLatin1, toLatin1, encodeUTF8, decodeUTF8 } = load("bytes");
  const utf8 = (text) => fromLatin1(encodeUTF8(text.toWellFormed()));

  // extract gives { bytes } or { source } of what a body may be made of, and its content type.
  function extract(given) {
    if (typeof given === "string") return { bytes: utf8(given), type: "text/plain;charset=UTF-8" };
    if (typeof given === "object") {
      const bytes = view(given);
      if (bytes !== undefined) return { bytes: bytes.slice() };
      if (given instanceof load("url").URLSearchParams) return { bytes: utf8(`${given}`), type: "application/x-www-form-urlencoded;charset=UTF-8" };
      const { Blob, bytesOf } = load("blob"), { FormData, multipart } = load("form_data");
      if (given instanceof FormData) return multipart(given);
      if (given instanceof Blob) return { bytes: bytesOf(given), type: given.type || undefined };
      if (typeof given[Symbol.asyncIterator] === "function") return { source: given };
    }
    return { bytes: utf8(`${given}`), type: "text/plain;charset=UTF-8" };
  }

  async function drain(source) {
    const { join } = load("blob"), parts = [];
    for await (const chunk of source) {
      const bytes = typeof chunk === "string" ? utf8(chunk) : view(chunk);
      if (bytes === undefined) throw new TypeError("Received non-Uint8Array chunk");
      parts.push(bytes);
    }
    return join(parts);
  }

  const whole = "there are no web streams; take arrayBuffer(), text() or json(), or iterate over body";

  class Body {
    #content; #used = false; #shown;
    // fill gives the body what extract made, nothing for no body.
    _fill(content) { this.#content = content; }
    // _take gives all bytes, once.
    async _take() {
      this.#needFresh();
      if (this.#content === undefined) return new Uint8Array(0);
      this.#used = true;
      this.#content.bytes ??= await drain(this.#content.source);
      return this.#content.bytes;
    }
    // _copy gives another body the same content.
    _copy(other) {
      this.#needFresh();
      if (this.#content?.bytes === undefined && this.#content !== undefined) throw unavailable("clone of a stream", whole);
      other._fill(this.#content);
    }
    #needFresh() { if (this.#used) throw new TypeError("Body is unusable: Body has already been read"); }
    get bodyUsed() { return this.#used; }
    get body() {
      if (this.#content === undefined) return null;
      return this.#shown ??= new BodyStream(() => this._take(), () => this.#used);
    }
    async arrayBuffer() { return (await this._take()).slice().buffer; }
    async bytes() { return (await this._take()).slice(); }
    async text() { return decodeUTF8(toLatin1(await this._take())).replace(/^\ufeff/, ""); }
    async json() { return JSON.parse(await this.text()); }
    async blob() { return new (load("blob").Blob)([await this._take()], { type: this.headers.get("content-type") ?? "" }); }
    async formData() {
      const form = load("form_data").read(await this._take(), this.headers.get("content-type") ?? "");
      if (form === undefined) throw new TypeError('Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".');
      return form;
    }
  }

  // BodyStream stands in the place of a ReadableStream.
  class BodyStream {
    #take; #locked;
    constructor(take, locked) {
      this.#take = take;
      this.#locked = locked;
    }
    get locked() { return this.#locked(); }
    async *[Symbol.asyncIterator]() {
      const bytes = await this.#take();
      if (bytes.length > 0) yield bytes.slice();
    }
    async cancel() {}
    getReader() { throw unavailable("ReadableStream.getReader", whole); }
    pipeTo() { throw unavailable("ReadableStream.pipeTo", whole); }
    pipeThrough() { throw unavailable("ReadableStream.pipeThrough", whole); }
    tee() { throw unavailable("ReadableStream.tee", whole); }
  }

  for (const name of ["_fill", "_take", "_copy"]) Object.defineProperty(Body.prototype, name, { __proto__: null, enumerable: false });
  for (const name of ["body", "bodyUsed", "arrayBuffer", "text", "json", "blob", "formData"]) Object.defineProperty(Body.prototype, name, { __proto__: null, enumerable: true });
  return { __proto__: null, Body, extract };
});
