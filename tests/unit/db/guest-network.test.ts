// [T8] Guests behind one network: running turns do not take its credits from the others, and together they never exceed them.
import { describe, expect, test } from 'vitest'
import { creditState } from '../../../worker/contract/access.ts'
import { creditsPerDay, guestNetworkCreditsPerDay } from '../../../worker/contract/limits.ts'
import { defaultCreditMicroDollars, reservationsFor } from '../../../worker/contract/models/quote.ts'
import { turnQuote } from '../../../worker/contract/models/turn-quote.ts'
import type { RowOf } from '../../../worker/contract/schema.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { endTurn } from '../../../worker/db/turn-endings.ts'
import { openTurnStatements } from '../../../worker/db/turns.ts'
import { catalogueRows } from '../../support/migrated-db.ts'
import { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { insert, threadRow } from '../../support/rows.ts'

const nowMs = 20_000 * 86_400_000
const models = catalogueRows().filter(({ unavailable, access }) => unavailable == null && access === 'public')

/** Every guest sends this to the model, before any answer has ended. Returns the ids of the opened turns. */
async function sendAll(d1: MemoryD1, model: RowOf<'model'>, guests: number, text: string): Promise<readonly string[]> {
  const DB = d1.binding()
  const path = [{ parentId: null, message: { id: 'question', role: 'user', parts: [{ type: 'text', text }] } as const }]
  const quote = turnQuote(
    { model, plan: 'guest', mode: 'chat', effort: null, path, definitionTokens: 0, hasMemory: false },
    defaultCreditMicroDollars,
  )
  const [credits] = reservationsFor([quote], creditState('guest', null, nowMs).left) ?? []
  if (credits === undefined) throw new Error('a guest has the credits of a day')
  const send = async (index: number) => {
    const userId = `guest-${index}`
    d1.all('insert into guestNetwork (userId, network) values (?, ?)', userId, 'network')
    await insert(DB, 'thread', threadRow(userId, { id: `thread-${index}` }))
    const turn = {
      generationId: `turn-${index}`,
      threadId: `thread-${index}`,
      parentId: 'question',
      modelId: model.id,
      mode: 'chat',
    } as const
    const reservation = { ...quote, credits, day: 20_000, dailyLimit: creditsPerDay.guest, research: 0, researchLimit: 0 }
    const opened = { ...turn, continueId: null, effort: null, queuedId: null, objectId: 'an object' }
    try {
      await DB.batch([
        ...openTurnStatements(DB, userId, opened, reservation, nowMs),
        DB.prepare("update thread set status = 'submitted', streamId = ? where id = ?").bind(turn.generationId, turn.threadId),
      ])
      return [turn.generationId]
    } catch (error) {
      expect(classifyD1Error(error)).toMatchObject({ code: 'guest_limit_reached' })
      return []
    }
  }
  return (await Promise.all(Array.from({ length: guests }, (_, index) => send(index)))).flat()
}

const usedBy = (d1: MemoryD1): number =>
  d1.all<{ credits: number }>("select credits from guestUse where network = 'network'").reduce((sum, { credits }) => sum + credits, 0)

describe('guests of one network', () => {
  test.each(models.map((model) => [model.id, model] as const))('60 send at once, and each gets an answer: %s', async (_, model) => {
    const d1 = new MemoryD1()
    expect(await sendAll(d1, model, 60, 'Explain tea in detail.')).toHaveLength(60)
    expect(usedBy(d1)).toBeLessThanOrEqual(guestNetworkCreditsPerDay)
  })

  test('never use more than its credits, whatever their answers cost', async () => {
    const [model] = models
    if (!model) throw new Error('no model')
    const d1 = new MemoryD1()
    const opened = await sendAll(d1, model, 250, 'x'.repeat(20_000))
    expect(opened.length).toBeGreaterThanOrEqual(20)
    expect(opened.length).toBeLessThan(250)
    expect(usedBy(d1)).toBeLessThanOrEqual(guestNetworkCreditsPerDay)
    for (const id of opened) {
      const index = id.slice('turn-'.length)
      const metadata = { modelId: model.id, modelName: '', modelIcon: '', ending: 'completed', credits: 99 } as const
      await endTurn(
        { DB: d1.binding() },
        {
          ...{ generationId: id, userId: `guest-${index}`, threadId: `thread-${index}`, parentId: 'question', charged: true, credits: 99 },
          ...{ keepsSearch: false, keepsResearch: false, title: null, requests: [], endedAtMs: nowMs },
          answer: { id, role: 'assistant', parts: [{ type: 'text', text: 'Tea.' }], metadata },
        },
      )
    }
    expect(usedBy(d1)).toBeLessThanOrEqual(guestNetworkCreditsPerDay)
  })
})
