// The module tty: nothing here is a terminal.
(function (host, load) {
  "use strict";
  const { unavailable } = load("node/errors");
  const hint = "nobody is at a terminal; write with console";
  function ReadStream() { throw unavailable("tty.ReadStream", hint); }
  function WriteStream() { throw unavailable("tty.WriteStream", hint); }
  return { __proto__: null, module: { isatty: () => false, ReadStream, WriteStream } };
});
