// Commands to generations, from rows only. Rules: worker/turns/SPEC.md, T1.

import { describe, expect, test } from 'vitest'
import { deletedTurnMs } from '../../../worker/contract/limits.ts'
import type { ReservedTurn } from '../../../worker/db/turns.ts'
import type { Engine } from '../../../worker/sync/engine/types.ts'
import { startCommand, threadsInFlight, turnCommands } from '../../../worker/turns/turn-commands.ts'
import { answered, replicaOf, userId, userMessage, userRows } from '../sync/replica.ts'

const turn: ReservedTurn = {
  generationId: 'answer-new',
  threadId: 'thread-one',
  parentId: 'q2',
  modelId: 'kimi-k2',
  mode: 'chat',
  continueId: null,
  effort: 'high',
  queuedId: null,
  credits: 3,
  objectId: userId,
}

const nowMs = Date.UTC(2026, 10, 23)

/** q1 ─ a1 ─ q2, with a1b and q2b as other versions. */
const conversation = [
  userMessage('q1', null),
  answered('a1', 'q1'),
  answered('a1b', 'q1'),
  userMessage('q2', 'a1'),
  userMessage('q2b', 'a1'),
] as const

describe('[T1] a start command', () => {
  test('has the path to the question, the model and the user, without other versions', () => {
    const engine = replicaOf(...userRows, ['thread', { status: 'submitted', streamId: 'answer-new' }], ...conversation)
    const command = startCommand(engine, userId, turn, nowMs)
    expect(command?.history.map(({ id }) => id)).toEqual(['q1', 'a1', 'q2'])
    expect(command).toMatchObject({
      generationId: 'answer-new',
      userId,
      threadId: 'thread-one',
      parentId: 'q2',
      // The catalogue says 2 now; 3 were reserved.
      model: { id: 'kimi-k2', credits: 3 },
      effort: 'high',
      plan: 'guest',
      needsTitle: true,
      profile: { name: 'Ada', nickname: 'A', biography: null, instructions: 'Be brief.' },
    })
    expect(command).not.toHaveProperty('continued')
  })

  test('contains the parts of the continued answer separately from the path', () => {
    const engine = replicaOf(...userRows, ['thread', { title: 'Named' }], userMessage('q1', null), answered('a1', 'q1', 'Half a'))
    const command = startCommand(engine, userId, { ...turn, parentId: 'q1', continueId: 'a1' }, nowMs)
    expect(command?.history.map(({ id }) => id)).toEqual(['q1'])
    expect(command?.continued).toEqual([{ type: 'text', text: 'Half a', state: 'done' }])
    expect(command?.needsTitle).toBe(false)
  })

  test('[T6] names the files that this model refused in any version of an answer, and sends them to other models', () => {
    const file = (id: string) => ({
      type: 'file',
      url: `/api/files/${id}`,
      mediaType: 'application/pdf',
      filename: `${id}.pdf`,
      sizeBytes: 9,
    })
    const withFile = (id: string, parentId: string | null, ...ids: readonly string[]) =>
      ['message', { id, parentId, message: { id, role: 'user', parts: ids.map(file) } }] as const
    const refusedBy = (id: string, parentId: string, modelId: string, ...ids: readonly string[]) => {
      const failure = { code: 'file_refused', files: ids.map((name) => ({ id: name, name: `${name}.pdf` })) }
      const metadata = { modelId, modelName: 'Model', modelIcon: 'i', ending: 'failed', credits: 0, failure }
      return ['message', { id, parentId, message: { id, role: 'assistant', parts: [], metadata } }] as const
    }
    const rows = [
      ...userRows,
      ['model', { id: 'another-model' }],
      ['thread', {}],
      withFile('q1', null, 'locked-file', 'other-file'),
      refusedBy('a1', 'q1', 'kimi-k2', 'locked-file'),
      answered('a1b', 'q1'),
      withFile('q2', 'a1b', 'broken-file', 'whole-file'),
      refusedBy('a2', 'q2', 'kimi-k2', 'broken-file', 'locked-file', 'elsewhere-file'),
      refusedBy('a2b', 'q2', 'another-model', 'whole-file'),
    ] as const
    const omitted = (changes: object) => startCommand(replicaOf(...rows), userId, { ...turn, ...changes }, nowMs)?.omittedFiles
    expect(omitted({})).toEqual([
      { id: 'locked-file', name: 'locked-file.pdf' },
      { id: 'broken-file', name: 'broken-file.pdf' },
    ])
    expect(omitted({ parentId: 'q1' })).toEqual([{ id: 'locked-file', name: 'locked-file.pdf' }])
    expect(omitted({ modelId: 'another-model' })).toEqual([{ id: 'whole-file', name: 'whole-file.pdf' }])
  })

  test('[G21] names the tools that are switched off in the thread, or else in its project', () => {
    const project = { id: 'project-one', userId, name: 'Tea', createdAt: 1, updatedAt: 1, offTools: ['web'] }
    const offTools = (thread: object) => {
      const rows = [...userRows, ['thread', { projectId: 'project-one', ...thread }], ['project', project], ...conversation] as const
      return startCommand(replicaOf(...rows), userId, turn, nowMs)?.offTools
    }
    expect(offTools({})).toEqual(['web'])
    expect(offTools({ offTools: [] })).toEqual([])
    expect(offTools({ offTools: ['server-1'] })).toEqual(['server-1'])
    expect(offTools({ projectId: null })).toEqual([])
  })

  test('[G21] uses the servers of the user unless they are switched off, and those of organizations only if they are switched on', () => {
    const offered = { login: 'none', state: 'ready', tools: [{ name: 'echo' }], unusable: 0, createdAt: 1, checkedAt: 1 }
    const server = { userId, name: 'Sea', url: 'https://sea.example.org', ...offered }
    const shared = { organizationId: 'harbour', name: 'Sea', host: 'sea.example.org', ...offered }
    const usedWith = (offTools: readonly string[]) => {
      const rows = [
        ...[...userRows, ['thread', { offTools }], ...conversation],
        ...[['toolServer', { id: 'own-1', ...server }] as const, ['toolServer', { id: 'own-2', ...server }] as const],
        ...[
          ['organizationToolServer', { id: 'shared-1', ...shared }] as const,
          ['organizationToolServer', { id: 'shared-2', ...shared, tools: [] }] as const,
        ],
      ] as const
      return startCommand(replicaOf(...rows), userId, turn, nowMs)?.toolServerIds
    }
    expect(usedWith([])).toEqual(['own-1', 'own-2'])
    expect(usedWith(['own-1', 'shared-1', 'shared-2', 'removed'])).toEqual(['own-2', 'shared-1'])
  })

  test('begins with the files of the project that fit into half of the budget, and names the others', () => {
    const file = (id: string, sizeBytes: number) => ({ id, name: `${id}.txt`, mediaType: 'text/plain', sizeBytes })
    const files = [file('prices', 3000), file('novel', 3_000_000), file('teas', 3000)]
    const project = { id: 'project-one', userId, name: 'Tea', instructions: 'Be a merchant.', files, createdAt: 1, updatedAt: 1 }
    const rows = [...userRows, ['thread', { projectId: 'project-one' }], ...conversation] as const
    const start = (fields: object) => startCommand(replicaOf(...rows, ['project', { ...project, ...fields }]), userId, turn, nowMs)
    const command = start({})
    expect(command?.profile.project).toEqual({
      name: 'Tea',
      instructions: 'Be a merchant.',
      files: ['prices.txt', 'teas.txt'],
      omittedFiles: ['novel.txt'],
    })
    const sent = command?.history.map(({ id, parts }) => [id, parts.map((part) => ('url' in part ? part.url : part.type))])
    expect(sent).toEqual([
      ['q1', ['/api/files/prices', '/api/files/teas', 'text']],
      ['a1', ['text']],
      ['q2', ['text']],
    ])
    expect(start({ deletedAt: 5 })?.profile.project).toBeUndefined()
    expect(start({ deletedAt: 5 })?.history[0]?.parts).toHaveLength(1)
  })

  test('leaves out the oldest messages above the budget of the plan and the model, never the question', () => {
    const long = 'x'.repeat(60_000)
    const rows = [
      ['thread'],
      userMessage('q1', null),
      answered('a1', 'q1', long),
      userMessage('q2', 'a1'),
      answered('a2', 'q2', long),
    ] as const
    const historyOf = (engine: Engine, parentId: string) => {
      const command = startCommand(engine, userId, { ...turn, parentId }, nowMs)
      return { ids: command?.history.map(({ id }) => id), isCut: command?.isHistoryCut, summary: command?.toSummarize?.id }
    }
    expect(historyOf(replicaOf(...userRows, ...rows), 'q2')).toEqual({ ids: ['q1', 'summary-or-gap', 'q2'], isCut: true, summary: 'a1' })
    expect(historyOf(replicaOf(...userRows, ...rows), 'a2')).toEqual({ ids: ['a2'], isCut: true })
    // The budget of an account is larger than the budget of a guest.
    const registered = [['user', { isAnonymous: false }], ...userRows.slice(1)] as const
    expect(historyOf(replicaOf(...registered, ...rows), 'q2')).toEqual({ ids: ['q1', 'a1', 'q2'], isCut: false })
  })

  test('has the output limit of the plan and the model', () => {
    const limitOf = (maxOutputTokens: number | null) => {
      const engine = replicaOf(['user'], ['setting'], ['usage'], ['model', { maxOutputTokens }], ['thread'], ...conversation)
      return startCommand(engine, userId, turn, nowMs)?.model.maxOutputTokens
    }
    expect([limitOf(null), limitOf(1_000), limitOf(100_000)]).toEqual([4_000, 1_000, 4_000])
  })

  test('has the fallbacks of the model that the plan may use', () => {
    const priced = {
      inputMicroDollarsPerMillionTokens: 1,
      outputMicroDollarsPerMillionTokens: 1,
      contextTokens: 100_000,
      provider: 'gateway',
    }
    const other = (id: string, more: object) => ['model', { ...priced, id, model: `maker/${id}`, name: id, ...more }] as const
    const engine = replicaOf(
      ...([['user'], ['setting'], ['usage'], ['thread'], ...conversation] as const),
      ['model', { ...priced, fallbackIds: ['for-pro', 'gone', 'open'] }],
      other('for-pro', { access: 'premium_required' }),
      other('open', {}),
    )
    expect(startCommand(engine, userId, turn, nowMs)?.fallbacks.map(({ model }) => model)).toEqual(['maker/open'])
  })

  test('starts at the first intact message of a broken thread', () => {
    const cyclic = replicaOf(...userRows, ['thread'], userMessage('q1', 'q2'), userMessage('q2', 'q1'))
    expect(startCommand(cyclic, userId, turn, nowMs)?.history.map(({ id }) => id)).toEqual(['q1', 'q2'])
    const torn = replicaOf(...userRows, ['thread'], userMessage('q2', 'nowhere'))
    expect(startCommand(torn, userId, turn, nowMs)?.history.map(({ id }) => id)).toEqual(['q2'])
    const foreign = replicaOf(
      ...userRows,
      ['thread'],
      ['thread', { id: 'thread-two' }],
      ['message', { id: 'x', threadId: 'thread-two' }],
      userMessage('q2', 'x'),
    )
    expect(startCommand(foreign, userId, turn, nowMs)?.history.map(({ id }) => id)).toEqual(['q2'])
  })

  test.each([
    ['its question', turn, userRows],
    ['its model', { ...turn, modelId: 'gone' }, [...userRows, ...conversation]],
    ['its user', turn, [['model'] as const, ...conversation]],
  ])('is null without %s', (_what, wanted, rows) => {
    expect(startCommand(replicaOf(...rows, ['thread']), userId, wanted, nowMs)).toBeNull()
  })
})

describe('[T1] commands', () => {
  const called = (thread: object, turns: readonly ReservedTurn[] = [turn], rows = [...userRows, ...conversation]) => {
    const engine = replicaOf(...rows, ['thread', { streamId: 'answer-new', ...thread }])
    return turnCommands(engine, userId, threadsInFlight(engine, turns), turns).map(({ type, generationId }) => `${type} ${generationId}`)
  }

  test.each([
    ['a thread that waits is started', { status: 'submitted' }, [turn], ['start answer-new']],
    ['one that is stopping is stopped', { status: 'stopping' }, [turn], ['stop answer-new']],
    ['one that was deleted meanwhile too', { status: 'stopping', deletedAt: 5 }, [turn], ['stop answer-new']],
    ['one that was deleted goes on while that can be undone', { status: 'submitted', deletedAt: Date.now() }, [turn], ['start answer-new']],
    ['and is stopped afterwards', { status: 'submitted', deletedAt: Date.now() - deletedTurnMs }, [turn], ['stop answer-new']],
    ['a ready one is left alone', { status: 'ready' }, [turn], []],
    ['an ended turn is left alone', { status: 'submitted' }, [], []],
    ['the turn of another thread is not taken for it', { status: 'submitted', streamId: 'another' }, [turn], []],
  ] as const)('%s', (_what, thread, turns, calls) => {
    expect(called(thread, turns)).toEqual(calls)
  })

  test('a question that is too long for the plan fails', () => {
    const rows = [
      ...userRows,
      ['thread', { status: 'submitted', streamId: 'answer-new' }],
      userMessage('q2', null, 'x'.repeat(60_000)),
    ] as const
    const engine = replicaOf(...rows)
    expect(turnCommands(engine, userId, threadsInFlight(engine, [turn]), [turn])).toEqual([
      { type: 'fail', generationId: 'answer-new', objectId: userId, reason: 'message_over_budget' },
    ])
  })

  test('a question of the allowed length starts, whatever the files of its project', () => {
    const files = [{ id: 'prices', name: 'prices.txt', mediaType: 'text/plain', sizeBytes: 12_000 }]
    const rows = [
      ...userRows,
      ['project', { id: 'project-one', userId, name: 'Tea', instructions: '', files, createdAt: 1, updatedAt: 1 }],
      ['thread', { status: 'submitted', streamId: 'answer-new', projectId: 'project-one' }],
      userMessage('q2', null, 'x'.repeat(50_000)),
    ] as const
    const engine = replicaOf(...rows)
    const [command] = turnCommands(engine, userId, threadsInFlight(engine, [turn]), [turn])
    expect(command).toMatchObject({ type: 'start', command: { history: [{ parts: [{ type: 'file' }, { type: 'text' }] }] } })
  })

  describe('[C2] in a comparison', () => {
    const other = { ...turn, generationId: 'answer-other' }
    const compared = [
      { id: 'answer-new', modelId: 'kimi-k2' },
      { id: 'answer-other', modelId: 'gpt-oss' },
    ]

    test.each([
      ['every answer is started', { status: 'submitted', compared }, ['start answer-new', 'start answer-other']],
      [
        'an answer that was stopped alone is stopped',
        { status: 'submitted', compared: [compared[0], { ...compared[1], isStopping: true }] },
        ['start answer-new', 'stop answer-other'],
      ],
      ['Stop stops all of them', { status: 'stopping', compared }, ['stop answer-new', 'stop answer-other']],
      ['a turn that the thread does not name receives no command', { status: 'submitted' }, ['start answer-new']],
    ] as const)('%s', (_what, thread, calls) => {
      expect(called(thread, [turn, other])).toEqual(calls)
    })

    test('every answer may find the title, when it completes', () => {
      const engine = replicaOf(...userRows, ['thread', { status: 'submitted', streamId: 'answer-new', compared }], ...conversation)
      const commands = [turn, other].map((one) => startCommand(engine, userId, one, nowMs))
      expect(commands).toMatchObject([
        { needsTitle: true, isCompared: true },
        { needsTitle: true, isCompared: true },
      ])
    })
  })

  test('a turn without a start command is stopped, so that its thread becomes ready', () => {
    expect(called({ status: 'submitted' }, [turn], [...userRows])).toEqual(['stop answer-new'])
  })

  test('a turn whose model left the catalogue fails, unless the user stopped it', () => {
    const withMissingModel = [{ ...turn, modelId: 'gone' }]
    expect(called({ status: 'submitted' }, withMissingModel)).toEqual(['fail answer-new'])
    expect(called({ status: 'stopping' }, withMissingModel)).toEqual(['stop answer-new'])
  })
})
