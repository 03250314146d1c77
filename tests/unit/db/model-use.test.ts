// Requests to models in D1: recorded with the ending of their turn, once, and in the sums of the day.
import { beforeEach, describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../../worker/contract/models/model-use.ts'
import { linkGuest } from '../../../worker/db/account-linking.ts'
import { removeContent } from '../../../worker/db/delete-user.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { endTurn, type TurnEnding } from '../../../worker/db/turn-endings.ts'
import { auditFindings } from '../../support/credit-audit.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { generationRow, insert, ledgerRow, modelRequest, requestRow, threadRow, userRow } from '../../support/rows.ts'

const day = 20_000
let DB = createNodeD1()
beforeEach(() => {
  DB = createNodeD1()
})
const all = async (sql: string) => (await DB.prepare(sql).all<Record<string, unknown>>()).results

/** An open turn, whose ids follow from `id`. */
async function openTurn(id: string, userId = 'ada'): Promise<void> {
  await insert(DB, 'thread', threadRow(userId, { id: `thread-${id}`, status: 'submitted', streamId: id }))
  await insert(DB, 'generation', generationRow(userId, `thread-${id}`, { id, day }))
  await insert(DB, 'creditLedger', ledgerRow(userId, id, 'reserve', { day, dailyLimit: 200 }))
}

const endingOf = (id: string, requests: readonly ModelRequest[], userId = 'ada'): TurnEnding => ({
  ...{ generationId: id, userId, threadId: `thread-${id}`, parentId: 'question', title: null, endedAtMs: 2 },
  ...{ charged: true, credits: 1, keepsSearch: false, keepsResearch: false, requests },
  answer: {
    ...{ id, role: 'assistant', parts: [{ type: 'text', text: 'yes' }] },
    metadata: { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot', ending: 'completed', credits: 1 },
  },
})

const daily = () => all('select userId, model, requests, unpriced, inputTokens, microDollars from dailyModelUse order by userId, model')
const findings = () => auditFindings('ledger', (queries) => Promise.all(queries.map(all)))

describe('the end of a turn', () => {
  const two = [modelRequest(), modelRequest({ inputTokens: 100, outputTokens: null, microDollars: null })]

  test('records its requests, the sums of the day and the sum of the thread, once', async () => {
    await openTurn('turn')
    expect(await endTurn({ DB }, endingOf('turn', two))).not.toBeNull()
    expect(await endTurn({ DB }, endingOf('turn', two))).toBeNull()
    expect(await all('select id, userId, purpose, day, inputTokens, outputTokens, microDollars from modelRequest order by id')).toEqual([
      { id: 'turn:answer:1', userId: 'ada', purpose: 'answer', day, inputTokens: 10, outputTokens: 3, microDollars: 25 },
      { id: 'turn:answer:2', userId: 'ada', purpose: 'answer', day, inputTokens: 100, outputTokens: null, microDollars: null },
    ])
    expect(await daily()).toEqual([
      { userId: 'ada', model: 'moonshotai/kimi-k2', requests: 2, unpriced: 1, inputTokens: 110, microDollars: 25 },
    ])
    expect(await all('select tokens, microDollars, unpriced from thread')).toEqual([{ tokens: 113, microDollars: 25, unpriced: 1 }])
    expect(await findings()).toEqual([])
  })

  test('adds to the sums of the thread and the day, by model and provider', async () => {
    await openTurn('first')
    await openTurn('second')
    await endTurn({ DB }, endingOf('first', [modelRequest()]))
    await endTurn({ DB }, endingOf('second', [modelRequest(), modelRequest({ model: 'openai/gpt-5' })]))
    expect(await daily()).toEqual([
      { userId: 'ada', model: 'moonshotai/kimi-k2', requests: 2, unpriced: 0, inputTokens: 20, microDollars: 50 },
      { userId: 'ada', model: 'openai/gpt-5', requests: 1, unpriced: 0, inputTokens: 10, microDollars: 25 },
    ])
    expect(await findings()).toEqual([])
  })

  test('keeps figures unknown if none is known', async () => {
    await openTurn('turn')
    const unknown = { inputTokens: null, cachedInputTokens: null, outputTokens: null, reasoningTokens: null, microDollars: null }
    await endTurn({ DB }, endingOf('turn', [modelRequest(unknown)]))
    expect(await all('select tokens, microDollars, unpriced from thread')).toEqual([{ tokens: null, microDollars: null, unpriced: 1 }])
  })

  test('records nothing if any statement of the batch fails', async () => {
    await openTurn('turn')
    await insert(DB, 'modelRequest', requestRow('ada', 'turn'))
    await expect(endTurn({ DB }, endingOf('turn', two))).rejects.toThrow()
    expect(await all('select status from generation')).toEqual([{ status: 'open' }])
    expect(await all("select id from creditLedger where kind <> 'reserve'")).toEqual([])
    expect(await daily()).toMatchObject([{ requests: 1 }])
  })
})

test('a recorded request is never changed', async () => {
  await insert(DB, 'modelRequest', requestRow('ada', 'turn'))
  const error: unknown = await DB.prepare('update modelRequest set microDollars = 0')
    .run()
    .catch((failure: unknown) => failure)
  expect(classifyD1Error(error)).toEqual({ kind: 'guard', code: 'ledger_immutable' })
})

test('the sums of deleted users stay, without their ids', async () => {
  for (const userId of ['ada', 'ben']) {
    await insert(DB, 'modelRequest', requestRow(userId, `turn-of-${userId}`))
    await removeContent({ DB }, userId, 1)
    await removeContent({ DB }, userId, 1)
  }
  expect(await all('select id from modelRequest')).toEqual([])
  expect(await daily()).toEqual([{ userId: '', model: 'moonshotai/kimi-k2', requests: 2, unpriced: 0, inputTokens: 20, microDollars: 50 }])
  expect(await findings()).toEqual([])
})

test('linking a guest adds the sums of the guest to those of the account, once', async () => {
  for (const userId of ['guest', 'account']) {
    await insert(DB, 'user', userRow({ id: userId, isAnonymous: userId === 'guest' ? 1 : 0 }))
    await insert(DB, 'modelRequest', requestRow(userId, `turn-of-${userId}`))
  }
  for (let time = 0; time < 2; time++) await linkGuest({ DB }, { guestId: 'guest', accountId: 'account' }, 1)
  expect(await daily()).toMatchObject([{ userId: 'account', requests: 2, microDollars: 50 }])
  expect(await findings()).toEqual([])
})
