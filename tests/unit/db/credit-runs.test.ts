// [T8, G17] Random turns in parallel, over days, with crashes between the steps: no turn costs more than it reserved or than the limit of its
// thread, no day exceeds its credits, and the audit of ledger, usage and answers has no findings.
import { expect, test } from 'vitest'
import { turnEnding } from '../../../worker/chat/turn/settlement.ts'
import { newTurn, type TurnRecord, turnWithoutCommand } from '../../../worker/chat/turn/turn-state.ts'
import { creditState, type Plan } from '../../../worker/contract/access.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../../../worker/contract/limits.ts'
import type { TurnMode } from '../../../worker/contract/models/modes.ts'
import { exceedsTurnLimit, defaultCreditMicroDollars as price, quoteFor, reservationsFor } from '../../../worker/contract/models/quote.ts'
import type { StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import type { Ending } from '../../../worker/contract/threads/messages.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import {
  endTurn,
  openTurnStatements,
  openTurnsStatement,
  type ReservedTurn,
  readOpenTurn,
  readOpenTurns,
} from '../../../worker/db/turns.ts'
import { auditFindings } from '../../support/credit-audit.ts'
import { catalogueRows } from '../../support/migrated-db.ts'
import { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { insert, modelRequest, threadRow } from '../../support/rows.ts'

const runsPerSeed = 1_000
const dayMs = 24 * 60 * 60 * 1000
const firstDay = 20_000
const models = catalogueRows().filter(({ unavailable }) => unavailable == null)
const words: readonly StreamChunk[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Tea is a plant.' },
]
const searched: readonly StreamChunk[] = [
  { type: 'tool-input-available', toolCallId: 's', toolName: 'search', input: {} },
  { type: 'tool-output-available', toolCallId: 's', output: { results: [] } },
]

type User = { readonly id: string; readonly plan: Plan }
type Open = { readonly user: User; readonly turn: ReservedTurn; readonly turnCredits: number | null }

class World {
  readonly d1 = new MemoryD1()
  readonly env: { readonly DB: D1Database }
  readonly users: readonly User[]
  readonly open: Open[] = []
  nowMs = firstDay * dayMs
  opened = 0
  refused = 0
  readonly #rng: Rng
  /** Set for a batch that commits without an answer. */
  #losesAnswer = false

  constructor(rng: Rng) {
    this.#rng = rng
    this.env = {
      DB: this.d1.binding(async (_texts, run) => {
        const results = run()
        if (this.#losesAnswer) throw new Error('D1_ERROR: Network connection lost.')
        return results
      }),
    }
    const plans: readonly Plan[] = ['guest', 'guest', 'guest', 'free', 'pro', 'pro']
    this.users = plans.map((plan, index) => ({ id: `user-${index}`, plan }))
    for (const { id, plan } of this.users)
      if (plan === 'guest') this.d1.all('insert into guestNetwork (userId, network) values (?, ?)', id, 'network')
  }

  /** Quotes, and opens the turn with its reservation in one batch. `usage` may be older than the batch, as on a second device. */
  async begin(): Promise<void> {
    const rng = this.#rng
    const user = rng.pick(this.users)
    const model = rng.pick(models)
    const mode: TurnMode = model.capabilities?.includes('tools') && rng.chance(0.3) ? 'search' : 'chat'
    const turnCredits = rng.chance(0.3) ? 1 + rng.below(40) : null
    const quoted = {
      model,
      plan: user.plan,
      mode,
      inputTokens: 1_600 + rng.below(30_000),
      mayUseTools: rng.chance(0.3),
      turnCredits,
    } as const
    const quote = quoteFor(quoted, price)
    const [usage = null] = this.d1.all<{ day: number; credits: number }>('select day, credits from usage where userId = ?', user.id)
    const { left } = creditState(user.plan, rng.chance(0.1) ? null : usage, this.nowMs)
    const [credits] = reservationsFor([quote], left) ?? []
    if (credits === undefined || exceedsTurnLimit(quote, quoted)) {
      this.refused += 1
      return
    }
    const id = `turn-${this.opened++}`
    const turn = {
      generationId: id,
      threadId: `thread-${id}`,
      parentId: 'question',
      modelId: model.id,
      mode,
      continueId: null,
      effort: null,
    }
    const limits = {
      dailyLimit: creditsPerDay[user.plan],
      searchLimit: searchesPerDay[user.plan],
      researchLimit: researchesPerDay[user.plan],
    }
    const day = Math.max(Math.floor(this.nowMs / dayMs), usage?.day ?? 0)
    const reservation = { ...quote, credits, day, search: mode === 'search' ? 1 : 0, research: 0, ...limits }
    const { DB } = this.env
    await insert(DB, 'thread', threadRow(user.id, { id: turn.threadId, turnCredits }))
    try {
      await DB.batch([
        ...openTurnStatements(DB, user.id, { ...turn, queuedId: null, objectId: 'an object' }, reservation, this.nowMs),
        DB.prepare("update thread set status = 'submitted', streamId = ? where id = ?").bind(id, turn.threadId),
      ])
    } catch (error) {
      expect(classifyD1Error(error)).toMatchObject({
        code: expect.stringMatching(/^(credits_exhausted|tool_limit_reached|guest_limit_reached)$/),
      })
      this.refused += 1
      return
    }
    const [result] = await DB.batch([openTurnsStatement(DB, user.id)])
    const reserved = readOpenTurns(result).find(({ generationId }) => generationId === id)
    if (!reserved) throw new Error('the turn is not open')
    this.open.push({ user, turn: reserved, turnCredits })
  }

  /** Ends a turn, or crashes on the way; the ending is then repeated as the alarm does. */
  async end({ user, turn, turnCredits }: Open): Promise<void> {
    const rng = this.#rng
    const { generationId } = turn
    const model = models.find(({ id }) => id === turn.modelId)
    if (!model) throw new Error('no model')
    // The object never got the start command: nothing was sent.
    const isLost = rng.chance(0.1)
    const adopted = isLost ? await readOpenTurn(this.env, user.id, generationId) : null
    const { price: quoted, ...asked } = turn
    const command = {
      ...{ ...asked, userId: user.id, model: { ...model, credits: turn.credits }, history: [], fallbacks: [], plan: user.plan },
      ...{ needsTitle: false, profile: { name: 'Ada' }, ...(quoted && { price: { ...quoted, planMicroDollars: 0 } }) },
    }
    const begun = adopted ? turnWithoutCommand(adopted, this.nowMs) : newTurn(command, false, this.nowMs, price)
    const requests = Array.from({ length: 1 + rng.below(3) }, () =>
      modelRequest({ microDollars: rng.chance(0.15) ? null : rng.below(2 * turn.credits * price) }),
    )
    const chunks = isLost ? [] : [...(rng.chance(0.4) ? searched : []), ...(rng.chance(0.8) ? words : [])]
    const hasWords = chunks.length > 0 && chunks.at(-1) === words.at(-1)
    const record: TurnRecord = { ...begun, givenChunks: 0, requestSent: !isLost, ...(isLost ? {} : { requests }) }
    const ending: Ending = hasWords
      ? rng.pick(['completed', 'completed', 'stopped', 'failed', 'interrupted'])
      : rng.pick(['stopped', 'failed', 'interrupted'])
    // A turn may end on a later day.
    const ended = { ending, failure: null, endedAtMs: this.nowMs }
    const write = () => endTurn(this.env, turnEnding(record, ended, chunks, null))
    const crash = rng.pick(['none', 'none', 'before', 'after'] as const)
    if (crash === 'after') {
      this.#losesAnswer = true
      await write().catch(() => undefined)
      this.#losesAnswer = false
    }
    const written = await write()
    expect(written === null).toBe(crash === 'after')
    expect(await write()).toBeNull()
    const [sum] = this.d1.all<{ credits: number }>(
      "select sum(credits) credits from creditLedger where id in (?1 || ':reserve', ?1 || ':settle', ?1 || ':release')",
      generationId,
    )
    expect(sum?.credits).toBeGreaterThanOrEqual(0)
    expect(sum?.credits).toBeLessThanOrEqual(turn.credits)
    if (turnCredits !== null) expect(sum?.credits).toBeLessThanOrEqual(turnCredits)
  }
}

test.each(Array.from({ length: 10 }, (_, seed) => seed))(`${runsPerSeed} random turns: seed %i`, async (seed) => {
  const rng = createRng(seed)
  const world = new World(rng)
  while (world.opened < runsPerSeed) {
    if (rng.chance(0.02)) world.nowMs += dayMs
    if (world.open.length > 0 && rng.chance(0.45)) {
      // Several turns end at once, in any order.
      const ending = Array.from({ length: 1 + rng.below(3) }, () => world.open.splice(rng.below(world.open.length), 1)).flat()
      for (const one of ending) await world.end(one)
    } else await world.begin()
    for (const { id, plan } of world.users) {
      const [usage] = world.d1.all<{ credits: number }>('select credits from usage where userId = ?', id)
      expect(usage?.credits ?? 0).toBeLessThanOrEqual(creditsPerDay[plan])
    }
  }
  for (const one of world.open.splice(0)) await world.end(one)
  expect(world.refused).toBeGreaterThan(0)
  expect(await auditFindings('turns', (queries) => queries.map((sql) => world.d1.all<object>(sql)))).toEqual([])
  // The network of the guests paid what they were charged, and what their free failures cost.
  const [difference] = world.d1.all<{ credits: number }>(
    `select coalesce((select sum(credits) from guestUse where network = 'network'), 0)
       - sum(credits + coalesce(unpaidCredits, 0)) credits
     from creditLedger where userId in (select userId from guestNetwork)`,
  )
  expect(difference?.credits).toBe(0)
})
