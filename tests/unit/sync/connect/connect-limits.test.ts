// Token buckets for connects and new client groups of one user. Rules: worker/sync/SPEC.md, R9 and R10.
import { expect, test } from 'vitest'
import { ConnectLimits } from '../../../../worker/sync/connect/connect-limits.ts'

const connectBurst = 100
const newClientGroupBurst = 20
const connectRates = {
  connects: { burst: connectBurst, perSecond: 1 },
  newGroups: { burst: newClientGroupBurst, perSecond: 1 / 3 },
}

const newStorage = () => {
  const values = new Map<string, unknown>()
  const kv = { get: (key: string) => values.get(key), put: (key: string, value: unknown) => void values.set(key, value) }
  return { values, kv: kv as unknown as SyncKvStorage }
}

const newLimits = (kv = newStorage().kv) => new ConnectLimits(kv, connectRates)

const living = 'living session'
const ended = 'ended session'

const acceptedOf = (limits: ConnectLimits, name: keyof typeof connectRates, times: number, nowMs: number) =>
  Array.from({ length: times }, () => {
    const refusal = limits.refusal(living, [name], nowMs)
    if (!refusal) limits.take([name], nowMs)
    return refusal
  }).filter((refusal) => refusal === null).length

test('[R9] [R10] admits one burst, then as many as the rate refills', () => {
  const limits = newLimits()
  expect(acceptedOf(limits, 'connects', connectBurst + 50, 1000)).toBe(connectBurst)
  expect(acceptedOf(limits, 'newGroups', newClientGroupBurst + 5, 1000)).toBe(newClientGroupBurst)
  expect(acceptedOf(limits, 'connects', 50, 11_000)).toBe(10)
  expect(acceptedOf(limits, 'newGroups', 50, 31_000)).toBe(10)
})

test("[R9] the refusal's delay is the time until a quarter of the bucket is filled", () => {
  const limits = newLimits()
  acceptedOf(limits, 'connects', connectBurst, 1000)
  const refusal = limits.refusal(living, ['connects'], 1000)
  expect(refusal).toMatchObject({ kind: 'ServerOverloaded', minBackoffMs: 25_000, maxBackoffMs: 25_000 })
  expect(limits.refusal(living, ['connects'], 26_000)).toBeNull()
})

test('[R10] the buckets survive eviction', () => {
  const { kv } = newStorage()
  acceptedOf(newLimits(kv), 'newGroups', newClientGroupBurst, 1000)
  expect(acceptedOf(newLimits(kv), 'newGroups', 5, 1000)).toBe(0)
})

test('[R9] an ended session is refused without a read for 10 s; other sessions are not', () => {
  const limits = newLimits()
  limits.noteEnded(ended, 1000)
  expect(limits.refusal(ended, ['connects'], 10_999)).toMatchObject({ kind: 'Unauthorized' })
  expect(limits.refusal(living, ['connects'], 10_999)).toBeNull()
  expect(limits.refusal(ended, ['connects'], 11_000)).toBeNull()
})

const arrival = { subProtocol: null, sessionId: living }
const queue = { run: <T>(work: () => Promise<T>) => work() }

test('[R9] counts connects in flight, also when one fails', async () => {
  const limits = newLimits()
  const counted = limits.run(arrival, queue, async () => new Response(String(limits.inFlight)))
  expect([await (await counted).text(), limits.inFlight]).toEqual(['1', 0])
  const failed = limits.run(arrival, queue, () => Promise.reject(new Error('failed')))
  await expect(failed).rejects.toThrow('failed')
  expect(limits.inFlight).toBe(0)
})
