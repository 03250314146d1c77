// A pending write that another device makes invalid: the real client rebases it, and must neither stop nor keep it. Rules:
// worker/sync/SPEC.md, P3.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { newGuest } from '../support/guest.ts'
import { type Product, startProduct } from '../support/product.ts'
import { connectZero } from '../support/zero-client.ts'

let product: Product
beforeAll(async () => {
  product = await startProduct()
})
afterAll(async () => {
  await product?.stop()
})

/** While `held`, pushes of this process's clients are delayed; all other frames pass. */
class SlowUpstreamSocket extends WebSocket {
  static held = new Set<string>()
  static #waiting: (() => void)[] = []
  readonly #clientID = new URL(this.url).searchParams.get('clientID') ?? ''

  override send(data: Parameters<WebSocket['send']>[0]) {
    const send = () => super.send(data)
    if (SlowUpstreamSocket.held.has(this.#clientID) && String(data).startsWith('["push"')) SlowUpstreamSocket.#waiting.push(send)
    else send()
  }

  static release() {
    SlowUpstreamSocket.held.clear()
    for (const send of SlowUpstreamSocket.#waiting.splice(0)) send()
  }
}

test('[P3] a send that another device made impossible is refused, and the connection continues', async () => {
  vi.stubGlobal('WebSocket', SlowUpstreamSocket)
  const guest = await newGuest(product.url)
  const [one, two] = [await connectZero(guest), await connectZero(guest)]
  for (const { zero } of [one, two]) await zero.preload(queries.models.all()).complete
  const ids = { threadId: `thread-${process.pid}-rebase`, parentId: null, modelId: 'kimi-k2', at: Date.now() }
  const threadOf = ({ zero }: typeof two) => zero.materialize(queries.threads.one({ threadId: ids.threadId }))
  const view = threadOf(two)
  const shown = new Promise<void>((resolve) => view.addListener((row) => row?.streamId === 'answer-of-one' && resolve()))

  SlowUpstreamSocket.held.add(two.zero.clientID)
  const late = two.zero.mutate(mutators.threads.send({ ...ids, messageId: 'message-of-two', answerId: 'answer-of-two', text: 'second' }))
  expect(await late.client).toMatchObject({ type: 'success' })
  const first = one.zero.mutate(
    mutators.threads.send({ ...ids, messageId: 'message-of-one', answerId: 'answer-of-one', text: '/demo chunks=3000 delay=20' }),
  )
  expect(await first.server).toMatchObject({ type: 'success' })
  // The first device's change arrives at the second while its write is pending: this causes the rebase.
  await shown
  expect(two.zero.connection.state.current.name).toBe('connected')

  SlowUpstreamSocket.release()
  expect(await late.server).toMatchObject({ type: 'error', error: { details: { code: 'thread_busy' } } })
  expect(two.zero.connection.state.current.name).toBe('connected')
  await two.setNickname('still here')
  await Promise.all([one.close(), two.close()])
})
