// The cost of a message that the composer expects: the server's quote, for the messages that are loaded.
import { describe, expect, test } from 'vitest'
import { type QuotedDraft, quoteDraft } from '../../../../../web/features/chat/composer/price/page-quote.ts'
import { defaultCreditMicroDollars } from '../../../../../worker/contract/models/quote.ts'
import { model } from '../../build.ts'
import { answer, metadata, question, thread } from '../build.ts'

/** A token of input costs a thousandth of a credit. */
const priced = model({
  credits: 1,
  inputMicroDollarsPerMillionTokens: 4_166_000,
  outputMicroDollarsPerMillionTokens: 0,
  contextTokens: 200_000,
  maxOutputTokens: 8_000,
})
type Changes = Partial<Omit<QuotedDraft, 'draft'>> & { text?: string }

const quoted = ({ text = 'Hi', ...changes }: Changes = {}) =>
  quoteDraft(
    {
      ...{ me: { plan: 'pro', setting: undefined, model: priced }, others: [], mode: 'chat', parentId: null, project: undefined },
      definitionTokens: 0,
      ...{ thread: undefined, summaries: [], draft: { text, files: [], choices: { effort: null } } },
      ...changes,
    },
    defaultCreditMicroDollars,
  )
const long = thread([question('q1', null, 'x'.repeat(30_000)), answer('a1', 'q1')])

describe('the expected price', () => {
  test('of a first message counts the instructions', () => {
    expect(quoted()).toMatchObject({ minimum: 1, expected: 2, inputTokens: 1_511, exceedsLimit: false })
  })

  test('counts the shown branch and the message', () => {
    expect(quoted({ thread: long, parentId: 'a1' })?.expected).toBe(12)
    expect(quoted({ thread: long, parentId: null })?.expected).toBe(2)
    expect(quoted({ text: 'x'.repeat(3_000) })?.expected).toBe(3)
  })

  test('sums the models of a comparison', () => {
    expect(quoted({ others: [priced] })).toMatchObject({ minimum: 2, expected: 4 })
  })

  test('of a search counts its requests', () => {
    expect(quoted({ mode: 'search' })?.expected).toBeGreaterThan(15)
  })

  test('uses what the last answer reported while older messages are not loaded', () => {
    const use = {
      requests: 1,
      unpriced: 0,
      inputTokens: 40_000,
      cachedInputTokens: 0,
      outputTokens: 500,
      reasoningTokens: 0,
      microDollars: 1,
    }
    const reported = answer('a1', 'q1')
    const below = (parentId: string | null) =>
      thread([question('q1', parentId), { ...reported, message: { ...reported.message, metadata: metadata({ use }) } as never }])
    expect(quoted({ thread: below(null), parentId: 'a1' })?.expected).toBe(2)
    expect(quoted({ thread: below('not-loaded'), parentId: 'a1' })?.expected).toBe(41)
  })

  test('exceeds the limit of the thread', () => {
    const limited = { ...long, turnCredits: 11 }
    expect(quoted({ thread: limited, parentId: 'a1' })?.exceedsLimit).toBe(true)
    expect(quoted({ thread: { ...long, turnCredits: 12 }, parentId: 'a1' })?.exceedsLimit).toBe(false)
  })
})
