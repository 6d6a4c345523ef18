// The module stream: readable-stream, which is Node's own source for other places, over the events and buffers of here.
(function (host, load) {
  "use strict";
  const Stream = load("vendor/stream");
  Stream.Stream = Stream;
  return { __proto__: null, Stream };
});
