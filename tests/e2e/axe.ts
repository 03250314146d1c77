/** What axe-core says of a page at rest. */
import axe from 'axe-core'
import type { Person } from './person.ts'

/** The page after axe's own source has run in it. */
type AxePage = { readonly axe?: typeof axe }

type Looked = Pick<Person, 'page'>

/**
 * Resolves when nothing on the page is on its way any more: half a transition is half a contrast, and a fallback font is not the text.
 * What never ends is no transition; what begins when another ends is waited for as well.
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

/** What axe found on the page once it is at rest, each with where and why, so that a failure can be mended from its message. */
export async function problemsOf({ page }: Looked): Promise<string[]> {
  await untilAtRest({ page })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const found = await (globalThis as unknown as AxePage).axe?.run(document, { resultTypes: ['violations'] })
    return found?.violations ?? []
  })
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`))
}

export type Problems = { [mode: string]: readonly string[] }

const modes = ['dark', 'light'] as const

/**
 * The same in both modes. The page's own is put on from outside, as its settings would, and then given back; pages without one follow
 * the system's.
 */
export async function problemsInBothModes(
  person: Looked,
  seen: (mode: string) => Promise<void> = async () => undefined,
): Promise<Problems> {
  const { page } = person
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
    const problems = await problemsOf(person)
    if (problems.length > 0) found[mode] = problems
  }
  await page.evaluate((classes) => {
    document.documentElement.className = classes
  }, own)
  return found
}
