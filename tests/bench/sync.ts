/**
 * The sync server on the wire and through the real client, each beside the least that this machine could do in the same run: an object
 * that records with one D1 batch and then tells everybody, or one that only answers.
 */
import type { Benchmark, Point } from '../../scripts/lib/benchmark.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { connectWire, rowsOf, type WireClient } from '../support/wire-client.ts'
import { connectZero, type RealClient } from '../support/zero-client.ts'
import { type Floor, startFloor } from './floor.ts'
import { percentile, timeEach } from './sample.ts'

const samples = 300
const queries = [
  { hash: 'me', name: 'me', args: [] },
  { hash: 'list', name: 'threads.list', args: [{ limit: 50 }] },
]

/** A stored thread to rename, made without a turn: what is measured is sync, not a model. */
const meet = async (url: string) => {
  const guest = await newGuest(url)
  const [writer, reader] = await Promise.all([connect(guest), connect(guest)])
  return { guest, writer, reader }
}

const connect = async (guest: Guest): Promise<WireClient> => connectWire({ guest, token: await guest.token(), queries })

const nickname = (index: number) => ({ nickname: `name ${index}` })

const shows = (client: WireClient, index: number) =>
  client.next((frame) => rowsOf(frame).some(({ value }) => value?.nickname === nickname(index).nickname))

/** Milliseconds from one client's write to the other's poke. */
const mutationToOther = async (url: string): Promise<number[]> => {
  const { writer, reader } = await meet(url)
  const times = await timeEach(samples, async (index) => {
    const seen = shows(reader, index)
    const confirmed = writer.confirmed(writer.push('settings.update', nickname(index)))
    await seen
    // The next write starts from rest.
    await confirmed
  })
  await Promise.all([writer.close(), reader.close()])
  return times
}

const mutationToOtherApp = async (url: string): Promise<number[]> => {
  const guest = await newGuest(url)
  const [writer, reader]: [RealClient, RealClient] = [await connectZero(guest), await connectZero(guest)]
  const times = await timeEach(samples, async (index) => {
    const seen = reader.untilNickname(nickname(index).nickname)
    await Promise.all([seen, writer.setNickname(nickname(index).nickname)])
  })
  await Promise.all([writer.close(), reader.close()])
  return times
}

const floorSocket = async (floor: Floor, kind: 'echo' | 'record'): Promise<WebSocket> => {
  const socket = new WebSocket(`${floor.url.replace('http', 'ws')}/${kind}?name=${kind}${Math.random()}`)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  return socket
}

const payload = 'x'.repeat(250)

const floorRoundTrips = async (floor: Floor, kind: 'echo' | 'record'): Promise<number[]> => {
  const socket = await floorSocket(floor, kind)
  const times = await timeEach(samples, () => {
    const answered = new Promise<void>((resolve) => socket.addEventListener('message', () => resolve(), { once: true }))
    socket.send(payload)
    return answered
  })
  socket.close()
  return times
}

const p50AndP99 = (label: string, times: readonly number[], floor: readonly number[]): Point[] => [
  { at: `${label} p50`, value: percentile(times, 0.5), floor: percentile(floor, 0.5) },
  { at: `${label} p99`, value: percentile(times, 0.99), floor: percentile(floor, 0.99) },
]

const pipelined = 1000

const pushesPerSecond = async (url: string): Promise<number> => {
  const { writer, reader } = await meet(url)
  await writer.confirmed(writer.push('settings.update', nickname(-1)))
  const startMs = performance.now()
  let last = 0
  for (let index = 0; index < pipelined; index++) last = writer.push('settings.update', nickname(index))
  await writer.confirmed(last)
  const seconds = (performance.now() - startMs) / 1000
  await Promise.all([writer.close(), reader.close()])
  return pipelined / seconds
}

const floorPushesPerSecond = async (floor: Floor): Promise<number> => {
  const socket = await floorSocket(floor, 'record')
  let answers = 0
  const startMs = performance.now()
  const all = new Promise<void>((resolve) => {
    socket.addEventListener('message', () => {
      if (++answers === pipelined) resolve()
    })
  })
  for (let index = 0; index < pipelined; index++) socket.send(payload)
  await all
  socket.close()
  return pipelined / ((performance.now() - startMs) / 1000)
}

const warmReconnects = async (url: string) => {
  const { guest, writer, reader } = await meet(url)
  const token = await guest.token()
  const { clientGroupID, clientID } = writer
  const baseCookie = writer.cookie()
  await writer.close()
  let bytes = 0
  let rows = 0
  const times = await timeEach(100, async () => {
    const again = await connectWire({ guest, token, clientGroupID, clientID, baseCookie })
    bytes = again.heard.bytes
    rows += again.heard.rows
    await again.close()
  })
  await reader.close()
  return { times, bytes, rows }
}

const floorConnects = (floor: Floor): Promise<number[]> =>
  timeEach(100, async () => {
    const socket = await floorSocket(floor, 'echo')
    const answered = new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
    socket.send(payload)
    await answered
    socket.close()
  })

const withFloor = async <Result>(run: (floor: Floor) => Promise<Result>): Promise<Result> => {
  const floor = await startFloor()
  try {
    return await run(floor)
  } finally {
    await floor.stop()
  }
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S1',
    name: 'mutation to other client',
    unit: 'ms',
    target: 'wire p50 at most 3x the floor',
    run: ({ product }) =>
      withFloor(async (floor) => {
        const { url } = await product()
        const record = await floorRoundTrips(floor, 'record')
        return [...p50AndP99('wire', await mutationToOther(url), record), ...p50AndP99('app', await mutationToOtherApp(url), record)]
      }),
  },
  {
    id: 'S3',
    name: 'pipelined pushes of one user',
    unit: '/s',
    target: '1500 a second',
    run: ({ product }) =>
      withFloor(async (floor) => {
        const { url } = await product()
        return [{ at: `${pipelined} pushes`, value: await pushesPerSecond(url), floor: await floorPushesPerSecond(floor) }]
      }),
  },
  {
    id: 'S7',
    name: 'warm reconnect, nothing changed',
    unit: 'ms',
    target: '4 ms, 200 bytes, 0 rows',
    run: ({ product }) =>
      withFloor(async (floor) => {
        const { url } = await product()
        const { times, bytes, rows } = await warmReconnects(url)
        if (rows > 0) throw new Error(`${rows} rows were sent again`)
        return [...p50AndP99(`${bytes} bytes`, times, await floorConnects(floor))]
      }),
  },
]
