/** Runs axe-core on a page that has settled. */
import axe from 'axe-core'
import type { UserPage } from './user-page.ts'

/** The page after axe's source has run in it. */
type AxePage = { readonly axe?: typeof axe }

type Looked = Pick<UserPage, 'page'>

/**
 * Resolves when no transition or font is pending: contrast is wrong in the middle of a transition, and text in a fallback font has other
 * sizes. Endless animations are ignored; animations started by the end of others are awaited.
 */
async function untilAtRest({ page }: Looked): Promise<void> {
  await page.evaluate(async () => {
    const drawn = () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))
    const isOnItsWay = ({ playState, effect }: Animation) =>
      playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime ?? 0)
    const onTheirWay = () => document.getAnimations().filter(isOnItsWay)
    await document.fonts.ready
    await drawn()
    for (let moving = onTheirWay(); moving.length > 0; moving = onTheirWay()) {
      await Promise.allSettled(moving.map(({ finished }) => finished))
      await drawn()
    }
  })
}

/** The problems found by axe (by all rules or by these) on the settled page, each with place and reason, so that the failure message is sufficient. */
export async function problemsOf({ page }: Looked, rules?: readonly string[]): Promise<string[]> {
  await untilAtRest({ page })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const violations = await page.evaluate(
    async (runOnly) => {
      const found = await (globalThis as unknown as AxePage).axe?.run(document, {
        resultTypes: ['violations'],
        ...(runOnly && { runOnly }),
      })
      return found?.violations ?? []
    },
    rules && [...rules],
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`))
}

export type Problems = { [mode: string]: readonly string[] }

const modes = ['dark', 'light'] as const

/** The rules that depend on colours. The others find the same in both modes. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * The same in both colour modes. Sets the mode of the page as its settings would, and restores it; pages without a setting follow the
 * system.
 */
export async function problemsInBothModes(user: Looked, seen: (mode: string) => Promise<void> = async () => undefined): Promise<Problems> {
  const { page } = user
  const found: Problems = {}
  const own = await page.evaluate(() => document.documentElement.className)
  for (const mode of modes) {
    await page.emulateMedia({ colorScheme: mode })
    await page.evaluate(
      ([name, classes]) => {
        if (classes !== '') document.documentElement.className = classes.replace(/\b(dark|light)\b/, name)
      },
      [mode, own] as const,
    )
    await seen(mode)
    const problems = await problemsOf(user, mode === 'light' ? colourRules : undefined)
    if (problems.length > 0) found[mode] = problems
  }
  await page.evaluate((classes) => {
    document.documentElement.className = classes
  }, own)
  return found
}
