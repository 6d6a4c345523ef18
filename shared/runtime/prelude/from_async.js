// Array.fromAsync, which the engine does not have yet.
(function () {
  "use strict";
  const isConstructor = (f) => {
    try {
      Reflect.construct(Object, [], f);
      return true;
    } catch (error) {
      return false;
    }
  };

  // fromAsync is called with the constructor that the method was called on.
  async function fromAsync(constructor, items, map, self) {
    if (map !== undefined && typeof map !== "function") throw new TypeError("Array.fromAsync: the mapping is not a function");
    if (items === null || items === undefined) throw new TypeError("Array.fromAsync: " + items + " is not iterable");
    const own = isConstructor(constructor) ? constructor : Array;
    const iterable = items[Symbol.asyncIterator] != null || items[Symbol.iterator] != null;
    const length = iterable ? 0 : Math.min(Math.max(Math.trunc(items.length) || 0, 0), Number.MAX_SAFE_INTEGER);
    const result = iterable ? new own() : new own(length);
    let n = 0;
    const add = async (value) => {
      if (map !== undefined) value = await map.call(self, value, n);
      Object.defineProperty(result, n++, { value, writable: true, enumerable: true, configurable: true });
    };
    if (iterable) for await (const value of items) await add(value);
    else while (n < length) await add(await items[n]);
    result.length = n;
    return result;
  }

  return { __proto__: null, fromAsync };
});
