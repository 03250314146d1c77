// When the token budget of a turn with tools ends its tools.
import { describe, expect, test } from 'vitest'
import { toolMeter, toolTokens } from '../../../worker/chat/model/tool-tokens.ts'
import { filePart } from '../../../worker/contract/files/files.ts'

/** Four requests of 16,000 + 1,000 tokens, and 12,000 tokens written. */
const budget = { inputTokens: 1_000, outputTokens: 4_000 }
const step = (inputTokens?: number, outputTokens?: number) => ({ usage: { inputTokens, outputTokens } })
const messages = (tokens: number) => [{ role: 'user' as const, content: 'x'.repeat(3 * tokens) }]

/** Requests until the last one without tools. */
function requestsOf(sizes: readonly number[], { reported, written }: { reported?: number; written?: number } = {}): number {
  const isLast = toolMeter({ budget, fileTokens: 0 }, '')
  const at = sizes.findIndex((size, index) =>
    isLast(
      sizes.slice(0, index).map(() => step(reported, written)),
      messages(size),
    ),
  )
  return at + 1
}

describe('a turn has tools', () => {
  test('in its first request, whatever its size', () => {
    expect(requestsOf([100_000, 100_000])).toBe(2)
  })

  test('while two more requests of the same size fit', () => {
    // 68,000 tokens: after two requests of 16,000, a third leaves space for two.
    expect(requestsOf(Array(9).fill(16_000))).toBe(4)
    expect(requestsOf(Array(9).fill(8_000))).toBe(8)
  })

  test('until the provider reports more input than was estimated', () => {
    expect(requestsOf(Array(9).fill(8_000), { reported: 60_000 })).toBe(2)
  })

  test('until the model has written more than an answer', () => {
    expect(requestsOf(Array(9).fill(100), { written: 2_000 })).toBe(4)
  })
})

test('a request counts the instructions and the files of the history', () => {
  const pages = filePart({ id: 'f', name: 'f', mediaType: 'text/plain', sizeBytes: 90_000 })
  const { fileTokens } = toolTokens(budget, [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'Why?' }, pages] }])
  expect(fileTokens).toBe(30_000)
  const isLast = toolMeter({ budget, fileTokens }, 'Be brief.')
  expect(isLast([], messages(10))).toBe(false)
  expect(isLast([step()], messages(10))).toBe(true)
})
