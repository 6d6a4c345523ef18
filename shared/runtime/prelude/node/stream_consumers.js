// The module stream/consumers: a whole stream as one value.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");

  async function buffer(stream) {
    const chunks = [];
    for await (const chunk of stream) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    return Buffer.concat(chunks);
  }
  async function text(stream) {
    const decoder = new (load("encoding").TextDecoder)();
    let out = "";
    for await (const chunk of stream) out += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    return out + decoder.decode();
  }
  const module = {
    buffer, text,
    json: async (stream) => JSON.parse(await text(stream)),
    async arrayBuffer(stream) {
      const bytes = await buffer(stream);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    },
    async blob() { throw load("node/errors").unavailable("stream/consumers.blob", "take buffer"); },
  };
  return { __proto__: null, module };
});
