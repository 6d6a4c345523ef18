// What an AssertionError says, in the words of Node's assert.
(function (host, load) {
  "use strict";
  const { inspect } = load("inspect");
  const options = { compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, breakLength: Infinity, sorted: true };
  const show = (v) => inspect(v, options);
  const isObject = (v) => typeof v === "object" && v !== null;
  const mostShort = 12; // characters of two values that fit into "1 !== 2"
  const mostLines = 50; // shown of a difference
  const mostCompared = 400; // lines; longer ones are compared from both ends only

  const titles = {
    __proto__: null,
    strictEqual: "Expected values to be strictly equal:",
    strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
    deepStrictEqual: "Expected values to be strictly deep-equal:",
    deepEqual: "Expected values to be loosely deep-equal:",
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  };

  function describe({ actual, expected, operator }) {
    switch (operator) {
      case "fail": return "Failed";
      case "strictEqual": case "deepStrictEqual": return compared(actual, expected, operator);
      case "notStrictEqual": case "notDeepStrictEqual": return unwanted(actual, operator === "notStrictEqual" && isObject(actual) ? "notStrictEqualObject" : operator);
      case "deepEqual": return titles.deepEqual + "\n\n" + show(actual) + "\n\nshould loosely deep-equal\n\n" + show(expected);
      case "notDeepEqual": return titles.notDeepEqual + "\n\n" + show(actual) + "\n\nshould not loosely deep-equal\n\n" + show(expected);
      default: return show(actual) + " " + operator + " " + show(expected);
    }
  }

  function unwanted(actual, title) {
    const lines = show(actual).split("\n");
    if (lines.length > mostLines) lines.splice(mostLines - 4, lines.length, "...");
    if (lines.length === 1) return titles[title] + (lines[0].length > 5 ? "\n\n" : " ") + lines[0];
    return titles[title] + "\n\n" + lines.join("\n") + "\n";
  }

  function compared(actual, expected, operator) {
    const a = show(actual), e = show(expected);
    if (operator === "strictEqual" && isObject(actual) && isObject(expected)) {
      if (a === e) return "Values have same structure but are not reference-equal:\n\n" + a + "\n";
      operator = "strictEqualObject";
    }
    const title = titles[operator];
    if (!a.includes("\n") && !e.includes("\n") && a !== e) {
      const primitive = !isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0);
      if (primitive && a.length + e.length <= mostShort) return title + "\n\n" + a + " !== " + e + "\n";
      return title + "\n+ actual - expected\n\n+ " + a + "\n- " + e + pointer(a, e);
    }
    return title + "\n+ actual - expected\n\n" + shortened(difference(a.split("\n"), e.split("\n"))).join("\n");
  }

  // pointer marks where two short texts part.
  function pointer(a, e) {
    if (a.length + e.length >= 80) return "";
    let i = 0;
    while (i < a.length && a[i] === e[i]) i++;
    return i > 2 ? "\n  " + " ".repeat(i) + "^" : "";
  }

  const same = (a, b) => a === b || a + "," === b || a === b + ",";

  // difference marks the lines of both: "  " common, "+ " actual, "- " expected.
  function difference(a, e) {
    let head = 0, tail = 0;
    while (head < a.length && head < e.length && same(a[head], e[head])) head++;
    while (tail < a.length - head && tail < e.length - head && same(a.at(-1 - tail), e.at(-1 - tail))) tail++;
    const middle = between(a.slice(head, a.length - tail), e.slice(head, e.length - tail));
    const common = (lines) => lines.map((line) => "  " + line);
    return [...common(a.slice(0, head)), ...middle, ...common(a.slice(a.length - tail))];
  }

  // between finds the longest common subsequence of the lines.
  function between(a, e) {
    if (a.length > mostCompared || e.length > mostCompared) return [...a.map((l) => "+ " + l), ...e.map((l) => "- " + l)];
    const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(e.length + 1));
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = e.length - 1; j >= 0; j--) best[i][j] = same(a[i], e[j]) ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
    const out = [];
    for (let i = 0, j = 0; i < a.length || j < e.length;) {
      if (i < a.length && j < e.length && same(a[i], e[j])) {
        out.push("  " + a[i++]);
        j++;
      } else if (j === e.length || (i < a.length && best[i + 1][j] >= best[i][j + 1])) out.push("+ " + a[i++]);
      else out.push("- " + e[j++]);
    }
    return out;
  }

  // shortened leaves out what two differences have between them, when it is
  // long, and what comes after many lines.
  function shortened(lines) {
    const near = lines.map((_, i) => lines.slice(Math.max(0, i - 3), i + 4).some((line) => line[0] !== " "));
    const kept = lines.length <= 20 ? lines : lines.flatMap((line, i) => (near[i] || i === 0 || i === lines.length - 1 ? [line] : near[i - 1] || i === 1 ? ["..."] : []));
    return kept.length > mostLines ? [...kept.slice(0, mostLines), "..."] : kept;
  }

  return { __proto__: null, describe };
});
