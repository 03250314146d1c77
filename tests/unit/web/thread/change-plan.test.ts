// A change of a plan, and what is done about one of which nobody heard what became of it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fateOfStep, passStep, savePlanStep } from '../../../../web/features/thread/save-plan-step.ts'
import { draftOf, forgetDraft, setDraft } from '../../../../web/stores/drafts.ts'
import { forgetSteps, keepStep, unheardSteps } from '../../../../web/stores/plan-steps.ts'
import type { ThreadState } from '../../../../web/sync/hooks.ts'
import type { Outcome } from '../../../../web/sync/outcome.ts'
import * as toaster from '../../../../web/ui/toaster.tsx'
import { refusal } from '../../../../worker/contract/errors.ts'
import { planTool } from '../../../../worker/contract/research.ts'
import { stubWebStorage } from '../stores/local-storage.ts'
import { answer, question, thread } from './build.ts'

const toast = vi.spyOn(toaster, 'toast').mockImplementation(() => undefined)

const step = { threadId: 'thread-1', messageId: 'plan', stepId: 's', text: 'new', was: 'old' }
let items: Map<string, string>
beforeEach(() => {
  items = stubWebStorage('sessionStorage')
})
afterEach(() => {
  forgetSteps()
  forgetDraft('thread-1')
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

const draft = () => draftOf('thread-1').get().text
const save = (outcome: Outcome) => {
  const putStep = vi.fn(() => ({ client: Promise.resolve<Outcome>({ ok: true }), server: Promise.resolve(outcome) }))
  const saved = savePlanStep({ putStep }, step)
  expect(putStep).toHaveBeenCalledExactlyOnceWith({ threadId: 'thread-1', messageId: 'plan' }, 's', 'new')
  // Should the page go now.
  expect(items.size).toBe(1)
  return saved
}

test('what was saved is kept nowhere else', async () => {
  await save({ ok: true })
  expect([items.size, draft()]).toEqual([0, ''])
})

test('what was refused is in the composer, behind what stands there, and why is said', async () => {
  setDraft('thread-1', { text: 'half a thought' })
  await save({ ok: false, refusal: refusal('plan_passed') })
  expect([items.size, draft()]).toEqual([0, 'half a thought\n\nnew'])
  expect(toast).toHaveBeenCalledExactlyOnceWith('error', `${refusal('plan_passed').message} What you wrote is in the message field.`)
})

test('what nobody will hear of is looked after', async () => {
  await save({ ok: true, isOpen: true })
  expect(unheardSteps.get()).toEqual([step])
  expect(items.size).toBe(1)
})

test('what was passed by another change is in the composer, and looked after no more', () => {
  keepStep(step)
  passStep(step)
  expect([items.size, draft()]).toEqual([0, 'new'])
  expect(toast).toHaveBeenCalledOnce()
})

const shown = (texts: Record<string, string> | null, isComplete = true): ThreadState => {
  const steps = Object.entries(texts ?? {}).map(([id, text]) => ({ id, text, queries: [] }))
  const part = { type: `tool-${planTool}`, toolCallId: 'p', state: 'output-available', input: {}, output: { steps } } as const
  const messages = [question('question'), ...(texts ? [answer('plan', 'question', [part])] : [])]
  return { state: 'found', thread: thread(messages), isComplete, isServed: false }
}
const added = { ...step, was: null }

test.each([
  ['while the thread is loading', step, { state: 'loading' }, 'unknown'],
  ['of a thread that the server has not confirmed yet', step, shown({ s: 'old' }, false), 'unknown'],
  ['that stands there, which may be our own doing alone', step, shown({ s: 'new' }), 'again'],
  ['that did not arrive', step, shown({ s: 'old' }), 'again'],
  ['that somebody has changed since', step, shown({ s: 'theirs' }), 'passed'],
  ['that somebody has removed since', step, shown({ other: 'theirs' }), 'passed'],
  ['that was added, and did not arrive', added, shown({ other: 'theirs' }), 'again'],
  ['that was added, and changed since', added, shown({ s: 'theirs' }), 'passed'],
  ['of a plan that is gone, which is refused', step, shown(null), 'again'],
  ['of a thread that is gone, which is refused', step, { state: 'missing' }, 'again'],
] as const)('one %s', (_what, sent, state, fate) => {
  expect(fateOfStep(sent, state)).toBe(fate)
})
