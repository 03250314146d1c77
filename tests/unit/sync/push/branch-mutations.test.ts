// Versions, deletion, forks, effort and the queue as mutations on the server: what they would write, and why they are refused.
import { describe, expect, test } from 'vitest'
import { maxForkMessages, maxTitleChars } from '../../../../worker/contract/limits.ts'
import type { Engine, Json } from '../../../../worker/sync/engine/types.ts'
import { Overlay } from '../../../../worker/sync/push/overlay.ts'
import { type Outcome, runMutation } from '../../../../worker/sync/push/run-mutation.ts'
import { syncedTables } from '../../../../worker/sync/synced-tables.ts'
import { answered, type Given, person, replicaOf, said, userId } from '../replica.ts'

const nowMs = 1_800_000_000_000
const levels = ['model', { effort: ['low', 'high', 'max'] }] as const

async function run(engine: Engine, name: string, args: Json): Promise<Outcome> {
  return runMutation(new Overlay(engine, syncedTables), { type: 'custom', id: 1, clientID: 'c', name, args: [args] }, userId, nowMs)
}

const writesOf = (outcome: Outcome) => (outcome.type === 'applied' ? outcome.writes : outcome.error.details)
const codeOf = (outcome: Outcome) => (outcome.type === 'refused' ? (outcome.error.details as { code: string }).code : outcome.type)

/** Two questions, each answered; the first has another answer beside it. */
const conversation: readonly Given[] = [
  said('question-1', null),
  answered('answer-1a', 'question-1'),
  said('question-2', 'answer-1a'),
  answered('answer-2a', 'question-2'),
  answered('answer-1b', 'question-1'),
]
const place = (messageId: string) => ({ threadId: 'thread-one', messageId, at: 1 })
const replica = (thread: object = { headId: 'answer-2a' }, ...more: readonly Given[]) =>
  replicaOf(...person, ['thread', { ...thread }], ...conversation, ...more)
const moved = (headId: string) => ({ kind: 'update', table: 'thread', row: { id: 'thread-one', headId } })

describe('a version is shown', () => {
  test('with its branch, and nothing else of the thread changes', async () => {
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
  ] as const)('but not %s', async (_what, engine, args, code) => expect(codeOf(await run(engine, 'threads.show', args))).toBe(code))
})

describe('a message is deleted', () => {
  const deleted = (id: string) => ({ kind: 'update', table: 'message', row: { id, deletedAt: nowMs } })

  test('and its other version takes its place, or what it followed does', async () => {
    expect(writesOf(await run(replica(), 'messages.delete', place('answer-1a')))).toEqual([deleted('answer-1a'), moved('answer-1b')])
    expect(writesOf(await run(replica(), 'messages.delete', place('question-2')))).toEqual([deleted('question-2'), moved('answer-1a')])
    expect(writesOf(await run(replica(), 'messages.delete', place('answer-1b')))).toEqual([deleted('answer-1b')])
  })

  test('but not the only beginning, and not while an answer is written', async () => {
    expect(codeOf(await run(replica(), 'messages.delete', place('question-1')))).toBe('invalid_request')
    expect(codeOf(await run(replica({ status: 'stopping' }), 'messages.delete', place('question-2')))).toBe('thread_busy')
  })

  test('and restored with everything that followed it', async () => {
    const engine = replicaOf(
      ...person,
      ['thread', { headId: 'answer-1a' }],
      ...conversation.slice(0, 2),
      ['message', { id: 'question-2', parentId: 'answer-1a', deletedAt: 5 }],
      answered('answer-2a', 'question-2'),
    )
    const back = { kind: 'update', table: 'message', row: { id: 'question-2', deletedAt: null } }
    expect(writesOf(await run(engine, 'messages.restore', place('question-2')))).toEqual([back, moved('answer-2a')])
  })

  test('and restored without taking anybody away who is on another branch by then', async () => {
    const engine = replicaOf(
      ...person,
      ['thread', { headId: 'answer-1b' }],
      ...conversation.slice(0, 2),
      answered('answer-1b', 'question-1'),
      ['message', { id: 'question-2', parentId: 'answer-1a', deletedAt: 5 }],
    )
    const back = { kind: 'update', table: 'message', row: { id: 'question-2', deletedAt: null } }
    expect(writesOf(await run(engine, 'messages.restore', place('question-2')))).toEqual([back])
  })

  test('a version is shown again when it is restored, unless somebody has gone on since', async () => {
    const gone: Given = ['message', { ...answered('answer-1b', 'question-1')[1], createdAt: 9, deletedAt: 5 }]
    const rows = (headId: string): Engine =>
      replicaOf(
        ...person,
        ['thread', { headId }],
        said('question-1', null),
        answered('answer-1a', 'question-1'),
        said('more', 'answer-1a'),
        gone,
      )
    const back = { kind: 'update', table: 'message', row: { id: 'answer-1b', deletedAt: null } }
    expect(writesOf(await run(rows('more'), 'messages.restore', place('answer-1b')))).toEqual([back, moved('answer-1b')])
    expect(writesOf(await run(rows('answer-1a'), 'messages.restore', place('answer-1b')))).toEqual([back])
  })
})

describe('a plan of a research', () => {
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

  test('is changed and begun while it is in sight, and by no device that has not heard that what it follows was taken away', async () => {
    const gone: Given = ['message', { ...answered('answer-1a', 'question-1')[1], deletedAt: 5 }]
    const here = replica({ headId: 'plan-of-tea' }, plan)
    const hidden = replica({ headId: 'answer-1b' }, plan, gone)
    const codes = (engine: Engine) =>
      Promise.all(attempts.map(async ([name, args]) => codeOf(await run(engine, name, { ...place('plan-of-tea'), ...args }))))
    // Whoever asks here is a guest and the step is the only one: so they are refused for what they are, and not for where the plan is.
    expect(await codes(here)).toEqual(['applied', 'plan_empty', 'applied', 'research_account_required'])
    expect(await codes(hidden)).toEqual(attempts.map(() => 'not_found'))
  })
})

describe('a fork', () => {
  const fork = { ...place('question-2'), newThreadId: 'fork-of-thread-one' }

  test('copies the path under ids of its own, and charges nobody', async () => {
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

  test('of a title without room for more keeps its letters whole', async () => {
    const engine = replica({ headId: 'answer-2a', title: `${'x'.repeat(maxTitleChars - 8)}🎉🎉🎉🎉` })
    const [thread] = writesOf(await run(engine, 'threads.fork', fork)) as { row: { title: string } }[]
    expect(thread?.row.title).toBe(`${'x'.repeat(maxTitleChars - 8)} (fork)`)
  })

  test('into a thread that is there already is refused', async () => {
    const there: Given = ['thread', { id: fork.newThreadId }]
    expect(codeOf(await run(replica({ headId: 'answer-2a' }, there), 'threads.fork', fork))).toBe('invalid_request')
    const inIt = said(`${fork.newThreadId}-2`, 'answer-2a')
    expect(codeOf(await run(replica({ headId: 'answer-2a' }, inIt), 'threads.fork', fork))).toBe('invalid_request')
  })

  test('of more than one batch should hold is refused', async () => {
    const long = Array.from({ length: maxForkMessages + 1 }, (_, index) =>
      said(`long-message-${index}`, index === 0 ? null : `long-message-${index - 1}`),
    )
    const engine = replicaOf(...person, ['thread'], ...long)
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
    said('question-1', null),
  ]
  const answer = { threadId: 'thread-one', parentId: 'question-1', answerId: 'answer-new', modelId: 'kimi-k2', at: 1 }
  const effortOf = (outcome: Outcome) => (outcome.type === 'applied' ? outcome.opened?.turn.effort : outcome.error.details)

  test.each([
    ['is the thread’s', { effort: 'max' }, 'max'],
    ['is the model’s default in a thread without one', {}, 'high'],
    ['is the model’s default where the thread’s is not offered', { effort: 'minimal' }, 'high'],
  ])('of an answer written again %s', async (_what, thread, effort) => {
    expect(effortOf(await run(replicaOf(...efforts(thread)), 'threads.answer', answer))).toBe(effort)
  })

  test('is remembered by the thread that a message begins', async () => {
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

  test('is chosen among what the model offers', async () => {
    const choose = (effort: string) =>
      run(replicaOf(...efforts({})), 'threads.setEffort', { threadId: 'thread-one', modelId: 'kimi-k2', effort })
    expect(writesOf(await choose('max'))).toEqual([{ kind: 'update', table: 'thread', row: { id: 'thread-one', effort: 'max' } }])
    expect(codeOf(await choose('minimal'))).toBe('invalid_request')
    expect(codeOf(await choose('extreme'))).toBe('invalid_request')
  })

  test('of a queued message is the one it was typed with', async () => {
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
    expect(outcome).toMatchObject({
      opened: { turn: { generationId: 'answer-new', parentId: 'queued-1', queuedId: 'queued-1', effort: 'low' } },
    })
    expect(writesOf(outcome)).toMatchObject([
      { table: 'thread' },
      { kind: 'insert', table: 'message' },
      { kind: 'delete', table: 'queuedMessage' },
    ])
  })
})

describe('the first question said otherwise', () => {
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
        replicaOf(...person, ['thread', { title, headId: 'question-1' }], said('question-1', null, 'About tea')),
        'threads.send',
        send,
      ),
    ) as { table: string; row: Record<string, unknown> }[]
    return writes.flatMap(({ table, row }) => (table === 'thread' && 'title' in row ? [row.title] : []))
  }

  test('gives its thread its words, as long as nobody has named that and no model has', async () => {
    expect(await titleAfter('About tea')).toEqual(['About coffee'])
    expect(await titleAfter('Leaves and water')).toEqual([])
  })
})
