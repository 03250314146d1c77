// The messages of a long thread that a request sends, with the summary of those before. Rules: worker/turns/SPEC.md, S1 to S3.
import { describe, expect, test } from 'vitest'
import { filePart } from '../../../worker/contract/files/files.ts'
import {
  contextWindow,
  maxSummaryTokens,
  type PathSummary,
  withinBudget,
  withSummary,
} from '../../../worker/contract/models/context-window.ts'
import { summaryJob, summaryLimits } from '../../../worker/contract/models/summary-job.ts'
import { instructionTokens, messageTokens, textTokens } from '../../../worker/contract/models/token-estimates.ts'
import { type ChatMessage, textOf } from '../../../worker/contract/threads/messages.ts'

/** 1,000 tokens with the overhead. */
const message = (index: number, chars = 2_970): ChatMessage => {
  const parts = [{ type: 'text' as const, text: `${index} `.padEnd(chars, 'x') }]
  if (index % 2 === 0) return { id: String(index), role: 'user', parts }
  const metadata = { modelId: 'm', modelName: 'M', modelIcon: 'm', ending: 'completed', credits: 1 } as const
  return { id: String(index), role: 'assistant', parts, metadata }
}
/** Begins and ends with a question. */
const thread = (count: number): readonly ChatMessage[] => Array.from({ length: count }, (_, index) => message(index))
const summaryOf = (id: string, chars = 300): PathSummary => ({ id, text: `Until ${id}. `.padEnd(chars, 's') })
/** Room for this many messages. */
const room = (messages: number) => instructionTokens + messages * 1_000
const idsOf = (history: readonly ChatMessage[], tokens: number, ...summaries: readonly PathSummary[]) =>
  withinBudget(history, tokens, summaries).messages.map(({ id }) => id)

describe('[S1] the window of a thread', () => {
  test('is the whole thread if it fits, whatever summaries there are', () => {
    const history = thread(5)
    for (const summaries of [[], [summaryOf('1')]])
      expect(withinBudget(history, room(5), summaries)).toMatchObject({ from: 0, needsSummary: false, messages: history, isCut: false })
    expect(contextWindow(history, room(5)).tokens).toBe(5_000)
  })

  test('is about half of the room when it overflows, begins with a question, and needs a summary', () => {
    const history = thread(41)
    expect(contextWindow(history, room(40))).toMatchObject({ from: 24, summary: null, needsSummary: true })
    expect(idsOf(history, room(40))).toEqual(['0', 'summary-or-gap', ...history.slice(24).map(({ id }) => id)])
    expect(withinBudget(history, room(40), []).isCut).toBe(true)
  })

  test('begins after the stored summary, and stays there until it is full', () => {
    const summary = summaryOf('23')
    const starts = Array.from({ length: 9 }, (_, more) => contextWindow(thread(41 + 2 * more), room(40), [summary]))
    expect(starts.map(({ from }) => from)).toEqual([24, 24, 24, 24, 24, 24, 24, 24, 24])
    expect(starts.every(({ summary, tokens }) => summary?.id === '23' && tokens < 40_000)).toBe(true)
    const next = [49, 63, 65].map((count) => contextWindow(thread(count), room(40), [summary]))
    expect(next).toMatchObject([
      { from: 24, needsSummary: false },
      { from: 46, summary: null, needsSummary: true },
      { from: 48, summary: null, needsSummary: true },
    ])
  })

  test('uses the oldest summary that leaves enough room, so that a larger window sends more messages', () => {
    const summaries = [summaryOf('43'), summaryOf('23'), summaryOf('9')]
    const history = thread(61)
    expect([20, 40, 60].map((messages) => contextWindow(history, room(messages), summaries).from)).toEqual([44, 24, 10])
  })

  test('ignores summaries of other branches, and one that ends before an answer', () => {
    const history = thread(41)
    const needed = { summary: null, needsSummary: true }
    expect(contextWindow(history, room(40), [summaryOf('elsewhere'), summaryOf('24')])).toMatchObject(needed)
  })

  test('has a summary that is longer than the limit of the text only if it fits', () => {
    expect(contextWindow(thread(41), room(40), [summaryOf('23', 3 * 30_000)])).toMatchObject({ summary: null, needsSummary: true })
  })

  test.each([0, -5_000, 1_000])('always includes the last question, alone if nothing else fits (%i tokens)', (tokens) => {
    expect(idsOf(thread(5), tokens)).toEqual(['4'])
    expect(idsOf(thread(1), tokens)).toEqual(['0'])
    expect(withinBudget(thread(5), tokens, [])).toMatchObject({ needsSummary: false, isCut: true })
  })

  test('repeats a short first message, and only the beginning of a long one', () => {
    const [, ...rest] = thread(41)
    const image = filePart({ id: 'f', name: 'f', mediaType: 'image/png', sizeBytes: 1000 })
    const openings = [message(0), message(0, 300_000), { ...message(0, 300_000), parts: [image, image] }].map((first) => {
      const [opening] = withinBudget([first, ...rest], room(40), []).messages
      return opening && { role: opening.role, text: textOf(opening), tokens: messageTokens(opening) }
    })
    expect(openings[0]).toMatchObject({ role: 'user', tokens: 1_000 })
    expect(openings[1]?.text).toMatch(/^0 x+ \[…\]$/)
    expect(openings[1]?.tokens).toBeLessThan(5_050)
    // A model may reject a conversation that begins with an answer, so there is a text.
    expect(openings[2]?.text).toBe('[…]')
  })

  test('counts attachments of earlier messages', () => {
    const history = thread(9)
    const image = filePart({ id: 'f', name: 'f', mediaType: 'image/png', sizeBytes: 1000 })
    const withImages = history.map((one) => (one.role === 'user' ? { ...one, parts: [...one.parts, image] } : one))
    expect(contextWindow(history, room(9)).from).toBe(0)
    expect(contextWindow(withImages, room(15))).toMatchObject({ from: 8, needsSummary: true })
  })

  test('of a thread whose beginning is not loaded begins at a summary, or is unknown', () => {
    const loaded = thread(41).slice(10)
    expect(contextWindow(loaded, room(40), [], false)).toMatchObject({ from: 0, tokens: 31_000 })
    expect(contextWindow(loaded, room(40), [summaryOf('23')], false)).toMatchObject({ from: 14, summary: { id: '23' } })
    expect(contextWindow(loaded, room(20), [], false)).toMatchObject({ needsSummary: true })
  })

  test('is fast for a very long thread', () => {
    expect(idsOf(thread(20_001), room(100)).length).toBeLessThan(60)
  })
})

describe('[S2] a summary in a request', () => {
  test('stands between the first message and the window, and the prompt of the turn that writes it is that of the next one', () => {
    const history = thread(41)
    const summary = summaryOf('23')
    const written = withSummary(withinBudget(history, room(40), []).messages, summary.text)
    const later = withinBudget([...history, message(41), message(42)], room(40), [summary])
    expect(later.isCut).toBe(false)
    expect(later.messages.slice(0, written.length)).toEqual(written)
    expect(written[1] && textOf(written[1])).toContain(summary.text)
    expect(written[1] && textOf(written[1])).not.toContain('left out here')
  })

  test('of the largest size leaves the window within the budget', () => {
    const history = thread(41)
    const written = withSummary(withinBudget(history, room(40), []).messages, 's'.repeat(3 * maxSummaryTokens))
    expect(written.reduce((sum, one) => sum + messageTokens(one), 0)).toBeLessThan(24_000)
  })
})

describe('[S3] what is summarised', () => {
  test('are the messages before the window, or those after the last summary', () => {
    const history = thread(65)
    expect(summaryJob(history, 24, [], 'pro')).toMatchObject({ id: '23', previous: null, tokens: 24_000 })
    const job = summaryJob(history, 48, [summaryOf('9'), summaryOf('23'), summaryOf('51')], 'pro')
    expect(job).toMatchObject({ id: '47', previous: summaryOf('23').text, tokens: 48_000 })
    expect(job?.messages.map(({ text }) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 24 }, (_, index) => 24 + index))
  })

  test('names files', () => {
    const file = filePart({ id: 'f', name: 'prices.pdf', mediaType: 'application/pdf', sizeBytes: 9, pages: 1 })
    const [first, ...rest] = thread(5)
    if (first?.role !== 'user') throw new Error('a thread begins with a question')
    const job = summaryJob([{ ...first, parts: [file, { type: 'text', text: 'Look' }] }, ...rest], 2, [], 'pro')
    expect(job?.messages[0]).toEqual({ role: 'user', text: '[File: prices.pdf]\nLook' })
  })

  test('is bounded: the longest messages are cut first', () => {
    const max = summaryLimits('guest', { inputTokens: 20_000, outputTokens: 4_000 }, false).maxTokens
    expect(max).toBe(120_000)
    const history = [message(0), message(1, 3 * max), message(2), message(3, 3 * max), message(4)]
    const job = summaryJob(history, 4, [], 'guest')
    expect(job?.messages.map(({ text }) => textTokens(text) <= max / 2 + 10)).toEqual([true, true, true, true])
    expect(job?.messages[2]?.text).toBe(textOf(message(2)))
    expect(job?.messages[1]?.text.endsWith(' […]')).toBe(true)
  })
  test('is read in parts: as many as the plan pays for, or two requests of the model of the answer', () => {
    const budget = { inputTokens: 20_000, outputTokens: 4_000 }
    expect(summaryLimits('pro', budget, false)).toEqual({ partTokens: 40_000, maxTokens: 320_000 })
    expect(summaryLimits('pro', budget, true)).toEqual({ partTokens: 20_000, maxTokens: 40_000 })
    expect(summaryLimits('pro', { ...budget, inputTokens: 128_000 }, true)).toEqual({ partTokens: 40_000, maxTokens: 80_000 })
  })
})
