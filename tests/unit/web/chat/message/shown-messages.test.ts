import { describe, expect, test } from 'vitest'
import { comparedAnswers, shownMessagesOf } from '../../../../../web/features/chat/message/shown-messages.ts'
import type { MessageRow } from '../../../../../web/sync/rows.ts'
import type { MessagePart } from '../../../../../worker/contract/threads/messages.ts'
import { answer, question, thread } from '../build.ts'

describe('the messages of a thread', () => {
  const q1 = question('q1')
  const a1 = answer('a1', 'q1')

  test('without a stream are its messages', () => {
    expect(shownMessagesOf(thread([q1, a1])).map(({ kind, id }) => [kind, id])).toEqual([
      ['user', 'q1'],
      ['answer', 'a1'],
    ])
  })

  test('end with the streaming answer', () => {
    expect(shownMessagesOf(thread([q1], { status: 'submitted', streamId: 'a1' }))).toEqual([
      {
        kind: 'user',
        id: 'q1',
        parentId: null,
        versions: { ids: ['q1'], at: 0 },
        hasMoreBelow: false,
        isBookmarked: false,
        message: q1.message,
      },
      { kind: 'live', id: 'a1', parentId: 'q1', isStopping: false },
    ])
    expect(shownMessagesOf(thread([q1], { status: 'stopping', streamId: 'a1' })).at(-1)).toEqual({
      kind: 'live',
      id: 'a1',
      parentId: 'q1',
      isStopping: true,
    })
  })

  test('show the stored answer under the same id as soon as it arrives, before and after the thread’s update', () => {
    const early = shownMessagesOf(thread([q1, a1], { status: 'submitted', streamId: 'a1', headId: 'q1' }))
    const settled = shownMessagesOf(thread([q1, a1], { streamId: 'a1' }))
    expect(early).toEqual(settled)
    expect(early.at(-1)).toEqual({
      kind: 'answer',
      id: 'a1',
      parentId: 'q1',
      versions: { ids: ['a1'], at: 0 },
      hasMoreBelow: false,
      isBookmarked: false,
      message: a1.message,
    })
  })

  test('hide the old version while a new one streams', () => {
    const shownMessages = shownMessagesOf(thread([q1, a1], { status: 'submitted', streamId: 'a2', headId: 'q1' }))
    expect(shownMessages.map(({ kind, id }) => [kind, id])).toEqual([
      ['user', 'q1'],
      ['live', 'a2'],
    ])
  })

  test('mark those whose deletion removes more than an answer', () => {
    const shownMessages = shownMessagesOf(thread([q1, a1, question('q2', 'a1'), answer('a2', 'q2')]))
    expect(shownMessages.map((shown) => shown.kind !== 'live' && shown.hasMoreBelow)).toEqual([true, true, false, false])
  })

  test('have their versions, oldest first, in any order of arrival', () => {
    const [older, newer] = [answer('a9', 'q1'), { ...answer('a1', 'q1'), createdAt: 2 }]
    const shownMessages = shownMessagesOf(thread([newer, q1, older], { headId: 'a9' }))
    expect(shownMessages.at(-1)).toMatchObject({ id: 'a9', versions: { ids: ['a9', 'a1'], at: 0 } })
    expect(shownMessages[0]).toMatchObject({ id: 'q1', versions: { ids: ['q1'], at: 0 } })
  })

  test('do not have the plan of a report as a version, unless it is shown', () => {
    const planPart = (startedAs: string): MessagePart => ({
      type: 'tool-plan',
      toolCallId: 'plan',
      state: 'output-available',
      input: {},
      output: { steps: [], startedAs },
    })
    const at = (createdAt: number, row: MessageRow) => ({ ...row, createdAt })
    const plan = at(1, answer('plan', 'q1', [planPart('report')]))
    const report = at(2, answer('report', 'q1', [planPart('report'), { type: 'text', text: 'Report' }]))
    const again = at(3, answer('again', 'q1', [planPart('report'), { type: 'text', text: 'Report' }]))
    const versionsAt = (headId: string, ...rows: readonly MessageRow[]) => {
      const last = shownMessagesOf(thread([q1, ...rows], { headId })).at(-1)
      return last?.kind === 'answer' && last.versions
    }
    expect(versionsAt('report', plan, report)).toEqual({ ids: ['report'], at: 0 })
    expect(versionsAt('again', plan, report, again)).toEqual({ ids: ['report', 'again'], at: 1 })
    expect(versionsAt('plan', plan, report)).toEqual({ ids: ['plan', 'report'], at: 0 })
    // Without its report, the plan can be started again.
    expect(versionsAt('again', plan, again)).toEqual({ ids: ['plan', 'again'], at: 1 })
  })
})

describe('the answers of a comparison', () => {
  const [q1, a1, b1] = [question('q1'), answer('a1', 'q1'), answer('b1', 'q1')]
  const compared = [
    { id: 'a1', modelId: 'kimi-k2' },
    { id: 'b1', modelId: 'gpt-oss' },
  ]
  const shown = (messages: Parameters<typeof thread>[0], changes: Parameters<typeof thread>[1]) =>
    comparedAnswers(thread(messages, { compared, ...changes }))?.map(({ kind, id }) => [kind, id]) ?? null

  test('are shown in their order while they stream and after they have ended', () => {
    expect(shown([q1, b1], { status: 'submitted', streamId: 'a1', headId: 'q1' })).toEqual([
      ['live', 'a1'],
      ['answer', 'b1'],
    ])
    expect(shown([q1, b1, a1], { headId: 'b1' })).toEqual([
      ['answer', 'a1'],
      ['answer', 'b1'],
    ])
  })

  test('are not shown below another branch, after the next message, or when only one is left', () => {
    expect(shown([q1, a1, b1, question('q2', 'a1')], { headId: 'q2' })).toBeNull()
    expect(shown([q1, b1], { headId: 'b1' })).toBeNull()
    expect(shown([q1, a1, b1], { headId: 'b1', compared: null })).toBeNull()
  })

  test('show which of them are stopping', () => {
    const stopping = (changes: object) =>
      comparedAnswers(thread([q1], { status: 'submitted', streamId: 'a1', compared, ...changes }))?.map(
        (shown) => shown.kind === 'live' && shown.isStopping,
      )
    expect(stopping({ compared: [compared[0], { ...compared[1], isStopping: true }] })).toEqual([false, true])
    expect(stopping({ status: 'stopping' })).toEqual([true, true])
  })
})
