// Changes of a plan, and the handling of unacknowledged ones.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deleteDraft, draftOf, setDraft } from '../../../../../web/features/chat/composer/drafts.ts'
import {
  changePlan,
  discardPlanChange,
  resendPlanChange,
  statusOfPlanChange,
} from '../../../../../web/features/chat/research/change-plan.ts'
import {
  addPlanChange,
  deletePlanChanges,
  orphanedPlanChanges,
  type PlanChange,
} from '../../../../../web/features/chat/research/plan-changes.ts'
import type { Mutation } from '../../../../../web/sync/act.ts'
import type { Outcome } from '../../../../../web/sync/outcome.ts'
import type { ThreadState } from '../../../../../web/sync/thread.ts'
import * as toaster from '../../../../../web/ui/toaster.tsx'
import { newThreadKey } from '../../../../../worker/contract/draft-key.ts'
import { refusal } from '../../../../../worker/contract/errors.ts'
import { planTool } from '../../../../../worker/contract/research.ts'
import { sentenceOf } from '../../../../support/refused-sentence.ts'
import { stubLocalStorage } from '../../local-storage.ts'
import { answer, question, thread } from '../build.ts'

const toast = vi.spyOn(toaster, 'toast').mockImplementation(() => undefined)

const plan = { threadId: 'thread-1', messageId: 'plan' }
const step = { ...plan, kind: 'step', stepId: 's', text: 'new', was: 'old' } as const
const removal = { ...plan, kind: 'removal', stepId: 's', was: 'old' } as const
const dismissal = { ...plan, kind: 'dismissal', isDismissed: true, sentAtMs: 1000 } as const
const takingUp = { ...dismissal, isDismissed: false }
const start = { ...plan, kind: 'start', answerId: 'report', modelId: 'x' } as const

let items: Map<string, string>
let server: PromiseWithResolvers<Outcome>
beforeEach(() => {
  items = stubLocalStorage()
  server = Promise.withResolvers()
})
afterEach(() => {
  deletePlanChanges()
  deleteDraft('thread-1')
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

const draft = () => draftOf('thread-1').get().text
const kept = () => [...items.keys()].filter((key) => key.startsWith('parley:plan-change:')).length
const act = vi.fn((_mutation: Mutation) => ({ client: Promise.resolve<Outcome>({ ok: true }), server: server.promise }))
const change = (what: PlanChange, outcome: Outcome, how = changePlan) => {
  const done = how(act, what)
  // In case the page closes now.
  expect(kept()).toBe(1)
  server.resolve(outcome)
  return done
}
const refused: Outcome = { ok: false, refusal: refusal('plan_passed') }
const why = sentenceOf('plan_passed')

test.each([
  [step, 'research.putStep', { ...plan, stepId: 's', text: 'new' }],
  [removal, 'research.removeStep', { ...plan, stepId: 's' }],
  [dismissal, 'research.dismiss', { ...plan, isDismissed: true }],
  [takingUp, 'research.dismiss', { ...plan, isDismissed: false }],
  [start, 'research.start', { ...plan, answerId: 'report', modelId: 'x' }],
  [{ ...start, after: 'first' }, 'research.start', { ...plan, answerId: 'report', modelId: 'x', after: 'first' }],
] as const)('a completed change is no longer stored: %j', async (what, name, args) => {
  await change(what, { ok: true })
  const at = expect.any(Number)
  expect(act.mock.calls.map(([{ mutator, args }]) => [mutator.mutatorName, args])).toEqual([[name, { ...args, at }]])
  expect([kept(), draft(), toast.mock.calls]).toEqual([0, '', []])
})

test('refused text is appended to the composer, with the reason', async () => {
  setDraft('thread-1', { text: 'half a thought' })
  await change(step, refused)
  expect([kept(), draft()]).toEqual([0, 'half a thought\n\nnew'])
  expect(toast).toHaveBeenCalledExactlyOnceWith('error', `${why} Your text is in the message field.`)
})

test.each([
  [removal, 'A question of the research plan was not removed.'],
  [dismissal, 'The plan was not dismissed.'],
  [takingUp, 'The plan was not restored.'],
  [start, 'The research was not started.'],
] as const)('every refusal is reported, and after a reload with the name of the change: %j', async (what, undone) => {
  await change(what, refused)
  expect(toast).toHaveBeenCalledExactlyOnceWith('error', why)
  await change(what, refused, resendPlanChange)
  expect(toast).toHaveBeenLastCalledWith('error', `${undone} ${why}`)
  expect([kept(), draft()]).toEqual([0, ''])
})

test('a deleted plan is reported, and text of a deleted thread moves to a visible composer', async () => {
  await change(step, { ok: false, refusal: refusal('not_found') }, (...args) => resendPlanChange(...args, newThreadKey))
  expect([draft(), draftOf(newThreadKey).get().text]).toEqual(['', 'new'])
  deleteDraft(newThreadKey)
  toast.mockClear()
  server = Promise.withResolvers()
  await change(start, { ok: false, refusal: refusal('not_found') }, resendPlanChange)
  expect(toast).toHaveBeenCalledExactlyOnceWith('error', 'The research was not started. The plan was deleted.')
})

test.each([step, removal, dismissal, start])('a change without an outcome becomes an orphan: %j', async (what) => {
  await change(what, { ok: true, isPending: true })
  expect([...orphanedPlanChanges.get().values()]).toEqual([what])
  expect(kept()).toBe(1)
})

test('a refusal after signing out leaves and reports nothing', async () => {
  const done = resendPlanChange(act, step, newThreadKey)
  deletePlanChanges()
  server.resolve(refused)
  await done
  expect([draft(), draftOf(newThreadKey).get().text, toast.mock.calls]).toEqual(['', '', []])
})

test('an overwritten change is reported, and no longer stored', () => {
  for (const what of [step, dismissal]) {
    addPlanChange(what)
    discardPlanChange(what)
  }
  expect([kept(), draft()]).toEqual([0, 'new'])
  expect(toast.mock.calls.map(([, words]) => words)).toEqual([
    'A question of the research plan was not saved. The plan was changed on another device first. Your text is in the message field.',
    'The plan was not dismissed. The plan was changed on another device first.',
  ])
})

type Shown = { readonly isComplete?: boolean; readonly isDismissed?: true; readonly updatedAt?: number }
const shown = (texts: Record<string, string> | null, { isComplete = true, isDismissed, updatedAt = 0 }: Shown = {}): ThreadState => {
  const steps = Object.entries(texts ?? {}).map(([id, text]) => ({ id, text, queries: [] }))
  const output = { steps, ...(isDismissed && { isDismissed }) }
  const part = { type: `tool-${planTool}`, toolCallId: 'p', state: 'output-available', input: {}, output } as const
  const messages = [question('question'), ...(texts ? [{ ...answer('plan', 'question', [part]), updatedAt }] : [])]
  return { state: 'found', thread: thread(messages), isComplete, hasOlder: false, loadOlder: undefined, hasHead: true }
}
const added = { ...step, was: null }
const old = { s: 'old' }

test.each([
  ['while the thread is loading', step, { state: 'loading' }, 'unknown'],
  ['of a thread that the server has not confirmed yet', step, shown(old, { isComplete: false }), 'unknown'],
  ['that stands there, which may be our own doing alone', step, shown({ s: 'new' }), 'resend'],
  ['that did not arrive', step, shown(old), 'resend'],
  ['that was changed since', step, shown({ s: 'theirs' }), 'superseded'],
  ['that was removed since', step, shown({ other: 'theirs' }), 'superseded'],
  ['that was added, and did not arrive', added, shown({ other: 'theirs' }), 'resend'],
  ['that was changed twice, of which nothing arrived', { ...step, was: 'second', earlier: ['old', 'second'] }, shown(old), 'resend'],
  ['that was added and changed, of which nothing arrived', { ...step, was: 'first', earlier: [null, 'first'] }, shown({}), 'resend'],
  [
    'that was changed twice, once on another device',
    { ...step, was: 'second', earlier: ['old', 'second'] },
    shown({ s: 'theirs' }),
    'superseded',
  ],
  [
    'that removes a step that was changed before, of which nothing arrived',
    { ...removal, was: 'new', earlier: ['old'] },
    shown(old),
    'resend',
  ],
  ['that was added, and changed since', added, shown({ s: 'theirs' }), 'superseded'],
  ['of a plan that is gone, which is refused', step, shown(null), 'resend'],
  ['of a thread that is gone, which is refused', start, { state: 'missing' }, 'resend'],
  ['that removes a step, which is gone', removal, shown({}), 'resend'],
  ['that removes a step, which is there', removal, shown(old), 'resend'],
  ['that removes a step that was changed since', removal, shown({ s: 'theirs' }), 'superseded'],
  ['that sets a plan aside, which it is', dismissal, shown(old, { isDismissed: true, updatedAt: 2000 }), 'resend'],
  ['that dismisses a plan without a later change', dismissal, shown(old, { updatedAt: 999 }), 'resend'],
  ['that dismisses a plan that was changed since', dismissal, shown(old, { updatedAt: 2000 }), 'superseded'],
  ['that restores a plan that was dismissed since', takingUp, shown(old, { isDismissed: true, updatedAt: 2000 }), 'superseded'],
  ['that starts a plan after any other change', start, shown({ s: 'theirs' }, { isDismissed: true, updatedAt: 2000 }), 'resend'],
  ['that starts a plan, whose report is there', { ...start, answerId: 'plan' }, shown(old), 'arrived'],
] as const)('one %s', (_what, sent, state, status) => {
  expect(statusOfPlanChange(sent, state)).toBe(status)
})
