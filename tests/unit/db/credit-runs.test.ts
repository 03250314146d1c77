// [T8, G17] Random turns in parallel, over days, with crashes between the steps. Some wait for decisions on calls and go on after them: no turn costs more than it reserved or than the limit of its
// thread, no day exceeds its credits, and the audit of ledger, usage and answers has no findings.
import { expect, test } from 'vitest'
import { askedAgain } from '../../../worker/chat/tools/decided-calls.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { turnEnding } from '../../../worker/chat/turn/settlement.ts'
import { newTurn, type TurnRecord, turnWithoutCommand } from '../../../worker/chat/turn/turn-state.ts'
import { creditState, type Plan } from '../../../worker/contract/access.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../../../worker/contract/limits.ts'
import type { TurnMode } from '../../../worker/contract/models/modes.ts'
import { exceedsTurnLimit, defaultCreditMicroDollars as price, quoteFor, reservationsFor } from '../../../worker/contract/models/quote.ts'
import { searchTool } from '../../../worker/contract/models/tools.ts'
import type { StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import type { AnswerMessage, Ending } from '../../../worker/contract/threads/messages.ts'
import { allowedTools } from '../../../worker/contract/tools/allowed-calls.ts'
import { type DecidedCall, isWaitingCall, waitsForApproval, withCall } from '../../../worker/contract/tools/approvals.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { endTurn } from '../../../worker/db/turn-endings.ts'
import {
  chargeSearch,
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
type Model = (typeof models)[number]

/** The fields that both requests of a turn have. */
type Asked = {
  readonly user: User
  readonly model: Model
  readonly mode: TurnMode
  readonly threadId: string
  readonly turnCredits: number | null
}

/** An answer with undecided calls. */
type Waiting = Asked & { readonly answerId: string }

class World {
  readonly d1 = new MemoryD1()
  readonly env: { readonly DB: D1Database }
  readonly users: readonly User[]
  readonly open: Open[] = []
  readonly waiting: Waiting[] = []
  decided = 0
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
    const threadId = `thread-${this.opened}`
    const asked = { user, model, mode, threadId, turnCredits }
    await this.#openTurn(asked, null, [])
  }

  /** Decides all calls of an answer, and opens the turn that continues it in the same batch. */
  async decide(waiting: Waiting): Promise<void> {
    const rng = this.#rng
    const { DB } = this.env
    const [row] = this.d1.all<{ message: string }>(
      'select message from message where id = ?1 and not exists (select 1 from approval where messageId = ?1 and expiresAt <= ?2)',
      ...[waiting.answerId, this.nowMs],
    )
    // Nobody decided in time.
    if (!row) return
    const answer = JSON.parse(row.message) as AnswerMessage
    const answerId = `turn-${this.opened}`
    const calls = answer.parts.filter(isWaitingCall).map((call) => ({ ...call, isAllowed: rng.chance(0.6) }))
    const parts = calls.reduce(
      (all, { toolCallId, approval, isAllowed }) =>
        withCall(
          all,
          { id: approval?.id ?? '', toolCallId },
          { state: 'approval-responded', approval: { id: approval?.id ?? '', approved: isAllowed } },
        ),
      answer.parts,
    )
    const decisions = calls.map(({ approval, isAllowed }) =>
      DB.prepare('update approval set state = ?, answerId = ?, decidedAt = ? where id = ?').bind(
        ...[isAllowed ? 'allowed' : 'denied', answerId, this.nowMs, approval?.id],
      ),
    )
    const stored = DB.prepare('update message set message = ? where id = ?').bind(JSON.stringify({ ...answer, parts }), waiting.answerId)
    if (await this.#openTurn(waiting, { id: waiting.answerId, tools: allowedTools(parts) }, [...decisions, stored])) this.decided += 1
    else this.waiting.push(waiting)
  }

  /** False if the turn was refused. */
  async #openTurn(
    { user, model, mode, threadId, turnCredits }: Asked,
    continued: { readonly id: string; readonly tools: readonly string[] } | null,
    before: readonly D1PreparedStatement[],
  ): Promise<boolean> {
    const rng = this.#rng
    const quoted = {
      ...{ model, plan: user.plan, mode, turnCredits },
      ...{ inputTokens: 1_600 + rng.below(30_000), mayUseTools: rng.chance(0.3), allowedTools: continued?.tools },
    } as const
    const quote = quoteFor(quoted, price)
    const [usage = null] = this.d1.all<{ day: number; credits: number }>('select day, credits from usage where userId = ?', user.id)
    const { left } = creditState(user.plan, rng.chance(0.1) ? null : usage, this.nowMs)
    const [credits] = reservationsFor([quote], left) ?? []
    if (credits === undefined || exceedsTurnLimit(quote, quoted)) {
      this.refused += 1
      return false
    }
    const id = `turn-${this.opened++}`
    const turn = {
      ...{ generationId: id, threadId, parentId: 'question', modelId: model.id, mode },
      ...{ continueId: continued?.id ?? null, effort: null },
    }
    const limits = { dailyLimit: creditsPerDay[user.plan], researchLimit: researchesPerDay[user.plan] }
    const day = Math.max(Math.floor(this.nowMs / dayMs), usage?.day ?? 0)
    const reservation = { ...quote, credits, day, research: 0, ...limits }
    const { DB } = this.env
    if (!continued) await insert(DB, 'thread', threadRow(user.id, { id: threadId, turnCredits }))
    // The batch commits, and its answer is lost.
    this.#losesAnswer = rng.chance(0.05)
    try {
      await DB.batch([
        ...before,
        ...openTurnStatements(DB, user.id, { ...turn, queuedId: null, objectId: 'an object' }, reservation, this.nowMs),
        DB.prepare("update thread set status = 'submitted', streamId = ? where id = ?").bind(id, turn.threadId),
      ])
    } catch (error) {
      const cause = classifyD1Error(error)
      if (cause.kind === 'guard') {
        expect(cause).toMatchObject({ code: expect.stringMatching(/^(credits_exhausted|guest_limit_reached)$/) })
        this.refused += 1
        return false
      }
    } finally {
      this.#losesAnswer = false
    }
    const [result] = await DB.batch([openTurnsStatement(DB, user.id)])
    const reserved = readOpenTurns(result).find(({ generationId }) => generationId === id)
    if (!reserved) throw new Error('the turn is not open')
    this.open.push({ user, turn: reserved, turnCredits })
    return true
  }

  /** The results of the decided calls, which the turn makes before its first request. */
  async #made(user: User, { generationId }: ReservedTurn, decided: readonly DecidedCall[]): Promise<readonly StreamChunk[]> {
    const charge = { generationId, userId: user.id, searchLimit: searchesPerDay[user.plan], nowMs: this.nowMs }
    const chunks: StreamChunk[] = []
    for (const { toolCallId, tool, isAllowed } of decided) {
      if (!isAllowed) chunks.push({ type: 'tool-output-denied', toolCallId })
      else if (tool === searchTool && (await chargeSearch(this.env, charge)) !== 'charged')
        chunks.push({ type: 'tool-output-error', toolCallId, errorCode: 'searches_of_day', errorText: 'No searches are left.' })
      else chunks.push({ type: 'tool-output-available', toolCallId, output: { results: [] } })
    }
    return chunks
  }

  /** Ends a turn, or crashes on the way; the ending is then repeated as the alarm does. */
  async end({ user, turn, turnCredits }: Open): Promise<void> {
    const rng = this.#rng
    const { generationId } = turn
    const model = models.find(({ id }) => id === turn.modelId)
    if (!model) throw new Error('no model')
    // The object never got the start command: nothing was sent.
    const isLost = rng.chance(0.1)
    const stored = isLost || turn.continueId !== null ? await readOpenTurn(this.env, user.id, generationId) : null
    const adopted = isLost ? stored : null
    const decided = stored?.decided ?? []
    const given = new ChunkWriter(() => undefined, Date.now).repeat(stored?.continued ?? [])
    const { price: quoted, ...asked } = turn
    const command = {
      ...{ ...asked, userId: user.id, model: { ...model, credits: turn.credits }, history: [], fallbacks: [], plan: user.plan },
      ...{ decided, ...(stored?.replacesId !== undefined && { replacesId: stored.replacesId }) },
      ...{ needsTitle: false, profile: { name: 'Ada' }, ...(quoted && { price: { ...quoted, planMicroDollars: 0 } }) },
    }
    const begun = adopted ? turnWithoutCommand(adopted, this.nowMs) : newTurn(command, false, this.nowMs, price)
    const requests = Array.from({ length: 1 + rng.below(3) }, () =>
      modelRequest({ microDollars: rng.chance(0.15) ? null : rng.below(2 * turn.credits * price) }),
    )
    const charge = { generationId, userId: user.id, searchLimit: searchesPerDay[user.plan], nowMs: this.nowMs }
    const hasSearched = !isLost && rng.chance(0.4) && (await chargeSearch(this.env, charge)) === 'charged'
    const made = isLost ? [] : await this.#made(user, turn, decided)
    // The object restarts during the calls, before a request to the model.
    const isCut = !isLost && rng.chance(0.2)
    const called = isLost ? [] : decided.slice(0, rng.below(decided.length + 1)).map(({ toolCallId }) => toolCallId)
    const cut = [...given, ...made.slice(0, rng.below(called.length + 1))]
    const again = isLost || isCut ? askedAgain({ ...begun, givenChunks: given.length, requestSent: false, called }, cut) : null
    const asks = rng.chance(0.25) ? asking(generationId, rng) : []
    const written = [...made, ...(hasSearched ? searched : []), ...(rng.chance(0.8) ? words : []), ...asks]
    const chunks = again ? [...cut, ...again] : [...given, ...(isLost ? [] : written)]
    const hasWords = !again && !isLost && written.includes(words.at(-1) as StreamChunk)
    const isSent = !isLost && !again
    const record: TurnRecord = { ...begun, givenChunks: given.length, requestSent: isSent, called, ...(isSent ? { requests } : {}) }
    const ending: Ending =
      again || (isSent && asks.length > 0)
        ? 'completed'
        : hasWords
          ? rng.pick(['completed', 'completed', 'stopped', 'failed', 'interrupted'])
          : rng.pick(['stopped', 'failed', 'interrupted'])
    // A turn may end on a later day.
    const ended = { ending, failure: null, endedAtMs: this.nowMs }
    const settled = turnEnding(record, ended, chunks, null)
    const write = () => endTurn(this.env, settled)
    const crash = rng.pick(['none', 'none', 'before', 'after'] as const)
    if (crash === 'after') {
      this.#losesAnswer = true
      await write().catch(() => undefined)
      this.#losesAnswer = false
    }
    const outcome = await write()
    expect(outcome === null).toBe(crash === 'after')
    expect(await write()).toBeNull()
    const [sum] = this.d1.all<{ credits: number }>(
      "select sum(credits) credits from creditLedger where id in (?1 || ':reserve', ?1 || ':settle', ?1 || ':release')",
      generationId,
    )
    expect(sum?.credits).toBeGreaterThanOrEqual(0)
    expect(sum?.credits).toBeLessThanOrEqual(turn.credits)
    if (turnCredits !== null) expect(sum?.credits).toBeLessThanOrEqual(turnCredits)
    if (waitsForApproval(settled.answer.parts))
      this.waiting.push({ user, model, mode: turn.mode, threadId: turn.threadId, turnCredits, answerId: generationId })
  }
}

/** One or two calls that the answer asks for. */
const asking = (generationId: string, rng: Rng): readonly StreamChunk[] =>
  Array.from({ length: 1 + rng.below(2) }, (_, index) => `${generationId}-call-${index}`).flatMap((toolCallId): StreamChunk[] => {
    const tool = rng.pick([searchTool, 'send_mail'])
    const request = {
      ...{ source: { id: 'mail', name: 'Mail' }, tool, title: tool, description: '', digest: '1', input: {} },
      cause: 'changes',
    } as const
    return [
      { type: 'tool-input-available', toolCallId, toolName: tool, input: {} },
      { type: 'tool-approval-request', toolCallId, approvalId: `approval-of-${toolCallId}`, request },
    ]
  })

test.each(Array.from({ length: 10 }, (_, seed) => seed))(`${runsPerSeed} random turns: seed %i`, async (seed) => {
  const rng = createRng(seed)
  const world = new World(rng)
  while (world.opened < runsPerSeed) {
    if (rng.chance(0.02)) world.nowMs += dayMs
    if (world.open.length > 0 && rng.chance(0.45)) {
      // Several turns end at once, in any order.
      const ending = Array.from({ length: 1 + rng.below(3) }, () => world.open.splice(rng.below(world.open.length), 1)).flat()
      for (const one of ending) await world.end(one)
    } else if (world.waiting.length > 0 && rng.chance(0.3)) {
      const [one] = world.waiting.splice(rng.below(world.waiting.length), 1)
      if (one) await world.decide(one)
    } else await world.begin()
    for (const { id, plan } of world.users) {
      const [usage] = world.d1.all<{ credits: number }>('select credits from usage where userId = ?', id)
      expect(usage?.credits ?? 0).toBeLessThanOrEqual(creditsPerDay[plan])
    }
  }
  for (const one of world.open.splice(0)) await world.end(one)
  expect(world.refused).toBeGreaterThan(0)
  expect(world.decided).toBeGreaterThan(runsPerSeed / 20)
  expect(await auditFindings('turns', (queries) => queries.map((sql) => world.d1.all<object>(sql)))).toEqual([])
  // The network of the guests paid what they were charged, and what their free failures cost.
  const [difference] = world.d1.all<{ credits: number }>(
    `select coalesce((select sum(credits) from guestUse where network = 'network'), 0)
       - sum(credits + coalesce(unpaidCredits, 0)) credits
     from creditLedger where userId in (select userId from guestNetwork)`,
  )
  expect(difference?.credits).toBe(0)
})
