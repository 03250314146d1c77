// The formulas of one answer share one allowance, each with its own position, in document order.
import { useContext } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, test, vi } from 'vitest'
import { AnswerParts, formulasOf, maxKeptAnswers } from '../../../../../web/features/chat/message/answer-parts.tsx'
import * as disclosure from '../../../../../web/ui/disclosure.tsx'
import { Formula } from '../../../../../web/ui/markdown/formula.tsx'
import { type FormulaAllowance, FormulaPositionContext, formulaAllowance } from '../../../../../web/ui/markdown/formula-allowance.tsx'
import { preloadMarkdown } from '../../../../../web/ui/markdown/renderer.ts'
import type { MathKind } from '../../../../../web/ui/streaming-markdown/answer-syntax.ts'
import { searchTool } from '../../../../../worker/contract/models/tools.ts'
import { planTool } from '../../../../../worker/contract/research/research.ts'
import { findingsCallId, findingsTool, searchCallId } from '../../../../../worker/contract/research/research-calls.ts'
import type { MessagePart, ToolPart } from '../../../../../worker/contract/threads/messages.ts'

type Met = { readonly allowance: FormulaAllowance; readonly at: number; readonly source: string; readonly kind: MathKind }

const met: Met[] = []

vi.spyOn(Formula, 'type').mockImplementation(({ source, kind, at }) => {
  const { allowance, from } = useContext(FormulaPositionContext)
  met.push({ allowance, at: from + at, source, kind })
  return null as never
})

// Finished parts are collapsed and do not render; here they all render.
vi.spyOn(disclosure, 'Disclosure').mockImplementation(({ children }) => children as never)

beforeEach(async () => {
  met.length = 0
  await preloadMarkdown()
})

const formulasIn = (parts: readonly MessagePart[], messageId = 'answer'): readonly Met[] => {
  met.length = 0
  renderToStaticMarkup(<AnswerParts messageId={messageId} parts={parts} isGrowing />)
  return [...met]
}

const isRising = (numbers: readonly number[]): boolean => numbers.every((at, index) => index === 0 || at > (numbers[index - 1] ?? at))

const text = [
  'A $a$ b $b$ c **$c$**',
  '- $d$\n- $e$ \\(f\\)',
  '| x | y |\n|---|---|\n| $g$ | $h$ |',
  '> $i$ and\n> $$j$$',
  '[one]: https://example.com "two"',
  '$$\nk\n$$ rest $l$ of [one] $m$',
].join('\n\n')

test('they share the allowance of the answer, in every part', () => {
  const parts: readonly MessagePart[] = [
    { type: 'reasoning', text, state: 'done', durationMs: 900 },
    { type: 'step-start' },
    { type: 'text', text },
    { type: 'text', text },
  ]
  const formulas = formulasIn(parts)
  expect(formulas.map(({ source }) => source).join('')).toBe('abcdefghijklm'.repeat(3))
  expect(new Set(formulas.map(({ allowance }) => allowance))).toEqual(new Set([formulasOf('answer')]))
  expect(isRising(formulas.map(({ at }) => at))).toBe(true)
  // Unchanged parts keep their positions.
  expect(formulasIn([...parts, { type: 'text', text: '$n$' }]).slice(0, -1)).toEqual(formulas)
  expect(formulasIn(parts, 'another')[0]?.allowance).not.toBe(formulas[0]?.allowance)
})

test('the notes of a research are in the order of its steps, before the following text', () => {
  const steps = ['first', 'second'].map((id) => ({ id, text: `Step ${id}`, queries: [] }))
  const call = (tool: string, toolCallId: string, input: ToolPart['input'], output: ToolPart['output']): ToolPart => ({
    type: `tool-${tool}`,
    toolCallId,
    state: 'output-available',
    input: input ?? {},
    output: output ?? {},
  })
  const workOn = (step: string) => [
    call(searchTool, searchCallId(step, 0), { query: 'tea', step }, { results: [] }),
    call(findingsTool, findingsCallId(step), { step }, { text }),
  ]
  // The notes of a later step may arrive before those of an earlier one.
  const formulas = formulasIn([call(planTool, planTool, {}, { steps }), ...workOn('second'), ...workOn('first'), { type: 'text', text }])
  expect(formulas.map(({ source }) => source).join('')).toBe('abcdefghijklm'.repeat(3))
  expect(new Set(formulas.map(({ allowance }) => allowance)).size).toBe(1)
  expect(isRising(formulas.map(({ at }) => at))).toBe(true)
})

test('growing text may remove a formula: the following ones do not wait for it', async () => {
  const allowance = formulaAllowance()
  const leaveAll = new Set<() => void>()
  /** Like a page with its content. */
  const show = async (grown: string) => {
    const formulas = formulasIn([{ type: 'text', text: grown }]).filter(({ kind }) => kind !== 'open')
    for (const leave of leaveAll) leave()
    leaveAll.clear()
    for (const { at, source } of formulas) leaveAll.add(allowance.register(at, source))
    await Promise.resolve()
    return formulas.map(({ at, source }) => [source, allowance.stateOf(at, source)])
  }
  for (let index = 0; index < 6; index += 1) allowance.register(-1 - index, 'x'.repeat(3970))
  await Promise.resolve()
  expect(await show('see $zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz$')).toEqual([['z'.repeat(44), 'next']])
  expect(await show('see $zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz$5 and then $w$')).toEqual([['w', 'drawn']])
  expect(await show('see $zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz$5 and then $w$ and $vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv$')).toEqual([
    ['w', 'drawn'],
    ['v'.repeat(31), 'next'],
  ])
})

test('the allowance of an answer is kept while it is off the page, for a limited number of answers', () => {
  const kept = formulasOf('kept')
  for (let index = 1; index < maxKeptAnswers; index += 1) formulasOf(`other ${index}`)
  expect(formulasOf('kept')).toBe(kept)
  for (let index = 1; index < maxKeptAnswers; index += 1) formulasOf(`yet another ${index}`)
  expect(formulasOf('kept')).toBe(kept)
  for (let index = 0; index < maxKeptAnswers; index += 1) formulasOf(`still another ${index}`)
  expect(formulasOf('kept')).not.toBe(kept)
})
