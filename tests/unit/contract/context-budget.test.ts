// The token budget of a request, and the estimate of tokens.
import { describe, expect, test } from 'vitest'
import type { Plan } from '../../../worker/contract/access.ts'
import { type AttachedFile, filePart } from '../../../worker/contract/files/files.ts'
import { maxFilesPerMessage } from '../../../worker/contract/limits.ts'
import { budgetFor, isMessageTooLong, type PricedModel, planBudgets } from '../../../worker/contract/models/context-budget.ts'
import { historyTokens } from '../../../worker/contract/models/context-window.ts'
import { messageTokens, textTokens } from '../../../worker/contract/models/token-estimates.ts'
import type { ChatMessage } from '../../../worker/contract/threads/messages.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

const plans: readonly Plan[] = ['guest', 'free', 'pro']
const priced = (inputDollars: number, outputDollars: number, more: PricedModel = {}): PricedModel => ({
  credits: 1,
  inputMicroDollarsPerMillionTokens: inputDollars * 1_000_000,
  outputMicroDollarsPerMillionTokens: outputDollars * 1_000_000,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  ...more,
})

describe('the budget of a request', () => {
  test.each<[string, Plan, PricedModel, number, number]>([
    ['a cheap model has the budget of the plan', 'pro', priced(0.1, 0.4), 128_000, 16_000],
    ['an expensive model has the same', 'pro', priced(30, 180, { credits: 20 }), 128_000, 16_000],
    ['a guest has less', 'guest', priced(0.1, 0.4), 20_000, 4_000],
    ['a model without a price has the budget of the plan', 'free', { contextTokens: 128_000, maxOutputTokens: 64_000 }, 32_000, 8_000],
    ['the output limit of the model holds', 'pro', priced(0.1, 0.4, { maxOutputTokens: 4_096 }), 128_000, 4_096],
    ['input and output fit the context window', 'pro', priced(0.1, 0.4, { contextTokens: 24_000 }), 12_000, 12_000],
    ['an unknown context window is a small one', 'pro', {}, 16_000, 16_000],
  ])('%s', (_name, plan, model, inputTokens, outputTokens) => {
    expect(budgetFor(plan, model)).toEqual({ inputTokens, outputTokens })
  })

  test('every model of the catalogue stays within its limits', () => {
    for (const plan of plans)
      for (const model of catalogueRows()) {
        const { inputTokens, outputTokens } = budgetFor(plan, model)
        const max = planBudgets[plan]
        const label = `${plan} ${model.id}`
        expect(inputTokens, label).toBeLessThanOrEqual(max.inputTokens)
        expect(outputTokens, label).toBeLessThanOrEqual(Math.min(max.outputTokens, model.maxOutputTokens ?? Number.POSITIVE_INFINITY))
        if (model.contextTokens != null) expect(inputTokens + outputTokens, label).toBeLessThanOrEqual(model.contextTokens)
      }
  })

  test('the catalogue names the limits of every model that it prices', () => {
    const unknown = catalogueRows().filter((model) => model.inputMicroDollarsPerMillionTokens != null && !model.contextTokens)
    expect(unknown.map(({ id }) => id)).toEqual([])
  })
})

describe('the estimate', () => {
  test.each([
    ['', 0],
    ['abc', 1],
    ['äöü', 2],
    ['茶道', 2],
    ['😀', 2],
  ])('of %j is %i tokens', (text, tokens) => {
    expect(textTokens(text)).toBe(tokens)
  })

  test.each([
    ['image/png', 5_000_000, 3_300],
    // A PDF without its pages, as a page can name it.
    ['application/pdf', 75_000, 3_000],
    ['text/plain', 30_000, 10_000],
  ] as const)('counts a file of type %s', (mediaType, sizeBytes, tokens) => {
    const file = filePart({ id: 'f', name: 'f', mediaType, sizeBytes })
    const text = { type: 'text', text: 'abc' } as const
    expect(messageTokens({ parts: [text, file] }) - messageTokens({ parts: [text] })).toBe(tokens)
  })

  test('counts the pages of a PDF, whatever its size', () => {
    const file = filePart({ id: 'f', name: 'f', mediaType: 'application/pdf', sizeBytes: 30_000_000, pages: 12 })
    const text = { type: 'text', text: 'abc' } as const
    expect(messageTokens({ parts: [text, file] }) - messageTokens({ parts: [text] })).toBe(24_000)
  })

  test('does not count the reasoning of an answer', () => {
    const text = { type: 'text', text: 'abc' } as const
    expect(messageTokens({ parts: [{ type: 'reasoning', text: 'x'.repeat(9000) }, text] })).toBe(messageTokens({ parts: [text] }))
  })
})

type Sized = readonly [mediaType: AttachedFile['mediaType'], sizeBytes: number, pages?: number]

describe('a message', () => {
  const userMessage = (chars: number, ...files: readonly Sized[]): ChatMessage => ({
    id: 'q',
    role: 'user',
    parts: [
      { type: 'text', text: 'x'.repeat(chars) },
      ...files.map(([mediaType, sizeBytes, pages], index) => filePart({ id: `f${index}`, name: 'f', mediaType, sizeBytes, pages })),
    ],
  })
  const cheap = priced(0.1, 0.4)
  const expensive = priced(30, 180, { credits: 20 })

  test.each<[string, ChatMessage, Plan, PricedModel, boolean]>([
    ['that fits is sent', userMessage(55_000), 'guest', cheap, false],
    ['above the largest budget of the plan is too long', userMessage(56_000), 'guest', cheap, true],
    ['may be longer with a better plan', userMessage(56_000), 'free', cheap, false],
    ['may use the largest budget of the plan with an expensive model', userMessage(300_000), 'pro', expensive, false],
    ['counts its text files', userMessage(10, ['text/plain', 400_000]), 'pro', cheap, true],
    [
      'with the most images is sent by a guest',
      userMessage(1_000, ...Array<Sized>(maxFilesPerMessage).fill(['image/png', 5_000_000])),
      'guest',
      cheap,
      false,
    ],
    ['with a PDF of nine pages is sent by a guest', userMessage(10, ['application/pdf', 30_000_000, 9]), 'guest', cheap, false],
    ['with a PDF of ten pages is too long for a guest', userMessage(10, ['application/pdf', 300_000, 10]), 'guest', cheap, true],
    ['with a PDF of 63 pages is sent with PRO', userMessage(10, ['application/pdf', 30_000_000, 63]), 'pro', cheap, false],
    ['above the context window of the model is too long', userMessage(50_000), 'pro', priced(0.1, 0.4, { contextTokens: 24_000 }), true],
  ])('%s', (_name, message, plan, model, isTooLong) => {
    expect(isMessageTooLong(message, plan, model)).toBe(isTooLong)
  })
})

test('the texts of the user and the files of the project leave less for the history', () => {
  const budget = { inputTokens: 20_000, outputTokens: 4_000 }
  const file = { id: 'f', name: 'f', mediaType: 'text/plain', sizeBytes: 3_000 } as const
  expect(historyTokens(budget, null, undefined)).toBe(20_000)
  expect(historyTokens(budget, { nickname: 'abc', biography: null, instructions: 'x'.repeat(300) }, undefined)).toBe(19_899)
  expect(historyTokens(budget, null, { instructions: 'x'.repeat(6_000), files: [file, { ...file, sizeBytes: 90_000 }] })).toBe(17_000)
})
