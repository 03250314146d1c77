// Changes of a plan: what the user is told, and where a refused text goes.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deleteDraft, draftOf, setDraft } from '../../../../../web/features/chat/composer/drafts.ts'
import { changePlan, reportLostChange } from '../../../../../web/features/chat/research/change-plan.ts'
import type { Mutation } from '../../../../../web/sync/act.ts'
import { deleteWrites, orphanedWrites, writeOf } from '../../../../../web/sync/outbox.ts'
import type { Outcome } from '../../../../../web/sync/outcome.ts'
import * as toaster from '../../../../../web/ui/toaster.tsx'
import { refusal } from '../../../../../worker/contract/errors.ts'
import { mutators } from '../../../../../worker/contract/mutators.ts'
import { newThreadKey } from '../../../../../worker/contract/threads/draft-key.ts'
import { sentenceOf } from '../../../../support/refused-sentence.ts'
import { stubLocalStorage } from '../../local-storage.ts'

const toast = vi.spyOn(toaster, 'toast').mockImplementation(() => undefined)

const plan = { threadId: 'thread-1', messageId: 'plan', at: 1 }
const { putStep, removeStep, dismiss, start: startResearch } = mutators.research
const step = putStep({ ...plan, stepId: 's', text: 'new' })
const removal = removeStep({ ...plan, stepId: 's' })
const dismissal = dismiss({ ...plan, isDismissed: true })
const restoring = dismiss({ ...plan, isDismissed: false })
const start = startResearch({ ...plan, answerId: 'report', modelId: 'x' })

let items: Map<string, string>
let server: PromiseWithResolvers<Outcome>
beforeEach(() => {
  items = stubLocalStorage()
  server = Promise.withResolvers()
})
afterEach(() => {
  deleteWrites()
  for (const key of ['thread-1', newThreadKey]) deleteDraft(key)
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

const draft = (key = 'thread-1') => draftOf(key).get().text
const kept = () => [...items.keys()].filter((key) => key.startsWith('parley:write:')).length
const act = vi.fn((_mutation: Mutation) => ({ client: Promise.resolve<Outcome>({ ok: true }), server: server.promise }))
const change = (mutation: Mutation, outcome: Outcome) => {
  const done = changePlan(act, mutation, null)
  // In case the page closes now.
  expect(kept()).toBe(1)
  server.resolve(outcome)
  return done
}
const refused: Outcome = { ok: false, refusal: refusal('plan_passed') }
const why = sentenceOf('plan_passed')

test.each([step, removal, dismissal, restoring, start])('a completed change is sent once and no longer stored', async (mutation) => {
  await change(mutation, { ok: true })
  expect(act.mock.calls).toEqual([[mutation]])
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
  [restoring, 'The plan was not restored.'],
  [start, 'The research was not started.'],
] as const)('every refusal is reported, and after a reload with the name of the change: %#', async (mutation, undone) => {
  await change(mutation, refused)
  expect(toast).toHaveBeenCalledExactlyOnceWith('error', why)
  reportLostChange(writeOf(mutation), refusal('plan_passed'))
  expect(toast).toHaveBeenLastCalledWith('error', `${undone} ${why}`)
  expect([kept(), draft()]).toEqual([0, ''])
})

test('a deleted plan is reported, and text of a deleted thread moves to a visible composer', () => {
  reportLostChange(writeOf(step), 'gone')
  expect([draft(), draft(newThreadKey)]).toEqual(['', 'new'])
  toast.mockClear()
  reportLostChange(writeOf(start), refusal('not_found'))
  expect(toast).toHaveBeenCalledExactlyOnceWith('error', 'The research was not started. The plan was deleted.')
})

test('an overwritten change is reported; a research that runs is not', () => {
  for (const mutation of [step, dismissal, start]) reportLostChange(writeOf(mutation), 'changed')
  expect(draft()).toBe('new')
  expect(toast.mock.calls.map(([, words]) => words)).toEqual([
    'A question of the research plan was not saved. The plan was changed on another device first. Your text is in the message field.',
    'The plan was not dismissed. The plan was changed on another device first.',
  ])
})

test('a change without an outcome becomes an orphan', async () => {
  await change(step, { ok: true, isPending: true })
  expect([orphanedWrites.get().size, kept()]).toEqual([1, 1])
})

test('a refusal after signing out leaves and reports nothing', async () => {
  const done = changePlan(act, step, 'old')
  deleteWrites()
  server.resolve(refused)
  await done
  expect([draft(), toast.mock.calls]).toEqual(['', []])
})
