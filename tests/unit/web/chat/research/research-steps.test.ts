import { expect, test } from 'vitest'
import { segmentsOf } from '../../../../../web/features/chat/message/segments.ts'
import { researchSummary, stepsOf } from '../../../../../web/features/chat/research/research-steps.ts'
import { readPageTool, searchTool } from '../../../../../worker/contract/models/tools.ts'
import { planTool } from '../../../../../worker/contract/research/research.ts'
import { findingsTool } from '../../../../../worker/contract/research/research-calls.ts'
import { sealParts } from '../../../../../worker/contract/threads/message-stream.ts'
import type { MessagePart, ToolPart } from '../../../../../worker/contract/threads/messages.ts'

const call = (
  tool: string,
  toolCallId: string,
  input: ToolPart['input'],
  state: ToolPart['state'],
  output?: ToolPart['output'],
): ToolPart => ({
  type: `tool-${tool}`,
  toolCallId,
  state,
  input: input ?? {},
  ...(output === undefined ? {} : { output }),
})
const steps = ['a', 'b', 'c'].map((id) => ({ id, text: `Step ${id}`, queries: [] }))
const plan = call(planTool, planTool, {}, 'output-available', { steps })
const search = (step: string, state: ToolPart['state']) =>
  call(searchTool, `search-${step}-0`, { query: 'tea', step }, state, state === 'output-available' ? { results: [] } : undefined)
const page = (step: string, state: ToolPart['state']) =>
  call(readPageTool, `page-${step}-0`, { url: 'https://www.tea.org/leaf', step }, state)
const notes = (step: string, state: ToolPart['state']) =>
  call(findingsTool, `findings-${step}`, { step }, state, state === 'output-available' ? { text: 'Green [1].' } : undefined)

const noted = (step: string) => [search(step, 'output-available'), notes(step, 'output-available')]
const found = (step: string) => {
  const result = { number: 1, title: 'Tea', url: 'https://www.tea.org/leaf', site: 'tea.org', snippet: '' }
  return { ...search(step, 'output-available'), output: { results: [result] } }
}

const done = [plan, search('a', 'output-available'), page('a', 'output-error'), notes('a', 'output-available')]

test.each<[string, readonly ToolPart[], string]>([
  ['the plan is made', [call(planTool, planTool, {}, 'input-streaming')], 'Planning the research…'],
  ['nothing has begun', [plan], 'Researching…'],
  ['it searches', [plan, search('a', 'input-available')], 'Question 1 of 3 · Searching for “tea”…'],
  ['it reads', [plan, search('a', 'output-available'), page('a', 'input-available')], 'Question 1 of 3 · Reading tea.org…'],
  ['it takes notes', [...done.slice(0, 3), notes('a', 'input-available')], 'Question 1 of 3 · Taking notes…'],
  ['the next step', [...done, search('b', 'input-available')], 'Question 2 of 3 · Searching for “tea”…'],
  ['it goes from one step to the next', done, 'Question 1 of 3 · Researching…'],
  ['it writes', [...done, ...noted('b'), ...noted('c')], 'Writing the report…'],
  ['it writes, whose last step found nothing', [...done, ...noted('b'), search('c', 'output-available')], 'Writing the report…'],
  ['it writes, whose last search failed', [...done, ...noted('b'), search('c', 'output-error')], 'Writing the report…'],
  ['what the last step found is to be read', [...done, ...noted('b'), found('c')], 'Question 3 of 3 · Researching…'],
  ['nothing could be searched for', [plan, ...['a', 'b', 'c'].map((id) => search(id, 'output-error'))], 'Question 3 of 3 · Researching…'],
])('while %s, its line shows it', (_name, calls, line) => expect(researchSummary(calls, true)).toBe(line))

test('a step of two searches has ended when both have, even without results', () => {
  const two = call(planTool, planTool, {}, 'output-available', { steps: [{ id: 'a', text: 'Step a', queries: ['tea', 'coffee'] }] })
  const second = { ...search('a', 'output-available'), toolCallId: 'search-a-1' }
  const states = (calls: readonly ToolPart[]) => stepsOf(calls, true).map(({ state }) => state)
  expect(states([two, search('a', 'output-available')])).toEqual(['running'])
  expect(states([two, search('a', 'output-available'), { ...second, state: 'input-available' }])).toEqual(['running'])
  expect(states([two, search('a', 'output-available'), second])).toEqual(['empty'])
  expect(states([two, search('a', 'output-error'), second])).toEqual(['empty'])
})

test('afterwards its line shows the result', () => {
  expect(researchSummary(done, false)).toBe('Researched 1 of 3 questions · 1 search · 0 pages')
  expect(researchSummary([call(planTool, planTool, {}, 'output-error')], false)).toBe('The plan was not finished')
  // The next message was sent before the plan was approved.
  expect(researchSummary([plan], false)).toBe('Plan with 3 questions, not started')
})

test('each step has a separate state', () => {
  const states = (calls: readonly ToolPart[], isRunning: boolean) => stepsOf(calls, isRunning).map(({ state }) => state)
  expect(states([...done, search('b', 'input-available')], true)).toEqual(['done', 'running', 'waiting'])
  expect(states([...done, search('b', 'output-error')], false)).toEqual(['done', 'failed', 'waiting'])
  expect(states([...done, search('b', 'output-available')], false)).toEqual(['done', 'empty', 'waiting'])
  expect(states([...done, search('b', 'output-available'), notes('b', 'output-error')], false)).toEqual(['done', 'failed', 'waiting'])
  // Stopped in the middle of one, which has not failed.
  for (const open of [[search('b', 'input-available')], [search('b', 'output-available'), notes('b', 'input-available')]])
    expect(states([...done, ...(sealParts(open) as ToolPart[])], false)).toEqual(['done', 'unfinished', 'waiting'])
})

test('the plan and its work form one segment; a search of an ordinary answer is not part of it', () => {
  const text: MessagePart = { type: 'text', text: 'Tea.' }
  expect(segmentsOf([...done, { type: 'step-start' }, text]).map(({ kind }) => kind)).toEqual(['research', 'text'])
  expect(segmentsOf([call(searchTool, 's', { query: 'tea' }, 'output-available', { results: [] }), text]).map(({ kind }) => kind)).toEqual([
    'web',
    'text',
  ])
})
