// What Continue and Retry of a research name. That the record holds the same is tested beside the record (tests/workerd/db/research-costs.test.ts).
import { expect, test } from 'vitest'
import { goingOnText } from '../../../../web/features/thread/use-going-on-price.ts'
import type { AnswerMessage, AnswerMetadata, ChatMessage } from '../../../../worker/contract/messages.ts'
import { costOfGoingOn, researchAnswersIn } from '../../../../worker/contract/research-cost.ts'

const answer = (id: string, metadata: Partial<AnswerMetadata>): AnswerMessage => ({
  id,
  role: 'assistant',
  parts: [],
  metadata: { modelId: 'm', modelName: 'M', modelIcon: 'm', mode: 'research', ending: 'failed', credits: 0, ...metadata },
})

const named = (messages: readonly ChatMessage[], id: string, credits: number): string =>
  goingOnText(costOfGoingOn(researchAnswersIn(messages), id, credits))

const paid = answer('a', { credits: 3, isPaid: true, continues: 'the plan' })

test('one that broke and was paid costs nothing, or what a dearer model costs more', () => {
  expect(named([paid], 'a', 3)).toBe('Costs nothing: it is paid already')
  expect(named([paid], 'a', 1)).toBe('Costs nothing: it is paid already')
  expect(named([paid], 'a', 5)).toBe('2 credits more than was paid')
  // Going on with what went on with it for nothing, too.
  expect(named([paid, answer('b', { isPaid: true, continues: 'a' })], 'b', 3)).toBe('Costs nothing: it is paid already')
})

test('what is counted anew names its research as well', () => {
  expect(named([answer('a', { isPaid: false })], 'a', 1)).toBe('1 credit and 1 research')
  expect(named([answer('a', { ...paid.metadata, ending: 'stopped' })], 'a', 3)).toBe('3 credits and 1 research')
  expect(named([paid, answer('b', { ending: 'completed', isPaid: true, continues: 'a' })], 'a', 3)).toBe('3 credits and 1 research')
  expect(named([], 'a', 3)).toBe('3 credits and 1 research')
})

test('answers of before, which do not say what was paid, go by what they cost', () => {
  expect(named([answer('a', { credits: 3 })], 'a', 3)).toBe('Costs nothing: it is paid already')
  expect(named([answer('a', {})], 'a', 3)).toBe('3 credits and 1 research')
})
