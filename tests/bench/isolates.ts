/**
 * The isolates of a workerd through its inspector, to measure live heap after garbage collection. Without collection, process memory
 * measures when V8 collects, not what a connection holds.
 */

/** The Worker and its objects share one isolate; the others are Miniflare's entry, D1 and KV. */
const ownPrefix = 'core:user:'
/** The sampling interval in bytes, so large that nothing is sampled. Sampling is used only because it waits for a completed collection. */
const noSamples = 2 ** 30

export type Isolates = {
  /** Collects garbage in every isolate. */
  collect(): Promise<void>
  /** JavaScript heap in use by the Worker under test and its objects, in kilobytes, including uncollected garbage. */
  heapKb(): Promise<number>
  close(): void
}

type Isolate = { readonly id: string; send(method: string, params?: object): Promise<unknown>; close(): void }

export async function isolatesAt(inspectorPort: number): Promise<Isolates> {
  const listed = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as { id: string }[]
  const isolates = await Promise.all(listed.map(({ id }) => attach(inspectorPort, id)))
  const own = isolates.find(({ id }) => id.startsWith(ownPrefix))
  if (!own) throw new Error(`none of ${listed.length} isolates is a Worker of ours`)
  return {
    collect: async () => {
      for (const { send } of isolates) {
        // `HeapProfiler.collectGarbage` waits for the isolate to be idle, which workerd never reports.
        await send('HeapProfiler.startSampling', { samplingInterval: noSamples })
        await send('HeapProfiler.stopSampling')
      }
    },
    heapKb: async () => ((await own.send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize / 1024,
    close: () => {
      for (const { close } of isolates) close()
    },
  }
}

type Answer = { readonly id?: number; readonly result?: unknown; readonly error?: { readonly message: string } }

async function attach(port: number, id: string): Promise<Isolate> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${id}`)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer
    const asked = waiting.get(answer.id ?? 0)
    waiting.delete(answer.id ?? 0)
    if (answer.error) asked?.reject(new Error(answer.error.message))
    else asked?.resolve(answer.result)
  })
  let sent = 0
  const send: Isolate['send'] = (method, params = {}) => {
    const asked = Promise.withResolvers<unknown>()
    waiting.set(++sent, asked)
    socket.send(JSON.stringify({ id: sent, method, params }))
    return asked.promise
  }
  await send('HeapProfiler.enable')
  return { id, send, close: () => socket.close() }
}
