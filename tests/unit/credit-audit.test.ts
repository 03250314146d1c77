// The audit that runs after other tests, on a valid database and on databases with one fault: each rule detects its faults.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { turnEnding } from '../../worker/chat/turn/settlement.ts'
import { unpaidTurnsPerDay } from '../../worker/contract/limits.ts'
import type { TurnMode } from '../../worker/contract/models/modes.ts'
import type { StreamChunk } from '../../worker/contract/threads/message-stream.ts'
import type { Ending } from '../../worker/contract/threads/messages.ts'
import { linkGuest } from '../../worker/db/account-linking.ts'
import { endTurn } from '../../worker/db/turn-endings.ts'
import { chargeSearch, openTurnStatements } from '../../worker/db/turns.ts'
import { auditFindings, auditRules } from '../support/credit-audit.ts'
import { MemoryD1 } from '../support/node-object/memory-d1.ts'
import { insert, modelRequest, threadRow } from '../support/rows.ts'

const day = 20_000
const answered = (toolName: string): StreamChunk[] => [
  { type: 'tool-input-available', toolCallId: toolName, toolName, input: { step: 'step-1' } },
  { type: 'tool-output-available', toolCallId: toolName, output: { results: [], text: 'Tea.', steps: [] } },
]
const words: StreamChunk[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Tea is a plant.' },
]

const reasoningChunks: StreamChunk[] = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Tea?' },
]

/** One turn as the product creates it; null: it is still running. */
async function turn(
  env: { DB: D1Database },
  id: string,
  mode: TurnMode,
  outcome: { ending: Ending; chunks: StreamChunk[] } | null,
  continueId: string | null,
) {
  const [userId, threadId, parentId] = ['ada', `thread-${id}`, 'question']
  await insert(env.DB, 'thread', threadRow(userId, { id: threadId }))
  const limits = { dailyLimit: 200, researchLimit: 15 }
  const reservation = { credits: 3, minimum: 3, expected: 3, day, research: mode === 'research' ? 1 : 0, ...limits }
  const asked = { generationId: id, threadId, parentId, modelId: 'kimi-k2', mode, continueId, effort: null, queuedId: null }
  await env.DB.batch([
    ...openTurnStatements(env.DB, userId, { ...asked, objectId: 'an object' }, reservation, 1),
    env.DB.prepare("update thread set status = 'submitted', streamId = ? where id = ?").bind(id, threadId),
  ])
  if (mode === 'search') expect(await chargeSearch(env, { generationId: id, userId, searchLimit: 50, nowMs: 1 })).toBe('charged')
  if (!outcome) return
  const model = { id: 'kimi-k2', name: 'Kimi K2', icon: 'moonshot', credits: 3 }
  const given = continueId === null ? [] : answered('plan')
  const written = {
    generationId: id,
    userId,
    threadId,
    parentId,
    model,
    mode,
    demo: false,
    title: null,
    givenChunks: given.length,
    startedAtMs: 1,
    requestSent: true,
    requests: [modelRequest(), modelRequest({ microDollars: null })],
  }
  await endTurn(env, turnEnding(written, { ending: outcome.ending, failure: null, endedAtMs: 2 }, [...given, ...outcome.chunks], null))
}

let sound: Uint8Array
const d1 = new MemoryD1()

beforeAll(async () => {
  const env = { DB: d1.binding() }
  const ended = (ending: Ending, ...chunks: StreamChunk[]) => ({ ending, chunks })
  await turn(env, 'chat', 'chat', ended('completed', ...words), null)
  await turn(env, 'nothing', 'chat', ended('failed'), null)
  await turn(env, 'search', 'search', ended('completed', ...answered('search'), ...words), null)
  await turn(env, 'search-failed', 'search', ended('completed', ...words), null)
  await turn(env, 'no-words', 'search', ended('interrupted', ...answered('search')), null)
  await turn(env, 'left-search', 'search', ended('stopped', ...answered('search')), null)
  await turn(env, 'plan', 'research', ended('completed', ...answered('plan')), null)
  await turn(env, 'report', 'research', ended('completed', ...answered('search'), ...answered('findings'), ...words), 'plan')
  await turn(env, 'no-report', 'research', ended('failed', ...answered('search'), ...answered('findings')), 'plan')
  await turn(env, 'left', 'research', ended('stopped', ...answered('search'), ...answered('findings')), 'plan')
  await turn(env, 'left-thinking', 'chat', ended('stopped', ...reasoningChunks), null)
  await turn(env, 'open', 'research', null, 'plan')
  sound = d1.image()
})

beforeEach(() => d1.restore(sound))

const findings = () => auditFindings('turns', (queries) => queries.map((sql) => d1.all<object>(sql)))

test('a valid database has no findings', async () => {
  expect(await findings()).toEqual([])
  expect(d1.all('select credits, search, research from usage')).toEqual([{ credits: 24, search: 2, research: 3 }])
})

/** Removes every guard of the ledger and of turns. */
const unguarded = () => {
  for (const { name } of d1.all<{ name: string }>(
    "select name from sqlite_master where type = 'trigger' and tbl_name in ('creditLedger', 'generation', 'message', 'thread', 'modelRequest')",
  ))
    if (!name.endsWith('counted')) d1.database.exec(`drop trigger ${name}`)
}

const hold = (id: string, columns: string) =>
  `insert into creditLedger (id, userId, generationId, kind, credits, search, research, day, dailyLimit, searchLimit, researchLimit, createdAt)
   select '${id}' || value, 'ada', '${id}' || value, 'reserve', ${columns}, ${day}, 200, 50, 15, 1 from generate`
const times = (count: number, statement: string) =>
  statement.replace('from generate', `from json_each('[${Array.from({ length: count }, (_, index) => index).join(',')}]')`)
const ending = (id: string, column: string, value: number | string) =>
  `update creditLedger set ${column} = ${value} where generationId = '${id}' and kind <> 'reserve'`
const charged = (id: string, column: string, value: number | string) =>
  `update creditLedger set ${column} = ${value} where id = '${id}:search'`
const held = (id: string, column: string, value: number | string) =>
  `update creditLedger set ${column} = ${value} where generationId = '${id}' and kind = 'reserve'`

const restored = (credits: number, userId = 'ada') =>
  `insert into creditLedger (id, userId, generationId, kind, credits, day, createdAt)
   values ('restored', '${userId}', 'used-before:${userId}:${day}', 'reserve', ${credits}, ${day}, 1)`

test('usage restored from a deleted account may exceed the limits of a smaller plan, also with the usage of a linked guest', async () => {
  d1.database.exec(`${restored(150, 'ben')};
    insert into creditLedger (id, userId, generationId, kind, credits, day, dailyLimit, createdAt)
      values ('guest', 'gus', 'guest', 'reserve', 5, ${day}, 20, 1)`)
  await linkGuest({ DB: d1.binding() }, { guestId: 'gus', accountId: 'ben' }, 1)
  expect(d1.all("select userId, credits from usage where userId in ('ben', 'gus')")).toEqual([{ userId: 'ben', credits: 155 }])
  expect(await findings()).toEqual([])
})

const faults: { readonly [rule: string]: readonly string[] } = {
  'usage is the sum of the ledger for its day': ['credits', 'search', 'research'].map(
    (column) => `update usage set ${column} = ${column} + 1`,
  ),
  'usage counts the newest day': ['update usage set day = day - 1', 'delete from usage'],
  'a turn is reserved once and ends once': [
    "delete from creditLedger where id = 'chat:reserve'",
    `insert into creditLedger (id, userId, generationId, kind, credits, day, createdAt, research)
      select 'again', userId, generationId, 'release', -credits, day, 1, -research from creditLedger where id = 'report:reserve'`,
  ],
  'what ends a turn keeps at most what was held and gives the rest back, each once, on its day': [
    ending('no-report', 'research', -7),
    ending('no-report', 'research', 1),
    ending('no-report', 'credits', -4),
    ending('nothing', 'credits', 0),
    ending('nothing', 'research', -1),
    ending('chat', 'credits', -4),
    ending('chat', 'credits', 1),
    ending('nothing', 'unpaidCredits', 4),
    ending('chat', 'day', day + 1),
    ending('chat', 'userId', "'ben'"),
  ],
  'the search of a turn is charged once, and given back once, on its day': [
    charged('search', 'search', 2),
    charged('search', 'credits', 1),
    "update creditLedger set search = -2 where id = 'search-failed:search:release'",
    "update creditLedger set day = day + 1 where id = 'search-failed:search:release'",
    "delete from creditLedger where id = 'search-failed:search'",
  ],
  'a search is charged to a turn that is no research, by the limits of a plan': [
    charged('search', 'searchLimit', 51),
    charged('search', 'searchLimit', 'null'),
    charged('search', 'day', 'day - 1'),
    "update generation set mode = 'research' where id = 'search-failed'",
  ],
  'a search that was answered is paid with its answer': ["delete from creditLedger where id = 'search:search'"],
  'no day is overspent': [
    times(20, hold('more-', '0, 0, 1')),
    times(60, hold('more-', '0, 1, 0')),
    times(90, hold('more-', '3, 0, 0')),
    `${restored(150)}; ${times(20, hold('more-', '3, 0, 0'))}`,
    held('report', 'research', -4),
    held('chat', 'credits', -40),
  ],
  'usage is the sum of the ledger for its month': [
    'update usage set monthCredits = monthCredits + 1',
    'update usage set monthStart = monthStart - 30',
  ],
  'the use of a day, model and project is the sum of its ended turns': [
    ...['credits', 'searches', 'tokens', 'microDollars', 'unpriced'].map((column) => `update dailyUse set ${column} = ${column} + 1`),
    'delete from dailyUse',
    "update dailyUse set userId = 'ben'",
    'update dailyUse set day = day + 1',
    "update dailyUse set modelId = 'another model'",
    "update dailyUse set projectId = 'a project'",
    "delete from creditLedger where id = 'chat:settle'",
    "delete from modelRequest where id = 'chat:answer:1'",
  ],
  'guests stay below their ceilings': [
    `insert into guestUse (day, network, credits) values (${day}, 'n', 201), (${day}, '', 201)`,
    `insert into guestUse (day, network, credits) values (${day}, 'n', -1), (${day}, '', -1)`,
    `insert into guestUse (day, network, credits) values (${day}, '', 20001)`,
  ],
  'guests of wider networks stay below their ceilings': [
    `insert into guestWideUse values (${day}, 's', 'site', 401)`,
    `insert into guestWideUse values (${day}, 'b', 'block', 2001)`,
    `insert into guestWideUse values (${day}, 'p', 'provider', 5001)`,
    `insert into guestWideUse values (${day}, 'p', 'provider', -1)`,
  ],
  'all guests used what their networks used': [`insert into guestUse (day, network, credits) values (${day}, 'n', 5), (${day}, '', 4)`],
  'a network counts at least what the ledger says': [
    `insert into guestReservation values ('chat', 'n', ${day}); insert into guestUse (day, network, credits) values (${day}, 'n', 2), (${day}, '', 2)`,
  ],
  'what is held is what the turn is for, by the limits of a plan': [
    held('chat', 'research', 1),
    held('chat', 'search', 1),
    held('plan', 'research', 0),
    held('report', 'credits', 2),
    held('report', 'researchLimit', 16),
    held('chat', 'dailyLimit', 20),
  ],
  'no more turns of a day end unpaid than the limit allows': [
    `insert into creditLedger (id, userId, generationId, kind, credits, day, createdAt, unpaid)
     select 'more-' || value, 'ada', 'more-' || value, 'release', 0, ${day}, 1, 1 from json_each('[${Array.from({ length: unpaidTurnsPerDay }, (_, index) => index).join(',')}]')`,
  ],
  'an unpaid turn is one that has ended': [held('chat', 'unpaid', 1)],
  'an answer without a word is free, unless it was stopped or the limit of unpaid turns is reached': [
    ending('no-words', 'search', 0),
    "update generation set status = 'failed' where id = 'left-search'",
    ending('no-report', 'research', 0),
    "update creditLedger set kind = 'settle', credits = 0 where id = 'nothing:release'",
    "update generation set status = 'interrupted' where id = 'left'",
  ],
  'a stopped answer that showed reasoning is paid': [
    "update creditLedger set kind = 'release', credits = -3 where id = 'left-thinking:settle'",
  ],
  'an answer with words of its own is paid': ["update creditLedger set kind = 'release', credits = -3 where id = 'chat:settle'"],
  'a search that was not answered is given back with an answer that was not stopped': [ending('search-failed', 'search', 0)],
  'what is held belongs to a turn that is being written': [
    "delete from creditLedger where generationId = 'open'",
    "update generation set status = 'open' where id = 'chat'",
  ],
  'a thread waits for exactly the turn that is open in it': [
    "update thread set status = 'ready' where id = 'thread-open'",
    "update thread set status = 'submitted', streamId = 'chat' where id = 'thread-chat'",
  ],
  'an answer says what it cost': ["update message set message = json_set(message, '$.metadata.credits', 1) where id = 'chat'"],
  'an ended turn has its answer': [
    "delete from message where id = 'chat'",
    "update message set threadId = 'thread-nothing' where id = 'chat'",
    "update message set message = json_set(message, '$.role', 'user') where id = 'chat'",
  ],
  'daily use is the sum of its requests': [
    ...['requests', 'unpriced', 'inputTokens', 'cachedInputTokens', 'outputTokens', 'reasoningTokens', 'microDollars'].map(
      (column) => `update dailyModelUse set ${column} = ${column} + 1`,
    ),
    'delete from dailyModelUse',
    "delete from modelRequest where id = 'chat:answer:1'",
    "update dailyModelUse set model = 'another/model'",
    'update dailyModelUse set day = day + 1',
  ],
  'no daily use is negative': [
    `insert into dailyModelUse values (${day}, '', 'm', 'p', 1, 0, 0, 0, 0, 0, -1)`,
    `insert into dailyModelUse values (${day}, '', 'm', 'p', 1, 2, 0, 0, 0, 0, 0)`,
  ],
  'a request belongs to a turn, has its owner, and counts on the day of its reservation': [
    "update modelRequest set generationId = 'no-turn' where id = 'chat:answer:1'",
    "update modelRequest set userId = 'ben' where id = 'chat:answer:1'",
    "update modelRequest set day = day + 1 where id = 'chat:answer:1'",
    `insert into modelRequest (id, userId, generationId, purpose, day, model, provider) values ('open:answer:1', 'ada', 'open', 'answer', ${day}, 'm', 'p')`,
  ],
  'an answer shows what its requests used': [
    "update modelRequest set microDollars = microDollars + 1 where id = 'chat:answer:1'",
    "update modelRequest set reasoningTokens = null where id = 'chat:answer:1'",
    "delete from modelRequest where id = 'chat:answer:2'",
    "update message set message = json_set(message, '$.metadata.use.inputTokens', 1) where id = 'chat'",
    "update message set message = json_remove(message, '$.metadata.use') where id = 'chat'",
  ],
  'an answer with words of its own has a request, unless the demo model wrote it': [
    "delete from modelRequest where generationId = 'chat'",
    "update message set message = json_set(message, '$.metadata.demo', json('false')) where id = 'chat'; update modelRequest set purpose = 'title' where generationId = 'chat'",
  ],
  'a thread shows the sum of its requests': [
    "update thread set tokens = tokens + 1 where id = 'thread-chat'",
    "update thread set microDollars = null where id = 'thread-chat'",
    "update thread set unpriced = 0 where id = 'thread-chat'",
    "delete from modelRequest where id = 'chat:answer:1'",
  ],
}

test('every rule has test faults', () => expect(Object.keys(faults).toSorted()).toEqual(auditRules.toSorted()))

describe.each(Object.entries(faults))('%s', (rule, statements) => {
  test.each(statements)('detects fault %#', async (statement) => {
    unguarded()
    d1.database.exec(statement)
    expect(
      (await findings()).filter((finding) => finding.startsWith(`not true: ${rule}: `)),
      statement,
    ).toHaveLength(1)
  })
})
