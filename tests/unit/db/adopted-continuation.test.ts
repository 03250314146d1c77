// A continuation after approvals whose start command was lost: the object takes the turn over from D1.
import { expect, test } from 'vitest'
import { turnEnding } from '../../../worker/chat/turn/settlement.ts'
import { turnWithoutCommand } from '../../../worker/chat/turn/turn-state.ts'
import { openTurnStatements, readOpenTurn } from '../../../worker/db/turns.ts'
import { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { insert, threadRow } from '../../support/rows.ts'

test('[Y6] it keeps the origins of the text in its context, and the figures of the turn before', async () => {
  const d1 = new MemoryD1()
  const DB = d1.binding()
  const userId = 'ada'
  const use = { requests: 1, unpriced: 0, inputTokens: 90, cachedInputTokens: 0, outputTokens: 9, reasoningTokens: 0, microDollars: 5 }
  const answer = {
    ...{ id: 'answer-one', role: 'assistant' },
    parts: [{ type: 'tool-send', toolCallId: 'c', state: 'approval-responded', input: {}, approval: { id: 'approval', approved: true } }],
    metadata: {
      ...{ modelId: 'kimi-k2', modelName: 'K', modelIcon: 'i', ending: 'completed', credits: 2, use, durationMs: 700 },
      origins: ['file', 'some-server'],
    },
  }
  await insert(DB, 'thread', threadRow(userId, { id: 'thread-one' }))
  d1.all(
    "insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt) values ('answer-one', 'thread-one', ?, null, ?, 1, 1)",
    userId,
    JSON.stringify(answer),
  )
  const turn = { generationId: 'answer-two', threadId: 'thread-one', parentId: 'question', modelId: 'kimi-k2', mode: 'chat' } as const
  const opened = { ...turn, continueId: 'answer-one', effort: null, queuedId: null, objectId: 'an object' }
  const reservation = { minimum: 1, expected: 1, credits: 3, day: 20_000, dailyLimit: 200, research: 0, researchLimit: 0 }
  await DB.batch([
    ...openTurnStatements(DB, userId, opened, reservation, 1),
    DB.prepare("update thread set status = 'submitted', streamId = 'answer-two'"),
  ])
  const open = await readOpenTurn({ DB }, userId, 'answer-two')
  if (!open) throw new Error('the turn is open')
  const record = { ...turnWithoutCommand(open, 1_000), givenChunks: 0, requestSent: false }
  const ended = { ending: 'interrupted', failure: null, endedAtMs: 1_300 } as const
  expect(turnEnding(record, ended, [], null)).toMatchObject({
    replacesId: 'answer-one',
    answer: { metadata: { origins: ['file', 'some-server'], durationMs: 300, earlier: { credits: 2, durationMs: 700, use } } },
  })
})
