// The real client at random: several pages of several browsers write, subscribe, close and reconnect, over sockets that break, with a
// concurrent other writer; at the end every page shows the database's rows. SEED replays one run. Rules: worker/sync/SPEC.md, E2, K2, P2,
// C3.
import type { Zero } from '@rocicorp/zero'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { newBrowser } from '../support/memory-store.ts'
import { type Product, startProduct, unlimitedWrites } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { createRng, type Rng } from '../support/rng.ts'
import { closePages, type Page, pageOf } from './observed-page.ts'
import { TamperedSocket } from './tampered-socket.ts'

const isLong = Boolean(process.env.PARLEY_LONG)
const firstSeed = Number(process.env.SEED ?? 1)
const seeds = process.env.SEED === undefined ? (isLong ? 200 : 2) : 1
const steps = isLong ? 300 : 100

let product: Product
beforeAll(async () => {
  TamperedSocket.install()
  product = await startProduct({ env: unlimitedWrites })
})
afterAll(async () => {
  await product?.stop()
})

type Store = ReturnType<typeof newBrowser>
type Open = { readonly page: Page; readonly browser: Store }

let made = 0
const fresh = (kind: string) => `${kind}-${process.pid}-${++made}`

/** Queries of every page, in addition to its random ones. */
function look(zero: Zero): void {
  zero.preload(queries.me())
  zero.preload(queries.models.all())
  zero.preload(queries.threads.recent())
}

const threadsOf = (zero: Zero) => zero.run(queries.threads.list({ limit: 1000 }))

async function act(rng: Rng, guest: Guest, pages: Open[]): Promise<void> {
  const open = rng.pick(pages)
  const { zero } = open.page
  const threads = await threadsOf(zero)
  const threadId = threads.length > 0 ? rng.pick(threads).id : 'no-such-thread'
  const at = Date.now()
  const question = {
    messageId: fresh('message'),
    answerId: fresh('answer'),
    parentId: null,
    modelId: 'kimi-k2',
    text: '/demo chunks=1 delay=0',
    at,
  }
  const acts: readonly (() => unknown)[] = [
    () => zero.mutate(mutators.settings.update({ nickname: fresh('name') })),
    () => zero.mutate(mutators.settings.update({ biography: fresh('life') })),
    () => zero.mutate(mutators.threads.rename({ threadId, title: fresh('title') })),
    () => zero.mutate(mutators.threads.rename({ threadId, title: fresh('title') })),
    () => zero.mutate(mutators.threads.delete({ threadIds: [threadId], at })),
    () => zero.mutate(mutators.threads.restore({ threadIds: [threadId] })),
    () => zero.mutate(mutators.threads.send({ ...question, threadId: fresh('thread') })),
    () => zero.mutate(mutators.threads.send({ ...question, threadId })),
    () => zero.mutate(mutators.threads.stop({ threadId })),
    () => zero.preload(queries.threads.one({ threadId })),
    () => zero.preload(queries.messages.newest({ threadId, limit: rng.pick([1, 3, 50]) })),
    () => zero.preload(queries.threads.list({ limit: 1 + rng.below(5) })).cleanup(),
    () => rng.pick(TamperedSocket.all).close(1000),
    () => rng.pick(TamperedSocket.all).close(1000),
    async () => {
      await zero.close()
      const browser = rng.chance(0.7) ? open.browser : newBrowser()
      const page = await pageOf(guest, { browser })
      look(page.zero)
      pages[pages.indexOf(open)] = { page, browser }
    },
    () => new Promise((resolve) => setTimeout(resolve, rng.below(30))),
  ]
  await rng.pick(acts)()
}

/** All rows of a page as text. */
async function viewOf(zero: Zero): Promise<string> {
  const me = await zero.run(queries.me(), { type: 'complete' })
  const threads = await zero.run(queries.threads.recent(), { type: 'complete' })
  const shown = await Promise.all(
    threads.map(async ({ id, title, status }) => {
      const messages = await zero.run(queries.messages.newest({ threadId: id, limit: 1000 }), { type: 'complete' })
      return { id, title, status, messages: messages.map((message) => message.id).sort() }
    }),
  )
  return JSON.stringify({ nickname: me?.setting?.nickname, biography: me?.setting?.biography, credits: me?.usage?.credits, shown })
}

function recordOf(guest: Guest): string {
  const record = openRecord(product.stateDir, true)
  try {
    const setting = record.prepare('select nickname, biography from setting where userId = ?').get(guest.userId)
    const usage = record.prepare('select credits from usage where userId = ?').get(guest.userId)
    const threads = record
      .prepare('select id, title, status from thread where userId = ? and deletedAt is null order by updatedAt desc, id limit 10')
      .all(guest.userId)
    const messages = record.prepare('select id from message where threadId = ? and deletedAt is null')
    const shown = threads.map(({ id, title, status }) => {
      const ids = messages.all(id as string).map((message) => String(message.id))
      return { id, title: title ?? null, status, messages: ids.sort() }
    })
    return JSON.stringify({ ...setting, credits: usage?.credits, shown })
  } finally {
    record.close()
  }
}

test.each(Array.from({ length: seeds }, (_, i) => firstSeed + i))(
  '[K2] random pages end with the rows of the database, seed %i',
  async (seed) => {
    const rng = createRng(seed)
    const guest = await newGuest(product.url)
    const [one, two] = [newBrowser(), newBrowser()]
    const pages: Open[] = []
    for (const browser of [one, one, two]) pages.push({ page: await pageOf(guest, { browser }), browser })
    for (const { page } of pages) look(page.zero)
    for (let step = 0; step < steps; step++) await act(rng, guest, pages)

    // Delivers everything pending: the last write of each page arrives after all of its earlier writes.
    for (const { page } of pages) {
      await page.until('connected')
      await page.zero.run(queries.me(), { type: 'complete' })
      expect(await page.zero.mutate(mutators.settings.update({ instructions: fresh('last') })).server).toMatchObject({ type: 'success' })
    }
    await expect
      .poll(async () => new Set([recordOf(guest), ...(await Promise.all(pages.map(({ page }) => viewOf(page.zero))))]).size, {
        timeout: 60_000,
        interval: 100,
      })
      .toBe(1)
    for (const { page } of pages) expect(page.states).not.toContain('error')
    const kinds = TamperedSocket.all.flatMap(({ errors }) => errors.map(({ kind }) => kind))
    expect(kinds.filter((kind) => kind !== 'ServerOverloaded')).toEqual([])
    await closePages()
    TamperedSocket.reset()
  },
)
