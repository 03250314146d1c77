/** Server CPU of opening one connection, from the upgrade to the first poke: Worker, object and D1 together. */
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { newGuest } from '../../support/guest.ts'
import { connectWire } from '../../support/wire-client.ts'
import { connect, pageQueries } from '../clients.ts'
import { payload, roundTrip, withFloor } from '../floor.ts'
import { cpuMs, workerdOf } from '../process.ts'
import { interleave, pointOf } from '../sample.ts'

const blocks = 5
const perBlock = 40

const cpuOfEach = async (pid: number, run: () => Promise<void>): Promise<number[]> => {
  const before = cpuMs(pid)
  for (let index = 0; index < perBlock; index++) await run()
  return [(cpuMs(pid) - before) / perBlock]
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S14',
    name: 'server CPU of a connection',
    unit: 'ms',
    run: async ({ product }) => {
      const { url, pid } = await product()
      const server = workerdOf(pid)
      const guest = await newGuest(url)
      const first = await connect(guest)
      const token = await guest.token()
      const { clientGroupID } = first
      const baseCookie = first.cookie()
      const taken = await withFloor((floor) =>
        interleave(blocks, {
          floor: () =>
            cpuOfEach(floor.pid, async () => {
              const socket = await floor.connect('record', 'connecting')
              await roundTrip(socket, payload)
              socket.close()
            }),
          again: () =>
            cpuOfEach(server, async () => {
              const client = await connectWire({ guest, token, clientGroupID, clientID: first.clientID, baseCookie })
              await client.close()
            }),
          anew: () =>
            cpuOfEach(server, async () => {
              const client = await connectWire({ guest, token, queries: pageQueries })
              await client.close()
            }),
        }),
      )
      await first.close()
      return [
        pointOf('with a cookie', taken.again, taken.floor, { moonshot: { most: 1.5 } }),
        pointOf('with nothing', taken.anew, taken.floor),
      ]
    },
  },
]
