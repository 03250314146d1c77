/** One mutation at a time from an idle state: until the writer has its result, and until the other device shows it. */
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { newGuest } from '../../support/guest.ts'
import { connectZero, type RealClient } from '../../support/zero-client.ts'
import { closeAll, meet, nickname, showsNickname } from '../clients.ts'
import { payload, roundTrip, withFloor } from '../floor.ts'
import { type Blocks, interleave, pointOf, timeEach } from '../sample.ts'

const blocks = 6
const perBlock = 80

type Latencies = {
  readonly other: Blocks
  readonly ack: Blocks
  readonly appOther: Blocks
  readonly appAck: Blocks
  readonly floor: Blocks
}

async function measure(url: string): Promise<Latencies> {
  return withFloor(async (floor) => {
    const { writer, reader } = await meet(url)
    const guest = await newGuest(url)
    const [typing, watching]: [RealClient, RealClient] = [await connectZero(guest), await connectZero(guest)]
    const record = await floor.connect('record')
    let written = 0
    const taken = await interleave(blocks, {
      floor: () => timeEach(perBlock, () => roundTrip(record, payload)),
      other: () =>
        timeEach(perBlock, async () => {
          const seen = showsNickname(reader, ++written)
          const confirmed = writer.confirmed(writer.push('settings.update', nickname(written)))
          await seen
          // The next write starts idle; the writer is notified in the same tick as the other device.
          await confirmed
        }),
      ack: () => timeEach(perBlock, () => writer.confirmed(writer.push('settings.update', nickname(++written)))),
      appOther: () =>
        timeEach(perBlock, async () => {
          const seen = watching.untilNickname(nickname(++written).nickname)
          await Promise.all([seen, typing.setNickname(nickname(written).nickname)])
        }),
      appAck: () => timeEach(perBlock, () => typing.setNickname(nickname(++written).nickname)),
    })
    await closeAll(writer, reader, typing, watching)
    record.close()
    return taken
  })
}

/** S1 and S2 are measured in the same run. */
let taken: Promise<Latencies> | undefined
const latencies = (url: string): Promise<Latencies> => {
  taken ??= measure(url)
  return taken
}

const points = (wire: Blocks, app: Blocks, floor: Blocks, isHeld: boolean): Point[] => [
  pointOf('wire p50', wire, floor, { moonshot: { most: 1.9 }, ...(isHeld ? { mustHold: { timesFloor: 2 } } : {}) }),
  pointOf('wire p99', wire, floor, { share: 0.99, moonshot: { most: 6 } }),
  pointOf('app p50', app, floor, { moonshot: { most: 4 } }),
  pointOf('app p99', app, floor, { share: 0.99, moonshot: { most: 12 } }),
]

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S1',
    name: 'mutation to other client',
    unit: 'ms',
    run: async ({ product }) => {
      const { other, appOther, floor } = await latencies((await product()).url)
      return points(other, appOther, floor, true)
    },
  },
  {
    id: 'S2',
    name: 'mutation acknowledged',
    unit: 'ms',
    run: async ({ product }) => {
      const { ack, appAck, floor } = await latencies((await product()).url)
      return points(ack, appAck, floor, false)
    },
  },
]
