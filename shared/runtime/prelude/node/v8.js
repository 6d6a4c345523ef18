// The module v8, as far as it is not about V8 itself: how full the heap is, and deep copies.
(function (host, load) {
  "use strict";
  const { unavailable } = load("node/errors");
  const { process } = load("process");

  function getHeapStatistics() {
    const used = process.memoryUsage().heapUsed, limit = load("process").memoryLimit();
    return {
      total_heap_size: used, total_heap_size_executable: 0, total_physical_size: used, total_available_size: limit - used, used_heap_size: used, heap_size_limit: limit,
      malloced_memory: 0, peak_malloced_memory: 0, does_zap_garbage: 0, number_of_native_contexts: 1, number_of_detached_contexts: 0, total_global_handles_size: 0, used_global_handles_size: 0, external_memory: 0,
    };
  }

  const module = { getHeapStatistics, cachedDataVersionTag: () => 0, getHeapSpaceStatistics: () => [], setFlagsFromString() {}, setHeapSnapshotNearHeapLimit() {}, takeCoverage() {}, stopCoverage() {} };
  const hints = { __proto__: null, serialize: "take structuredClone, JSON or a package such as msgpack", deserialize: "take structuredClone, JSON or a package such as msgpack" };
  for (const name of ["serialize", "deserialize", "Serializer", "Deserializer", "DefaultSerializer", "DefaultDeserializer", "getHeapSnapshot", "writeHeapSnapshot", "getHeapCodeStatistics", "queryObjects", "GCProfiler"]) {
    module[name] = { [name]: function () { throw unavailable(`v8.${name}`, hints[name] ?? "the engine is not V8"); } }[name];
  }
  module.startupSnapshot = { isBuildingSnapshot: () => false, addSerializeCallback() {}, addDeserializeCallback() {}, setDeserializeMainFunction() {} };
  return { __proto__: null, module };
});
