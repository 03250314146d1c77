/**
 * From a message on the sync socket to the first word on the stream. "Added to the provider" is measured in two ways:
 *   passing on: from the provider's first word to the reader; the provider thinks for longer than the product needs to call it
 *   in all: everything except the provider, including the database write before the call. A provider that responds at once hides
 *               nothing; one that thinks hides concurrent work, and its thinking time is subtracted
 * The floor does the same work with minimal code: a D1 batch, an existing object that stores its order, the provider, the stream.
 */
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { newId } from '../clients.ts'
import { type Floor, withFloor } from '../floor.ts'
import { type Blocks, pointOf, timeEach } from '../sample.ts'
import type { Provider } from './provider.ts'
import { newAsker, providerWord, type Reading, reading, turnsPerGuest, withProvider } from './turns.ts'

const blocks = 6
const warmUps = 2
const turns = turnsPerGuest - warmUps

/** Longer than either side needs to call the provider and attach the reader. */
const thinkMs = 40

type Times = { readonly toProvider: number; readonly passingOn: number; readonly inAll: number; readonly added: number }

/** `begin` sends and returns the stream. Each turn starts and ends idle. */
async function timeTurns(provider: Provider, begin: () => Promise<{ reading: Reading; rest: Promise<unknown> }>): Promise<Times[]> {
  const times: Times[] = []
  for (let turn = -warmUps; turn < turns; turn++) {
    const asked = provider.next()
    const sentAtMs = performance.now()
    const { reading: stream, rest } = await begin()
    await stream.untilWord(1)
    const call = await asked
    const receivedAtMs = stream.words[0]?.receivedAtMs ?? Number.NaN
    await stream.untilEnd()
    await rest
    const providerSentAtMs = await call.firstWordAtMs
    const [toProvider, passingOn] = [call.arrivedAtMs - sentAtMs, receivedAtMs - providerSentAtMs]
    if (turn >= 0) times.push({ toProvider, passingOn, inAll: receivedAtMs - sentAtMs, added: toProvider + passingOn })
  }
  return times
}

async function askFloor(floor: Floor, provider: Provider): Promise<Times[]> {
  const socket = await floor.connect('turn')
  const name = newId('writer')
  const times = await timeTurns(provider, async () => {
    const turn = newId('generation')
    socket.send(JSON.stringify({ name, turn, peerUrl: `${provider.url}/language-model` }))
    return { reading: await reading(() => fetch(`${floor.url}/read?name=${name}&turn=${turn}`), providerWord), rest: Promise.resolve() }
  })
  socket.close()
  return times
}

async function askProduct(url: string, provider: Provider): Promise<Times[]> {
  const asker = await newAsker(url)
  const times = await timeTurns(provider, async () => {
    const turn = asker.ask()
    return { reading: await asker.read(turn), rest: turn.ready }
  })
  await asker.client.close()
  return times
}

const pick = (taken: readonly (readonly Times[])[], name: keyof Times): Blocks => taken.map((block) => block.map((times) => times[name]))

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'T1',
    name: 'send to first word',
    unit: 'ms',
    run: () =>
      withProvider({ words: 2 }, (product, provider) =>
        withFloor(async (floor) => {
          const upstream = async () =>
            timeEach(20, async () => {
              const stream = await reading(
                () =>
                  fetch(`${provider.url}/language-model`, {
                    method: 'POST',
                    headers: { 'ai-language-model-streaming': 'true' },
                    body: '{}',
                  }),
                providerWord,
              )
              await stream.untilEnd()
            })
          const taken: { [side: string]: Times[][] } = { thinking: [], thinkingFloor: [], ours: [], floor: [] }
          const alone = []
          for (let block = 0; block < blocks; block++) {
            provider.pace = { words: 2 }
            alone.push(await upstream())
            taken.floor?.push(await askFloor(floor, provider))
            taken.ours?.push(await askProduct(product.url, provider))
            provider.pace = { words: 2, thinkMs }
            taken.thinkingFloor?.push(await askFloor(floor, provider))
            taken.thinking?.push(await askProduct(product.url, provider))
          }
          const side = (name: string, times: keyof Times) => pick(taken[name] ?? [], times)
          return [
            pointOf('passing on, provider thinks 40 ms, p50', side('thinking', 'passingOn'), side('thinkingFloor', 'passingOn')),
            pointOf('passing on, p99', side('thinking', 'passingOn'), side('thinkingFloor', 'passingOn'), { share: 0.99 }),
            pointOf('in all without its thinking, provider thinks 40 ms, p50', side('thinking', 'added'), side('thinkingFloor', 'added'), {
              mustHold: { overFloor: 20 },
            }),
            pointOf('in all, provider answers at once, p50', side('ours', 'inAll'), side('floor', 'inAll'), {
              mustHold: { overFloor: 20 },
            }),
            pointOf('in all, p99', side('ours', 'inAll'), side('floor', 'inAll'), { share: 0.99 }),
            pointOf('until the provider is asked, p50', side('ours', 'toProvider'), side('floor', 'toProvider')),
            pointOf('the provider alone, p50', alone, null),
          ]
        }),
      ),
  },
]
