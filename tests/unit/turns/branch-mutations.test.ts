// Versions, deletion, forks, effort and the queue as mutations on the server: writes and refusals.
import { describe, expect, test } from 'vitest'
import { maxForkMessages, maxOffTools, maxTitleChars } from '../../../worker/contract/limits.ts'
import type { Engine, Json } from '../../../worker/sync/engine/types.ts'
import type { Outcome } from '../../../worker/sync/pull/source.ts'
import { answered, effectsIn, type Given, overlayOf, replicaOf, runNamed, userId, userMessage, userRows } from '../sync/replica.ts'

const nowMs = 1_800_000_000_000
const levels = ['model', { effort: ['low', 'high', 'max'] }] as const

async function run(engine: Engine, name: string, args: Json): Promise<Outcome> {
  return runNamed(overlayOf(engine), name, args, nowMs)
}

const writesOf = (outcome: Outcome) => (outcome.type === 'applied' ? outcome.writes : outcome.error.details)
const codeOf = (outcome: Outcome) => (outcome.type === 'refused' ? (outcome.error.details as { code: string }).code : outcome.type)

/** Two questions with answers; the first has a second answer. */
const conversation: readonly Given[] = [
  userMessage('question-1', null),
  answered('answer-1a', 'question-1'),
  userMessage('question-2', 'answer-1a'),
  answered('answer-2a', 'question-2'),
  answered('answer-1b', 'question-1'),
]
const place = (messageId: string) => ({ threadId: 'thread-one', messageId, at: 1 })
const replica = (thread: object = { headId: 'answer-2a' }, ...more: readonly Given[]) =>
  replicaOf(...userRows, ['thread', { ...thread }], ...conversation, ...more)
const moved = (headId: string) => ({ kind: 'update', table: 'thread', row: { id: 'thread-one', headId } })

describe('showing another version', () => {
  test('shows its branch and changes nothing else in the thread', async () => {
    expect(writesOf(await run(replica(), 'threads.show', place('answer-1b')))).toEqual([moved('answer-1b')])
    expect(writesOf(await run(replica({ headId: 'answer-1b' }), 'threads.show', place('answer-1a')))).toEqual([moved('answer-2a')])
    expect(writesOf(await run(replica(), 'threads.show', place('answer-2a')))).toEqual([])
  })

  test.each([
    ['while an answer is written', replica({ status: 'submitted', headId: 'answer-2a' }), place('answer-1b'), 'thread_busy'],
    [
      'when it was deleted',
      replica({ headId: 'answer-2a' }, ['message', { id: 'gone-long', parentId: 'question-1', deletedAt: 5 }]),
      place('gone-long'),
      'not_found',
    ],
    ['of another thread', replica(), { ...place('answer-1b'), threadId: 'not-there' }, 'not_found'],
  ] as const)('is refused for %s', async (_what, engine, args, code) => expect(codeOf(await run(engine, 'threads.show', args))).toBe(code))
})

describe('deleting a message', () => {
  const deleted = (id: string) => ({ kind: 'update', table: 'message', row: { id, deletedAt: nowMs } })

  test('shows its other version, or the message before it', async () => {
    expect(writesOf(await run(replica(), 'messages.delete', place('answer-1a')))).toEqual([deleted('answer-1a'), moved('answer-1b')])
    expect(writesOf(await run(replica(), 'messages.delete', place('question-2')))).toEqual([deleted('question-2'), moved('answer-1a')])
    expect(writesOf(await run(replica(), 'messages.delete', place('answer-1b')))).toEqual([deleted('answer-1b')])
  })

  test('is refused for the only first message and while an answer is being written', async () => {
    expect(codeOf(await run(replica(), 'messages.delete', place('question-1')))).toBe('invalid_request')
    expect(codeOf(await run(replica({ status: 'stopping' }), 'messages.delete', place('question-2')))).toBe('thread_busy')
  })

  test('restores it with its replies', async () => {
    const engine = replicaOf(
      ...userRows,
      ['thread', { headId: 'answer-1a' }],
      ...conversation.slice(0, 2),
      ['message', { id: 'question-2', parentId: 'answer-1a', deletedAt: 5 }],
      answered('answer-2a', 'question-2'),
    )
    const back = { kind: 'update', table: 'message', row: { id: 'question-2', deletedAt: null } }
    expect(writesOf(await run(engine, 'messages.restore', place('question-2')))).toEqual([back, moved('answer-2a')])
  })

  test('hides the bookmarks below it, and shows them again when it is restored', async () => {
    const marked = (bookmarkedAt: number, deletedAt: number | null) =>
      replicaOf(
        ...userRows,
        ['thread', { headId: 'answer-1a' }],
        ...conversation.slice(0, 2),
        ['message', { id: 'question-2', parentId: 'answer-1a', deletedAt, bookmarkedAt: 7 }],
        ['message', { id: 'answer-2a', parentId: 'question-2', bookmarkedAt }],
      )
    const bookmark = (bookmarkedAt: number) => ({ kind: 'update', table: 'message', row: { id: 'answer-2a', bookmarkedAt } })
    expect(writesOf(await run(marked(8, null), 'messages.delete', place('question-2')))).toContainEqual(bookmark(-8))
    expect(writesOf(await run(marked(-8, 5), 'messages.restore', place('question-2')))).toContainEqual(bookmark(8))
  })

  test('restores it without leaving the branch that is shown now', async () => {
    const engine = replicaOf(
      ...userRows,
      ['thread', { headId: 'answer-1b' }],
      ...conversation.slice(0, 2),
      answered('answer-1b', 'question-1'),
      ['message', { id: 'question-2', parentId: 'answer-1a', deletedAt: 5 }],
    )
    const back = { kind: 'update', table: 'message', row: { id: 'question-2', deletedAt: null } }
    expect(writesOf(await run(engine, 'messages.restore', place('question-2')))).toEqual([back])
  })

  test('shows it again when restored, unless the thread has continued', async () => {
    const deleted: Given = ['message', { ...answered('answer-1b', 'question-1')[1], createdAt: 9, deletedAt: 5 }]
    const rows = (headId: string): Engine =>
      replicaOf(
        ...userRows,
        ['thread', { headId }],
        userMessage('question-1', null),
        answered('answer-1a', 'question-1'),
        userMessage('more', 'answer-1a'),
        deleted,
      )
    const back = { kind: 'update', table: 'message', row: { id: 'answer-1b', deletedAt: null } }
    expect(writesOf(await run(rows('more'), 'messages.restore', place('answer-1b')))).toEqual([back, moved('answer-1b')])
    expect(writesOf(await run(rows('answer-1a'), 'messages.restore', place('answer-1b')))).toEqual([back])
  })
})

describe('a research plan', () => {
  const steps = [{ id: 'step-1', text: 'What is tea?', queries: [] }]
  const parts = [{ type: 'tool-plan', toolCallId: 'plan', state: 'output-available', input: {}, output: { steps } }]
  const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'i', ending: 'completed', credits: 0, mode: 'research' }
  const plan: Given = [
    'message',
    { id: 'plan-of-tea', parentId: 'question-2', message: { id: 'plan-of-tea', role: 'assistant', parts, metadata } },
  ]
  const attempts = [
    ['research.putStep', { stepId: 'step-2', text: 'Who drinks it?' }],
    ['research.removeStep', { stepId: 'step-1' }],
    ['research.dismiss', { isDismissed: true }],
    ['research.start', { answerId: 'answer-new', modelId: 'kimi-k2' }],
  ] as const

  test('can be changed and started on the visible branch only', async () => {
    const deleted: Given = ['message', { ...answered('answer-1a', 'question-1')[1], deletedAt: 5 }]
    const here = replica({ headId: 'plan-of-tea' }, plan)
    const hidden = replica({ headId: 'answer-1b' }, plan, deleted)
    const codes = (engine: Engine) =>
      Promise.all(attempts.map(async ([name, args]) => codeOf(await run(engine, name, { ...place('plan-of-tea'), ...args }))))
    // The user is a guest and the plan has one step, so the plan's position is not the reason of the refusal.
    expect(await codes(here)).toEqual(['applied', 'plan_empty', 'applied', 'research_account_required'])
    expect(await codes(hidden)).toEqual(attempts.map(() => 'not_found'))
  })
})

describe('a fork', () => {
  const fork = { ...place('question-2'), newThreadId: 'fork-of-thread-one' }

  test('copies the path under new ids and costs no credits', async () => {
    const engine = replica({ headId: 'answer-2a', title: 'Tides', effort: 'max' })
    const writes = writesOf(await run(engine, 'threads.fork', fork)) as { row: Record<string, unknown> }[]
    expect(writes.map(({ row: { id, parentId, headId } }) => [id, parentId ?? headId ?? null])).toEqual([
      ['fork-of-thread-one', 'fork-of-thread-one-2'],
      ['fork-of-thread-one-0', null],
      ['fork-of-thread-one-1', 'fork-of-thread-one-0'],
      ['fork-of-thread-one-2', 'fork-of-thread-one-1'],
    ])
    expect(writes[0]?.row).toMatchObject({ title: 'Tides (fork)', status: 'ready', effort: 'max' })
    expect(writes[2]?.row.message).toMatchObject({ id: 'fork-of-thread-one-1', parts: [{ text: 'answer-1a' }], metadata: { credits: 0 } })
  })

  test('copies the summaries of the path', async () => {
    const summary = (id: string): Given => ['summary', { id, userId, threadId: 'thread-one', text: `Until ${id}`, tokens: 7, createdAt: 1 }]
    const engine = replica({ headId: 'answer-2a' }, summary('answer-1a'), summary('answer-1b'), summary('answer-2a'))
    const writes = writesOf(await run(engine, 'threads.fork', fork)) as { table: string; row: Record<string, unknown> }[]
    expect(writes.filter(({ table }) => table === 'summary').map(({ row }) => row)).toEqual([
      { id: 'fork-of-thread-one-1', userId, threadId: 'fork-of-thread-one', text: 'Until answer-1a', tokens: 7, createdAt: nowMs },
    ])
  })

  test('truncates a long title at a code point boundary', async () => {
    const engine = replica({ headId: 'answer-2a', title: `${'x'.repeat(maxTitleChars - 8)}🎉🎉🎉🎉` })
    const [thread] = writesOf(await run(engine, 'threads.fork', fork)) as { row: { title: string } }[]
    expect(thread?.row.title).toBe(`${'x'.repeat(maxTitleChars - 8)} (fork)`)
  })

  test('is refused for an existing thread id', async () => {
    const there: Given = ['thread', { id: fork.newThreadId }]
    expect(codeOf(await run(replica({ headId: 'answer-2a' }, there), 'threads.fork', fork))).toBe('invalid_request')
    const inIt = userMessage(`${fork.newThreadId}-2`, 'answer-2a')
    expect(codeOf(await run(replica({ headId: 'answer-2a' }, inIt), 'threads.fork', fork))).toBe('invalid_request')
  })

  test('is refused above one batch', async () => {
    const long = Array.from({ length: maxForkMessages + 1 }, (_, index) =>
      userMessage(`long-message-${index}`, index === 0 ? null : `long-message-${index - 1}`),
    )
    const engine = replicaOf(...userRows, ['thread'], ...long)
    expect(codeOf(await run(engine, 'threads.fork', { ...fork, messageId: `long-message-${maxForkMessages}` }))).toBe('fork_too_long')
    expect(codeOf(await run(engine, 'threads.fork', { ...fork, messageId: `long-message-${maxForkMessages - 1}` }))).toBe('applied')
  })
})

describe('effort', () => {
  const efforts = (thread: object): readonly Given[] => [
    ['user'],
    ['setting'],
    ['usage'],
    levels,
    ['thread', { headId: 'question-1', ...thread }],
    userMessage('question-1', null),
  ]
  const answer = { threadId: 'thread-one', parentId: 'question-1', answerId: 'answer-new', modelId: 'kimi-k2', at: 1 }
  const effortOf = (outcome: Outcome) => (outcome.type === 'applied' ? effectsIn(outcome)?.opened[0]?.turn.effort : outcome.error.details)

  test.each([
    ['is the thread’s', { effort: 'max' }, 'max'],
    ['is the model’s default in a thread without one', {}, 'high'],
    ['is the model’s default where the thread’s is not offered', { effort: 'minimal' }, 'high'],
  ])('of a repeated answer %s', async (_what, thread, effort) => {
    expect(effortOf(await run(replicaOf(...efforts(thread)), 'threads.answer', answer))).toBe(effort)
  })

  test('is stored in a new thread', async () => {
    const send = {
      threadId: 'thread-two',
      messageId: 'message-new',
      answerId: 'answer-new',
      parentId: null,
      modelId: 'kimi-k2',
      text: 'Hi',
      effort: 'low',
      at: 1,
    }
    const outcome = await run(replicaOf(...efforts({})), 'threads.send', send)
    expect(effortOf(outcome)).toBe('low')
    expect(writesOf(outcome)).toMatchObject([{ table: 'thread', row: { effort: 'low' } }, { table: 'message' }])
  })

  test('[G21] tools that are switched off are stored in a new thread, and changed in an existing one', async () => {
    const started = { threadId: 'thread-two', messageId: 'message-new', answerId: 'answer-new', parentId: null, modelId: 'kimi-k2' }
    const outcome = await run(replicaOf(...efforts({})), 'threads.send', { ...started, text: 'Hi', offTools: ['web'], at: 1 })
    expect(writesOf(outcome)).toMatchObject([{ table: 'thread', row: { offTools: ['web'] } }, { table: 'message' }])
    const change = (offTools: readonly string[]) =>
      run(replicaOf(...efforts({})), 'threads.setOffTools', { threadId: 'thread-one', offTools })
    expect(writesOf(await change([]))).toEqual([{ kind: 'update', table: 'thread', row: { id: 'thread-one', offTools: [] } }])
    expect(codeOf(await change(['not an id']))).toBe('invalid_request')
    expect(codeOf(await change(Array.from({ length: maxOffTools + 1 }, () => 'web')))).toBe('invalid_request')
  })

  test('is one that the model offers', async () => {
    const choose = (effort: string) =>
      run(replicaOf(...efforts({})), 'threads.setEffort', { threadId: 'thread-one', modelId: 'kimi-k2', effort })
    expect(writesOf(await choose('max'))).toEqual([{ kind: 'update', table: 'thread', row: { id: 'thread-one', effort: 'max' } }])
    expect(codeOf(await choose('minimal'))).toBe('invalid_request')
    expect(codeOf(await choose('extreme'))).toBe('invalid_request')
  })

  test('of a queued message is the one at queueing', async () => {
    const queued: Given = [
      'queuedMessage',
      {
        id: 'queued-1',
        threadId: 'thread-one',
        userId,
        answerId: 'answer-new',
        text: 'Hi',
        modelId: 'kimi-k2',
        effort: 'low',
        createdAt: 1,
      },
    ]
    const outcome = await run(replicaOf(...efforts({ effort: 'max' }), queued), 'queue.send', { id: 'queued-1', at: 1 })
    const turn = { generationId: 'answer-new', parentId: 'queued-1', queuedId: 'queued-1', effort: 'low' }
    expect(effectsIn(outcome)?.opened).toMatchObject([{ turn }])
    expect(writesOf(outcome)).toMatchObject([
      { table: 'thread' },
      { kind: 'insert', table: 'message' },
      { kind: 'delete', table: 'queuedMessage' },
    ])
  })
})

describe('another version of the first question', () => {
  const send = {
    threadId: 'thread-one',
    messageId: 'question-new',
    answerId: 'answer-new',
    parentId: null,
    text: 'About coffee',
    modelId: 'kimi-k2',
    at: 1,
  }
  const titleAfter = async (title: string) => {
    const writes = writesOf(
      await run(
        replicaOf(...userRows, ['thread', { title, headId: 'question-1' }], userMessage('question-1', null, 'About tea')),
        'threads.send',
        send,
      ),
    ) as { table: string; row: Record<string, unknown> }[]
    return writes.flatMap(({ table, row }) => (table === 'thread' && 'title' in row ? [row.title] : []))
  }

  test('renames the thread unless the user or a model named it', async () => {
    expect(await titleAfter('About tea')).toEqual(['About coffee'])
    expect(await titleAfter('Leaves and water')).toEqual([])
  })
})
