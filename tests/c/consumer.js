// node consumer.js ADDON: attaches the column whose JSON comes as a line of the input, checks it, and closes it.
"use strict";
const assert = require("node:assert");
const readline = require("node:readline");
const tessera = require(require("node:path").resolve(process.argv[2]));

/// Element i of the slice, or null.
function element(column, i) {
  const at = column.offset + i;
  if (column.maskKind === "bits" && !((new Uint8Array(column.mask)[at >> 3] >> (at & 7)) & 1)) return null;
  return new Float32Array(column.values)[at];
}

function check(json) {
  const column = tessera.attach(json);
  assert.deepStrictEqual([column.name, column.dataType, column.schema], ["weight", "float32", "f"]);
  assert.deepStrictEqual([column.length, column.offset, column.nullCount], [8, 3, 3]);
  assert.deepStrictEqual([column.maskKind, ...new Uint8Array(column.mask)], ["bits", 0xb6, 0x0d]);
  assert.deepStrictEqual([...new Float32Array(column.values)], [...Array(12).keys()].map((i) => i / 2));
  const elements = Array.from({ length: column.length }, (_, i) => element(column, i));
  assert.deepStrictEqual(elements, [null, 2, 2.5, null, 3.5, 4, null, 5]);

  const { values, mask } = column;
  column.close();
  assert.deepStrictEqual([values.byteLength, mask.byteLength], [0, 0]);
  column.close(); // again: nothing happens

  // Attached and never closed: the garbage collector does it, or the end of the process.
  tessera.attach(json);
  if (global.gc) global.gc();

  for (const [broken, message] of [
    [json.slice(0, -3), /^the JSON of a column: not JSON, at byte \d+$/],
    ["", /^the JSON of a column: not JSON, at byte \d+$/],
    ["{}", /^the JSON of a column: member format is missing$/],
    [json.replace('"length": 8', '"length": 800'), /it has 2 bytes of a mask, expected 101/],
    [json.replace('"offset": 3', '"offset": -3'), /offset/],
    [json.replace('"schema": "f"', '"schema": "i"'), /its values are float32/],
    [json.replace(/"shape": \[ *12/, '"shape": [ 5000'), /5000/],
    [json.replace(/"session": "./, '"session": "'), /./],
  ]) {
    assert.notStrictEqual(broken, json);
    assert.throws(() => tessera.attach(broken), (error) => {
      console.log(`refused: ${error.message}`);
      return message.test(error.message);
    });
  }
  assert.throws(() => tessera.attach(7), /string was expected/);
  assert.throws(() => tessera.attach(), /string was expected/);
  assert.throws(() => column.close.call({}), /Invalid argument/);
  console.log("the column is as published");
}

readline.createInterface({ input: process.stdin }).once("line", (line) => {
  check(line);
  process.exit(0);
});
