// An approved plan, shown as the version before its result.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { CompletedPlan } from '../../../../../web/features/chat/research/research-plan.tsx'
import * as disclosure from '../../../../../web/ui/disclosure.tsx'
import { isCompleted } from '../../../../../worker/contract/research/plan-state.ts'

const steps = [{ id: 'a', text: 'Why bread rises', queries: ['yeast'] }]

vi.spyOn(disclosure, 'Disclosure').mockImplementation(({ summary, children }) => [summary, children] as never)

test('it states that it was carried out, and offers no change or start', () => {
  const html = renderToStaticMarkup(<CompletedPlan plan={{ steps, startedAs: 'report' }} />)
  expect(html).toContain('Completed')
  expect(html).toContain('Why bread rises')
  expect(html).toContain('Searched for “yeast”')
  expect(html).not.toMatch(/<textarea|<button|Nothing has been searched/)
})

test.each<[string, { readonly startedAs?: string }, readonly string[], boolean]>([
  ['its report is another version', { startedAs: 'report' }, ['planned', 'report'], true],
  ['it was not started', {}, ['planned', 'another'], false],
  ['its report was deleted, or left behind by a fork', { startedAs: 'report' }, ['planned'], false],
  // It starts with the plan, which names it.
  ['it is the report, stopped before its first search', { startedAs: 'planned' }, ['plan', 'planned'], false],
])('a plan when %s', (_when, started, versions, isDone) => {
  expect(isCompleted({ steps, ...started }, 'planned', versions)).toBe(isDone)
})
