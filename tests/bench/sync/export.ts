/**
 * The effect of one user's exports on the mutations of another: alternating blocks of mutations alone and with eight concurrent export
 * attempts.
 */
import type { Benchmark, Point } from '../../../scripts/lib/benchmark.ts'
import { exportsPerHour } from '../../../worker/contract/limits.ts'
import { type Guest, newGuest } from '../../support/guest.ts'
import { closeAll, connect, nickname } from '../clients.ts'
import { withHistories } from '../history.ts'
import { type Blocks, interleave, pointOf, timeEach } from '../sample.ts'

const blocks = 6
const perBlock = 300
const attemptsAtOnce = 8
/** 20,000 messages and 14 MB of JSON: an export outlasts a block of mutations. */
const history = { threads: 1000, messages: 20_000 }

type Outcome = { readonly status: number; readonly bytes: number }

async function attempt(guest: Guest): Promise<Outcome> {
  const response = await guest.fetch('/api/account/export')
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength }
}

/** Eight attempts at a time, repeatedly, like a script that ignores refusals. `stop` resolves with all outcomes. */
function exportAgainAndAgain(guest: Guest): { readonly stop: () => Promise<readonly Outcome[]> } {
  let isStopped = false
  const run = async () => {
    const outcomes: Outcome[] = []
    while (!isStopped) outcomes.push(...(await Promise.all(Array.from({ length: attemptsAtOnce }, () => attempt(guest)))))
    return outcomes
  }
  const running = run()
  return {
    stop: () => {
      isStopped = true
      return running
    },
  }
}

type Taken = { readonly idle: Blocks; readonly duringExport: Blocks; readonly exported: readonly Outcome[] }

async function measure(): Promise<Taken> {
  // One user per block, because the number of exports per hour is limited.
  const histories = Array.from({ length: blocks }, () => history)
  return withHistories(histories, async ({ url }, exporters) => {
    const writer = await connect(await newGuest(url))
    let written = 0
    const mutations = () => timeEach(perBlock, () => writer.confirmed(writer.push('settings.update', nickname(++written))))
    const exported: Outcome[] = []
    const { idle, duringExport } = await interleave(blocks, {
      idle: mutations,
      duringExport: async (block) => {
        const exporter = exporters[block]
        if (!exporter) throw new Error('a block without a user')
        const exporting = exportAgainAndAgain(exporter)
        const samples = await mutations()
        exported.push(...(await exporting.stop()))
        return samples
      },
    })
    await closeAll(writer)
    return { idle, duringExport, exported }
  })
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'S17',
    name: `mutation of another user beside ${attemptsAtOnce} export attempts (floor: alone)`,
    unit: 'ms',
    run: async (): Promise<readonly Point[]> => {
      const { idle, duringExport, exported } = await measure()
      const whole = exported.filter(({ status }) => status === 200)
      if (whole.length === 0 || whole.length > blocks * exportsPerHour) throw new Error(`${whole.length} exports were accepted`)
      return [
        pointOf('p50', duringExport, idle),
        pointOf('p99', duringExport, idle, { share: 0.99, mustHold: { timesFloor: 2 } }),
        { at: 'exports read', value: whole.length, floor: null, unit: '' },
        { at: 'attempts refused', value: exported.length - whole.length, floor: null, unit: '' },
        { at: 'bytes of an export', value: whole[0]?.bytes ?? 0, floor: null, unit: 'bytes' },
      ]
    },
  },
]
