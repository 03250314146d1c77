// Changes of plans that nobody has confirmed: kept by the tab over a reload, until somebody has heard what became of them.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubWebStorage } from './local-storage.ts'

type Steps = typeof import('../../../../web/stores/plan-steps.ts')

let items: Map<string, string>
beforeEach(() => {
  items = stubWebStorage('sessionStorage')
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** A page: the module anew, over the same tab. */
async function openPage(): Promise<Steps> {
  vi.resetModules()
  return import('../../../../web/stores/plan-steps.ts')
}
const step = { threadId: 't', messageId: 'm', stepId: 's', text: 'new', was: 'old' }

test('what nobody has confirmed is unheard in the next page, and no sooner', async () => {
  const page = await openPage()
  page.keepStep(step)
  expect(page.unheardSteps.get()).toEqual([])
  expect((await openPage()).unheardSteps.get()).toEqual([step])
})

test('what was confirmed is nowhere any more; what was left is unheard at once', async () => {
  const page = await openPage()
  const other = { ...step, stepId: 'n', was: null }
  page.keepStep(step)
  page.keepStep(other)
  page.forgetStep(step)
  page.leaveStep(other)
  expect(page.unheardSteps.get()).toEqual([other])
  expect((await openPage()).unheardSteps.get()).toEqual([other])
})

test('of one step the last change counts, and what became of an earlier one forgets nothing', async () => {
  const first = await openPage()
  first.keepStep(step)
  const page = await openPage()
  const again = { ...step, text: 'newer', was: 'new' }
  page.keepStep(again)
  page.forgetStep(step)
  page.leaveStep(step)
  expect(page.unheardSteps.get()).toEqual([])
  expect((await openPage()).unheardSteps.get()).toEqual([again])
})

test('nothing of it is left on signing out', async () => {
  const first = await openPage()
  first.keepStep(step)
  const page = await openPage()
  page.keepStep({ ...step, stepId: 'n' })
  page.forgetSteps()
  expect([...items.keys(), ...page.unheardSteps.get()]).toEqual([])
})

test.each(['', '{', 'null', '{}', '[null,7,{"threadId":"t"}]'])('%j in storage is none', async (stored) => {
  items.set('parley:plan-steps', stored)
  expect((await openPage()).unheardSteps.get()).toEqual([])
})
