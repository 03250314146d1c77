// The price of a message while some messages are not loaded. That it equals the server's: `quote-agreement.test.ts`.
import { describe, expect, test } from 'vitest'
import { type QuotedDraft, quoteDraft } from '../../../../../web/features/chat/composer/price/page-quote.ts'
import { defaultCreditMicroDollars } from '../../../../../worker/contract/models/quote.ts'
import { model } from '../../build.ts'
import { answer, metadata, question, thread } from '../build.ts'

/** A token of input costs a thousandth of a credit. */
const priced = model({
  credits: 1,
  inputMicroDollarsPerMillionTokens: defaultCreditMicroDollars * 1_000,
  outputMicroDollarsPerMillionTokens: 0,
  contextTokens: 200_000,
  maxOutputTokens: 8_000,
})

const expectedBelow = (shown: QuotedDraft['thread']) =>
  quoteDraft(
    {
      ...{ me: { plan: 'pro', setting: undefined, model: priced }, others: [], mode: 'chat', parentId: 'a1', project: undefined },
      ...{ definitionTokens: 0, isTemporary: false },
      ...{ thread: shown, summaries: [], draft: { text: 'Hi', files: [], choices: { effort: null } } },
    },
    defaultCreditMicroDollars,
  )?.expected

describe('the expected price', () => {
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
    expect(expectedBelow(below(null))).toBe(2)
    expect(expectedBelow(below('not-loaded'))).toBe(41)
  })
})
