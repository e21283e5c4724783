// Blocks of data back to columns; how they are written stands in pack.py.
"use strict";
{
  const inflate = async (text) => {
    const signs = atob(text), packed = new Uint8Array(signs.length);
    for (let i = 0; i < signs.length; i++) packed[i] = signs.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  };

  // Planes (all first bytes, all second ones, ...) back to numbers.
  const numbers = (bytes, kind) => {
    const width = Number(kind[1]), n = bytes.length / width;
    if (width === 1) return bytes;
    const mixed = new Uint8Array(bytes.length);
    for (let plane = 0; plane < width; plane++) {
      for (let i = 0, from = plane * n; i < n; i++) mixed[i * width + plane] = bytes[from + i];
    }
    return new { 2: Uint16Array, 4: Uint32Array, 8: Float64Array }[width](mixed.buffer);
  };

  // {values, column name: numbers or text} of a section's block; null where it has none.
  report.read = async (key) => {
    const block = report.byId(`${key}-data`);
    if (!block) return null;
    const buffer = await inflate(block.textContent);
    block.remove();
    const length = new DataView(buffer).getUint32(0, true);
    const text = new TextDecoder();
    const head = JSON.parse(text.decode(new Uint8Array(buffer, 4, length)));
    const found = { values: head.values };
    for (const [name, kind, offset, size] of head.columns) {
      const bytes = new Uint8Array(buffer, 4 + length + offset, size);
      found[name] = kind === "s" ? text.decode(bytes) : numbers(bytes, kind);
    }
    return found;
  };

  // Names of which each begins as the one before it does.
  report.names = (prefix, suffix) => {
    const names = new Array(prefix.length), rest = suffix.split("\n");
    let before = "";
    for (let i = 0; i < names.length; i++) names[i] = before = before.slice(0, prefix[i]) + rest[i];
    return names;
  };
}
